import type Stripe from 'stripe';
import { Failure, fail } from '../core/errors.ts';
import type { PaidPlanId } from '../core/plans.ts';
import { openStripe } from './stripe-client.ts';
import { asRecord, type FindPlanOfPrice, type Reading, readId, readSubscription } from './subscription.ts';

/** How Stripe is reached, and what it sells for us. */
export interface PaymentSettings {
  readonly secretKey: string | undefined;
  /** Several while a secret is being rotated. */
  readonly webhookSecrets: readonly string[];
  /** Of each plan: the first one is sold, all of them are recognized. */
  readonly prices: Readonly<Record<PaidPlanId, readonly string[]>>;
  /** Another address than Stripe's own; it may have a path. */
  readonly apiUrl: string | undefined;
}

/** The settings when they are asked for: the demo's sandbox has an address only once the server listens. */
export type ReadPaymentSettings = () => PaymentSettings | undefined;

/** What we ask of the payment provider. Everything fails with `billing_unavailable` when it is down, slow or refuses. */
export interface Provider {
  isConfigured(): boolean;
  createCustomer(customer: NewCustomer): Promise<string>;
  /** Addresses of pages of the provider, good for a short time. Undefined when it does not know the customer any more. */
  createCheckout(checkout: NewCheckout): Promise<string | undefined>;
  createPortal(portal: NewPortal): Promise<string | undefined>;
  /** All subscriptions of a customer, ended ones too, latest first; undefined when the customer is not known any more. */
  listSubscriptions(customerId: string): Promise<Reading[] | undefined>;
  /** Undefined when there is no such subscription. */
  readSubscription(id: string): Promise<Reading | undefined>;
  /** Every subscription there is. */
  listAll(): AsyncIterable<Reading>;
}

export interface NewCustomer {
  readonly accountId: string;
  readonly email: string | null;
  /** The same key makes the same customer, however often it is asked for. */
  readonly idempotencyKey: string;
}

export interface NewCheckout {
  readonly customerId: string;
  readonly accountId: string;
  readonly priceId: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly idempotencyKey: string;
}

export interface NewPortal {
  readonly customerId: string;
  readonly returnUrl: string;
  readonly idempotencyKey: string;
}

export const RETRY_AFTER_SECONDS = 10;
/** Clocks of the provider's machines, and what takes a moment to be readable. */
const READING_MARGIN_SECONDS = 2;

export interface ProviderOptions {
  readonly settings: ReadPaymentSettings;
  readonly planOfPrice: FindPlanOfPrice;
  readonly version: string;
  /** Of one attempt; there are two. */
  readonly timeoutMs?: number;
}

