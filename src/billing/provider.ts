import type { IncomingMessage } from 'node:http';
import type Stripe from 'stripe';
import type { Clock } from '../base/clock.ts';
import type { Db } from '../base/db/db.ts';
import { BILLING_NOT_CONFIGURED, Failure, fail } from '../base/errors.ts';
import type { PaidPlanId } from '../base/plans.ts';
import { readBounded } from '../base/requests/responses.ts';
import { within } from '../base/system/deadline.ts';
import { createTurns } from '../base/system/turns.ts';
import { asRecord, type FindPlanOfPrice, isLive, parseId, parseSubscription, type Subscription } from './events.ts';
import { holdCustomer, listCustomers } from './store.ts';

export interface PaymentSettings {
  readonly secretKey: string | undefined;
  /** There are two secrets while one is being rotated. */
  readonly webhookSecrets: readonly string[];
  /** The prices of each plan: the first price is sold, all of them are recognized. */
  readonly prices: Readonly<Record<PaidPlanId, readonly string[]>>;
  /** Replaces the address of Stripe's API; may include a path. */
  readonly apiUrl: string | undefined;
  /** Whether the provider's time can be moved ahead of our time, as in the sandbox of the demo. */
  readonly movesTime?: boolean;
}

/** Read on every use: the sandbox of the demo gets its address only when the server listens. */
export type ReadPaymentSettings = () => PaymentSettings | undefined;

interface NewCheckout {
  readonly customerId: string;
  readonly accountId: string;
  readonly priceId: string;
  readonly idempotencyKey: string;
  /** Our page, to which the provider's page leads back. */
  readonly returnUrl: string;
}

export interface PlanChange {
  readonly subscriptionId: string;
  readonly priceId: string;
}

const RETRY_AFTER_SECONDS = 10;

interface ProviderOptions {
  readonly settings: ReadPaymentSettings;
  readonly planOfPrice: FindPlanOfPrice;
  readonly version: string;
  /** The time-out of one attempt; there are two attempts. */
  readonly timeoutMs: number;
}

export type Provider = ReturnType<typeof createProvider>;

