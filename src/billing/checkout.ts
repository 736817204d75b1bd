import type { Clock } from '../core/clock.ts';
import { fail } from '../core/errors.ts';
import type { PaidPlanId } from '../core/plans.ts';
import type { Db } from '../db/db.ts';
import { type PaymentSettings, type Provider, RETRY_AFTER_SECONDS } from './provider.ts';
import { holdCustomer, listCustomers } from './store.ts';

/** Who pays: the account, and the address receipts go to. */
export interface Buyer {
  readonly accountId: string;
  readonly email: string | null;
}

export interface VisitContext {
  /** Our own address: where the provider's pages lead back to. Nothing a request says is used for it. */
  readonly publicUrl: string;
  /** The same request asks the provider for the same thing, however often it is sent. */
  readonly requestId: string;
}

/** Opens pages of the provider. They change nothing here: only a signed event does. */
export interface Checkout {
  openCheckout(buyer: Buyer, plan: PaidPlanId, context: VisitContext): Promise<string>;
  openPortal(buyer: Buyer, context: VisitContext): Promise<string>;
}

/** Statuses that a customer mends or changes in the portal, instead of buying a second time. */
const RUNNING = ['active', 'trialing', 'past_due', 'unpaid', 'paused'];
/** Opening a page takes up to three calls; nobody waits for all of them to time out. */
const PATIENCE_MS = 12_000;

export interface CheckoutOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly provider: Provider;
  readonly settings: () => PaymentSettings | undefined;
  readonly patienceMs?: number;
}

export function createCheckout({ db, clock, provider, settings, patienceMs = PATIENCE_MS }: CheckoutOptions): Checkout {
  async function makeCustomer({ accountId, email }: Buyer, insteadOf: string | undefined): Promise<string> {
    const idempotencyKey = insteadOf === undefined ? `customer-${accountId}` : `customer-${accountId}-not-${insteadOf}`;
    const id = await provider.createCustomer({ accountId, email, idempotencyKey });
    // Stored before it is used, so that every event about it finds its account.
    await holdCustomer(db, id, accountId, clock.now());
    return id;
  }

  /** What the page is opened for: the known customer or, where the provider has deleted that one, a new one. */
  async function openFor(buyer: Buyer, open: (customerId: string) => Promise<string | undefined>): Promise<string> {
    const [known] = await listCustomers(db, buyer.accountId);
    const page = await open(known?.id ?? (await makeCustomer(buyer, undefined)));
    if (page !== undefined) return page;
    const again = await open(await makeCustomer(buyer, known?.id));
    if (again === undefined) throw unavailable('the provider forgets its customers');
    return again;
  }

  function portalOf(customerId: string, { publicUrl, requestId }: VisitContext): Promise<string | undefined> {
    const idempotencyKey = `portal-${customerId}-${requestId}`;
    return provider.createPortal({ customerId, returnUrl: `${publicUrl}/dashboard`, idempotencyKey });
  }

  /** The page an account is being given at the moment. */
  const turns = new Map<string, Promise<unknown>>();

  /**
   * One page at a time for an account: whoever presses the button a thousand times, or has a script do it, waits for himself and
   * does not use up what the provider allows us for everybody. Who has given up waiting asks the provider for nothing.
   */
  async function inTurn({ accountId }: Buyer, work: () => Promise<string>): Promise<string> {
    return inTime(patienceMs, async (isLate) => {
      const before = turns.get(accountId);
      const mine = (async () => {
        await before?.catch(() => undefined);
        if (isLate()) throw unavailable('too many pages were asked for at once');
        return work();
      })();
      turns.set(accountId, mine);
      try {
        return await mine;
      } finally {
        if (turns.get(accountId) === mine) turns.delete(accountId);
      }
    });
  }

  return {
    openPortal: (buyer, context) => inTurn(buyer, () => openFor(buyer, (customerId) => portalOf(customerId, context))),
    openCheckout: (buyer, plan, context) =>
      inTurn(buyer, async () => {
        const [priceId] = settings()?.prices[plan] ?? [];
        if (priceId === undefined) throw unavailable(`no price is configured for ${plan}`);
        return openFor(buyer, async (customerId) => {
          // Asked of the provider: what was bought a moment ago may not have reached us yet.
          const subscriptions = await provider.listSubscriptions(customerId);
          if (subscriptions === undefined) return undefined;
          if (subscriptions.some(({ subscription }) => RUNNING.includes(subscription.status))) {
            return portalOf(customerId, context);
          }
          return provider.createCheckout({
            customerId,
            accountId: buyer.accountId,
            priceId,
            successUrl: `${context.publicUrl}/dashboard?checkout=done`,
            cancelUrl: `${context.publicUrl}/dashboard?checkout=cancelled`,
            idempotencyKey: `checkout-${customerId}-${plan}-${context.requestId}`,
          });
        });
      }),
  };
}

async function inTime<T>(patienceMs: number, work: (isLate: () => boolean) => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      isOver = true;
      reject(unavailable('the provider is slow'));
    }, patienceMs);
  });
  try {
    return await Promise.race([work(() => isOver), late]);
  } finally {
    clearTimeout(timer);
  }
}

function unavailable(reason: string): Error {
  return fail('billing_unavailable', { cause: new Error(reason), retryAfter: RETRY_AFTER_SECONDS });
}
