import { type Failure, fail } from '../base/errors.ts';
import type { PaidPlanId } from '../base/plans.ts';
import { millisecondsLeft, within } from '../base/system/deadline.ts';
import type { BillingParts } from './apply.ts';
import { notConfigured, RETRY_AFTER_SECONDS } from './provider.ts';
import { holdCustomer, listCustomers } from './store.ts';
import { isLive } from './subscription.ts';

export interface Buyer {
  readonly accountId: string;
  readonly email: string | null;
}

export interface VisitContext {
  /** Our own address, to which the provider's pages lead back. The address comes from the configuration, never from a request. */
  readonly publicUrl: string;
  /** Part of the provider's idempotency key, so that a repeated call opens one page. */
  readonly requestId: string;
}

/**
 * With a subscription in one of these statuses, a customer is sent to the portal instead of buying a second subscription. If the subscription is
 * live, the portal asks to confirm the chosen plan.
 */
const RUNNING = ['active', 'trialing', 'past_due', 'unpaid', 'paused'];

/** Opens pages of the provider and returns their addresses. Opening a page changes no plan: only signed events do. */
export function createCheckout(
  { db, clock, provider, settings }: Pick<BillingParts, 'db' | 'clock' | 'provider' | 'settings'>,
  pageTimeoutMs: number,
) {
  async function createCustomer({ accountId, email }: Buyer, replaced: string | undefined): Promise<string> {
    const idempotencyKey = replaced === undefined ? `customer-${accountId}` : `customer-${accountId}-not-${replaced}`;
    const id = await provider.createCustomer(accountId, email, idempotencyKey);
    // The customer is stored before it is used, so that every event of this customer finds its account.
    await holdCustomer(db, id, accountId, clock.now());
    return id;
  }

  /** Opens the page for the known customer. If the provider has deleted that customer, opens the page for a new customer. */
  async function openFor(buyer: Buyer, open: (customerId: string) => Promise<string | undefined>): Promise<string> {
    const [known] = await listCustomers(db, buyer.accountId);
    const page = await open(known?.id ?? (await createCustomer(buyer, undefined)));
    if (page !== undefined) return page;
    const again = await open(await createCustomer(buyer, known?.id));
    if (again === undefined) throw unavailable('the provider does not know the customer it just created');
    return again;
  }

  const turns = new Map<string, Promise<unknown>>();

  /**
   * Opens one page at a time per account. An account that sends a thousand requests waits for itself and does not use
   * up the provider's rate limit for everybody else. A request that timed out in the queue does not call the provider.
   */
  async function inTurn({ accountId }: Buyer, work: () => Promise<string>): Promise<string> {
    const deadline = performance.now() + pageTimeoutMs;
    const before = turns.get(accountId);
    const mine = (async () => {
      await before?.catch(() => undefined);
      if (millisecondsLeft(deadline) === 0) throw unavailable('too many requests of this account are waiting');
      return work();
    })().finally(() => {
      if (turns.get(accountId) === mine) turns.delete(accountId);
    });
    turns.set(accountId, mine);
    return within(deadline, mine, unavailable('the provider did not answer in time'));
  }

  return {
    openPortal: (buyer: Buyer, { publicUrl, requestId }: VisitContext): Promise<string> =>
      inTurn(buyer, () =>
        openFor(buyer, (id) => provider.createPortal(id, `${publicUrl}/dashboard`, `portal-${id}-${requestId}`)),
      ),
    openCheckout: (buyer: Buyer, plan: PaidPlanId, { publicUrl, requestId }: VisitContext): Promise<string> =>
      inTurn(buyer, async () => {
        const [priceId] = settings()?.prices[plan] ?? [];
        if (priceId === undefined) throw notConfigured(`no price of ${plan} is configured`);
        const returnUrl = `${publicUrl}/dashboard`;
        return openFor(buyer, async (customerId) => {
          // Ask the provider: the event of a purchase made a moment ago may not have arrived yet.
          const subscriptions = await provider.listSubscriptions(customerId);
          if (subscriptions === undefined) return undefined;
          const running = subscriptions.find(({ status }) => RUNNING.includes(status));
          if (running !== undefined) {
            const change = running.plan !== plan && isLive(running) && { subscriptionId: running.id, priceId };
            const key = `portal-${customerId}-${requestId}`;
            return provider.createPortal(customerId, returnUrl, key, change || undefined);
          }
          const idempotencyKey = `checkout-${customerId}-${plan}-${requestId}`;
          const checkout = { customerId, accountId: buyer.accountId, priceId, idempotencyKey, returnUrl };
          return provider.createCheckout(checkout);
        });
      }),
  };
}

function unavailable(reason: string): Failure {
  return fail('billing_unavailable', { cause: new Error(reason), retryAfter: RETRY_AFTER_SECONDS });
}
