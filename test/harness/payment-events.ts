import { createHmac, randomUUID } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import type { PlanId } from '../../src/base/plans.ts';
import type { Services } from '../../src/services/services.ts';

/** The billing settings of test services: tests change plans with signed events, like the provider. */
export const WEBHOOK_SECRET = 'whsec_test_of_firmament';
export const PRICES = { pro: 'price_test_pro', business: 'price_test_business' } as const;
export const paymentEnv = {
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  STRIPE_PRICE_PRO: PRICES.pro,
  STRIPE_PRICE_BUSINESS: PRICES.business,
} as const;

/** Makes the signature header of a body, like Stripe. */
export function sign(body: string | Uint8Array, now: number, secret = WEBHOOK_SECRET): string {
  const time = Math.floor(now / 1_000);
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')}`;
}

export interface EventFields {
  readonly id?: string;
  readonly type: string;
  /** Unix seconds. */
  readonly created: number;
  readonly object: object;
}

export function renderEvent({ id = `evt_${randomUUID()}`, type, created, object }: EventFields): string {
  return JSON.stringify({ id, object: 'event', type, created, livemode: false, data: { object } });
}

export interface SubscriptionFields {
  readonly id: string;
  readonly customer?: string | null;
  readonly accountId?: string;
  readonly status?: string;
  readonly price?: string;
  /** Unix seconds. */
  readonly period?: readonly [start: number, end: number];
  /** Puts the period on the subscription, as older API versions do. */
  readonly periodOnTop?: boolean;
  readonly cancelAtPeriodEnd?: boolean;
}

export function renderSubscription(fields: SubscriptionFields): object {
  const { id, customer, accountId, status = 'active', price = PRICES.pro, period, periodOnTop = false } = fields;
  const times = period && { current_period_start: period[0], current_period_end: period[1] };
  return {
    id,
    object: 'subscription',
    customer: customer === undefined ? `cus_of_${id}` : customer,
    status,
    cancel_at_period_end: fields.cancelAtPeriodEnd ?? false,
    metadata: accountId === undefined ? {} : { accountId },
    ...(periodOnTop && times),
    items: {
      object: 'list',
      data: [{ id: `si_${id}`, object: 'subscription_item', price: { id: price }, ...(!periodOnTop && times) }],
    },
  };
}

/** Added to the time of an event, so that it is later than the one before it of the same account, even if the clock stands still. */
const grants = new Map<string, number>();

export interface Grant {
  /** The paid period; default: the calendar month. */
  readonly period?: { readonly start: string; readonly end?: string };
}

/** Puts an account on a plan with an event like the provider's. */
export async function grantPlan(
  { billing, clock }: Pick<Services, 'billing'> & { clock: Clock },
  accountId: string,
  plan: PlanId,
  { period }: Grant = {},
): Promise<void> {
  const earlier = grants.get(accountId) ?? 0;
  grants.set(accountId, earlier + 1);
  const [start, end] = [period?.start, period?.end].map((text) => text && Date.parse(text) / 1_000);
  const object = {
    ...renderSubscription({ id: `sub_of_${accountId}`, accountId, price: plan === 'free' ? PRICES.pro : PRICES[plan] }),
    status: plan === 'free' ? 'canceled' : 'active',
    ...(start && { current_period_start: start }),
    ...(end && { current_period_end: end }),
  };
  const created = Math.floor(clock.now() / 1_000) + earlier;
  const body = renderEvent({ type: 'customer.subscription.updated', created, object });
  const { stale } = await billing.receive(Buffer.from(body), sign(body, clock.now()));
  if (stale) throw new Error('the plan of a test account was not granted');
}