/** Our calls to the payment provider. All calls fail with `billing_unavailable` if the provider is down, is slow or rejects the call. */
export function createProvider(options: ProviderOptions) {
  const { settings, planOfPrice, version, timeoutMs } = options;
  let client: { readonly stripe: Promise<Stripe>; readonly of: string } | undefined;

  function connect(): Promise<Stripe> {
    const { secretKey, apiUrl } = settings() ?? {};
    if (secretKey === undefined) throw notConfigured('no secret key is configured');
    const of = `${secretKey} ${apiUrl}`;
    if (client?.of !== of) client = { of, stripe: openStripe(secretKey, { apiUrl, version, timeoutMs }) };
    return client.stripe;
  }

  async function call<T>(work: (stripe: Stripe) => Promise<T>): Promise<T> {
    try {
      return await work(await connect());
    } catch (error) {
      throw toFailure(error);
    }
  }

  /** Like `call`, but returns undefined if the customer or subscription no longer exists. */
  function find<T>(work: (stripe: Stripe) => Promise<T>): Promise<T | undefined> {
    return call(async (stripe) => {
      try {
        return await work(stripe);
      } catch (error) {
        const { code, param } = asRecord(error);
        if (code === 'resource_missing' && (param === 'customer' || param === 'id')) return undefined;
        throw error;
      }
    });
  }

  function parseAll(objects: readonly unknown[]): Subscription[] {
    return objects.flatMap((object) => parseSubscription(object, planOfPrice) ?? []);
  }

  return {
    isConfigured: (): boolean => settings()?.secretKey !== undefined,
    /** Repeated calls with the same key create one customer. */
    createCustomer: (accountId: string, email: string | null, idempotencyKey: string): Promise<string> =>
      call(async ({ customers }) => {
        const customer = { metadata: { accountId }, ...(email !== null && { email }) };
        return requireId((await customers.create(customer, { idempotencyKey })).id);
      }),
    /** Returns the address of the page, which needs no other credential. Undefined if the provider has deleted the customer. */
    createCheckout: (checkout: NewCheckout): Promise<string | undefined> =>
      find(async (stripe) => {
        const { customerId, accountId, priceId, idempotencyKey, returnUrl } = checkout;
        const session = await stripe.checkout.sessions.create(
          {
            mode: 'subscription',
            customer: customerId,
            client_reference_id: accountId,
            line_items: [{ price: priceId, quantity: 1 }],
            subscription_data: { metadata: { accountId } },
            success_url: doneUrl(returnUrl),
            cancel_url: `${returnUrl}?checkout=cancelled`,
          },
          { idempotencyKey },
        );
        return requireAddress(session.url);
      }),
    /** Opens the portal. With `change`, opens the page that confirms the change, if the provider's settings allow it. */
    createPortal: (
      customerId: string,
      returnUrl: string,
      idempotencyKey: string,
      change?: PlanChange,
    ): Promise<string | undefined> =>
      find(async (stripe) => {
        const parameters = { customer: customerId, return_url: returnUrl };
        const { sessions } = stripe.billingPortal;
        if (change !== undefined) {
          try {
            const flow = { ...parameters, flow_data: await describeChange(stripe, change, returnUrl) };
            const key = { idempotencyKey: `${idempotencyKey}-${change.priceId}` };
            return requireAddress((await sessions.create(flow, key)).url);
          } catch (error) {
            if (asRecord(error).type !== 'StripeInvalidRequestError') throw error;
          }
        }
        return requireAddress((await sessions.create(parameters, { idempotencyKey })).url);
      }),
    /** All subscriptions of a customer including ended ones, latest first; undefined if the provider has deleted the customer. */
    listSubscriptions: (customerId: string): Promise<Subscription[] | undefined> =>
      find(async ({ subscriptions }) => {
        return parseAll((await subscriptions.list({ customer: customerId, status: 'all', limit: 100 })).data);
      }),
    findSubscription: (id: string): Promise<Subscription | undefined> =>
      find(async ({ subscriptions }) => {
        const subscription = parseSubscription(await subscriptions.retrieve(id), planOfPrice);
        if (subscription === undefined) throw new Error('the response contains no subscription');
        return subscription;
      }),
    async *listAll(): AsyncIterable<Subscription> {
      try {
        const { subscriptions } = await connect();
        for await (const each of subscriptions.list({ status: 'all', limit: 100 })) yield* parseAll([each]);
      } catch (error) {
        throw toFailure(error);
      }
    },
  };
}

/** Checkout and portal fail with the same message; only the log contains what is missing. A retry does not help. */
function notConfigured(missing: string): Failure {
  return fail('billing_unavailable', { message: BILLING_NOT_CONFIGURED, missing });
}

/** The provider's parameters for a page that confirms one change of plan. */
async function describeChange(stripe: Stripe, { subscriptionId, priceId }: PlanChange, returnUrl: string) {
  const { items } = await stripe.subscriptions.retrieve(subscriptionId);
  const id = requireId(items.data[0]?.id);
  return {
    type: 'subscription_update_confirm' as const,
    subscription_update_confirm: { subscription: subscriptionId, items: [{ id, price: priceId, quantity: 1 }] },
    after_completion: { type: 'redirect' as const, redirect: { return_url: doneUrl(returnUrl) } },
  };
}

function doneUrl(returnUrl: string): string {
  return `${returnUrl}?checkout=done`;
}

function requireId(value: unknown): string {
  const id = parseId(value);
  if (id === null) throw new Error('the response contains no id');
  return id;
}

function requireAddress(value: unknown): string {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') throw new Error('the response contains no page address');
  return url.href;
}