export function createProvider(options: ProviderOptions): Provider {
  const { settings, planOfPrice, version, timeoutMs = 4_000 } = options;
  let client:
    | { readonly stripe: Promise<Stripe>; readonly secretKey: string; readonly apiUrl: string | undefined }
    | undefined;

  function connect(): Promise<Stripe> {
    const { secretKey, apiUrl } = settings() ?? {};
    if (secretKey === undefined) {
      throw fail('billing_unavailable', {
        message: 'Billing is not configured on this server.',
        retryAfter: RETRY_AFTER_SECONDS,
      });
    }
    if (client?.secretKey !== secretKey || client.apiUrl !== apiUrl) {
      client = { stripe: openStripe({ secretKey, apiUrl, version, timeoutMs }), secretKey, apiUrl };
    }
    return client.stripe;
  }

  async function call<T>(work: (stripe: Stripe) => Promise<T>): Promise<T> {
    try {
      return await work(await connect());
    } catch (error) {
      throw toFailure(error);
    }
  }

  /** What was read, and for which second at least it holds: when the answer left, less the time we waited for it. */
  function readAll(objects: readonly unknown[], headers: Record<string, string>, startedAt: number): Reading[] {
    const left = Date.parse(headers.date ?? '') || 0;
    const asOf = Math.floor((left - (performance.now() - startedAt)) / 1_000) - READING_MARGIN_SECONDS;
    return objects.flatMap((object) => {
      const subscription = readSubscription(object, planOfPrice);
      return subscription === undefined ? [] : { subscription, asOf: Math.max(asOf, 0) };
    });
  }

  return {
    isConfigured: () => settings()?.secretKey !== undefined,
    createCustomer: ({ accountId, email, idempotencyKey }) =>
      call(async ({ customers }) => {
        const customer = await customers.create(
          { metadata: { accountId }, ...(email !== null && { email }) },
          { idempotencyKey },
        );
        return requireId(customer.id);
      }),
    createCheckout: ({ customerId, accountId, priceId, successUrl, cancelUrl, idempotencyKey }) =>
      call((stripe) =>
        unlessGone(async () => {
          const session = await stripe.checkout.sessions.create(
            {
              mode: 'subscription',
              customer: customerId,
              client_reference_id: accountId,
              line_items: [{ price: priceId, quantity: 1 }],
              subscription_data: { metadata: { accountId } },
              success_url: successUrl,
              cancel_url: cancelUrl,
            },
            { idempotencyKey },
          );
          return requireAddress(session.url);
        }),
      ),
    createPortal: ({ customerId, returnUrl, idempotencyKey }) =>
      call((stripe) =>
        unlessGone(async () => {
          const parameters = { customer: customerId, return_url: returnUrl };
          return requireAddress((await stripe.billingPortal.sessions.create(parameters, { idempotencyKey })).url);
        }),
      ),
    listSubscriptions: (customerId) =>
      call((stripe) =>
        unlessGone(async () => {
          const startedAt = performance.now();
          const page = await stripe.subscriptions.list({ customer: customerId, status: 'all', limit: 100 });
          return readAll(page.data, page.lastResponse.headers, startedAt);
        }),
      ),
    readSubscription: (id) =>
      call((stripe) =>
        unlessGone(async () => {
          const startedAt = performance.now();
          const object = await stripe.subscriptions.retrieve(id);
          const [reading] = readAll([object], object.lastResponse.headers, startedAt);
          if (reading === undefined) throw new Error('the answer holds no subscription');
          return reading;
        }),
      ),
    async *listAll() {
      for (let after: string | undefined; ; ) {
        const startedAt = performance.now();
        const parameters = { status: 'all', limit: 100, ...(after && { starting_after: after }) } as const;
        const page = await call((stripe) => stripe.subscriptions.list(parameters));
        yield* readAll(page.data, page.lastResponse.headers, startedAt);
        after = page.data.at(-1)?.id;
        if (!page.has_more || after === undefined) return;
      }
    },
  };
}

async function unlessGone<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const { code, param } = asRecord(error);
    const isGone = code === 'resource_missing' && (param === 'customer' || param === 'id');
    if (isGone) return undefined;
    throw error;
  }
}

function requireId(value: unknown): string {
  const id = readId(value);
  if (id === null) throw new Error('the answer holds no id of a customer');
  return id;
}

function requireAddress(value: unknown): string {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') throw new Error('the answer holds no address of a page');
  return url.href;
}

/**
 * The log hears what kind of refusal it was and the provider's own id of the request; the error of the SDK itself holds
 * headers and bodies, and is not let further.
 */
function toFailure(error: unknown): Error {
  if (error instanceof Failure) return error;
  const { type, code, statusCode, requestId, detail, message } = asRecord(error);
  const isRefusal = typeof type === 'string' && type.startsWith('Stripe');
  const facts = [type, code, statusCode, asRecord(detail).code, requestId].filter((fact) => fact !== undefined);
  const told = isRefusal && type !== 'StripeAuthenticationError' ? `: ${String(message)}` : '';
  const cause = isRefusal ? new Error(`Stripe: ${facts.join(', ')}${told}`) : error;
  return fail('billing_unavailable', { cause, retryAfter: RETRY_AFTER_SECONDS });
}