/** The error for the log. The SDK's own error is dropped, because it contains headers and bodies. */
function toFailure(error: unknown): Error {
  if (error instanceof Failure) return error;
  const { type, code, statusCode, requestId, detail, message } = asRecord(error);
  const isStripeError = typeof type === 'string' && type.startsWith('Stripe');
  const facts = [type, code, statusCode, asRecord(detail).code, requestId].filter((fact) => fact !== undefined);
  // Stripe's message about a wrong key contains a part of the key.
  const text = isStripeError && type !== 'StripeAuthenticationError' ? `: ${String(message)}` : '';
  const cause = isStripeError ? new Error(`Stripe: ${facts.join(', ')}${text}`) : error;
  return fail('billing_unavailable', { cause, retryAfter: RETRY_AFTER_SECONDS });
}

/** The API version that this code was written and tested for. Stripe keeps supporting old versions. */
const API_VERSION = '2026-10-28.endive';
/** The limit of one response. A page of a hundred subscriptions takes a few hundred KiB. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Loads the SDK on first use: loading at start would double the start-up time of commands that do not need the SDK. */
export const loadStripe = () => import('stripe');

type Connection = Pick<PaymentSettings, 'apiUrl'> & Pick<ProviderOptions, 'version' | 'timeoutMs'>;

async function openStripe(secretKey: string, { apiUrl, version, timeoutMs }: Connection): Promise<Stripe> {
  const { default: Stripe } = await loadStripe();
  const address = apiUrl === undefined ? undefined : new URL(apiUrl);
  const node = Stripe.createNodeHttpClient();
  const path = address?.pathname.replace(/\/+$/, '') ?? '';
  // The SDK supports another host and port, but not a path before that of the API.
  const makeRequest: typeof node.makeRequest = async (host, port, rest, ...others) => {
    const response = await node.makeRequest(host, port, path + rest, ...others);
    const raw = response.getRawResponse() as IncomingMessage;
    return Object.assign(response, { toJSON: async () => JSON.parse(await readText(raw, timeoutMs)) });
  };
  return new Stripe(secretKey, {
    apiVersion: API_VERSION,
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
    appInfo: { name: 'Firmament', version },
    httpClient: { getClientName: () => node.getClientName(), makeRequest },
    ...(address && {
      host: address.hostname,
      port: address.port || (address.protocol === 'http:' ? 80 : 443),
      protocol: address.protocol === 'http:' ? 'http' : 'https',
    }),
  });
}

/** Bounds time and size of a response: the SDK's own time-out covers idle time only, and a response that never ends would fill our memory. */
async function readText(response: IncomingMessage, timeoutMs: number): Promise<string> {
  const timer = setTimeout(() => response.destroy(new Error('the response took too long')), timeoutMs);
  try {
    return (await readBounded(response, MAX_BYTES)).toString();
  } finally {
    clearTimeout(timer);
  }
}

export interface Buyer {
  readonly accountId: string;
  readonly email: string | null;
}

export interface CheckoutParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly provider: Provider;
  readonly settings: ReadPaymentSettings;
}

export interface VisitContext {
  /** Our own address, to which the provider's pages lead back. The address comes from the configuration, never from a request. */
  readonly publicUrl: string;
  /** Part of the provider's idempotency key, so that a repeated call opens one page. */
  readonly requestId: string;
}

/** Customers with such a subscription are sent to the portal, which asks to confirm the chosen plan if the subscription is live. */
const RUNNING = ['active', 'trialing', 'past_due', 'unpaid', 'paused'];

/** Opens pages of the provider and returns their addresses. Opening a page changes no plan: only signed events do. */
export function createCheckout({ db, clock, provider, settings }: CheckoutParts, pageTimeoutMs: number) {
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

  const turns = createTurns({ perAccount: 1, inTotal: Number.POSITIVE_INFINITY }, 'payment pages');

  /**
   * Opens one page at a time per account. An account that sends a thousand requests waits for itself and does not use
   * up the provider's rate limit for everybody else. A request that timed out in the queue does not call the provider.
   */
  function inTurn({ accountId }: Buyer, work: () => Promise<string>): Promise<string> {
    const deadline = performance.now() + pageTimeoutMs;
    const page = turns.run(accountId, deadline, work);
    return within(deadline, page, unavailable('the provider did not answer in time'));
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
