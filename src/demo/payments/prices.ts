import type { Stripe } from 'stripe';
import { findPlan, type PlanId } from '../../core/plans.ts';

/** What is sold: the two paid plans, by the month. */
export const PRICE_PRO = 'price_demo_pro';
export const PRICE_BUSINESS = 'price_demo_business';

export type Price = ReturnType<typeof makePrice>;
export type Plan = ReturnType<typeof planOf>;

/** 1 January 2026: before anything that a demo does. */
const SINCE = 1_767_225_600;

export const prices: readonly Price[] = [makePrice(PRICE_PRO, 'pro'), makePrice(PRICE_BUSINESS, 'business')];

export function findPrice(id: string): Price | undefined {
  return prices.find((price) => price.id === id);
}

/** For people: `€29.00 a month`. */
export function describePrice({ unit_amount }: Pick<Price, 'unit_amount'>): string {
  return `${formatAmount(unit_amount)} a month`;
}

export function formatAmount(cents: number): string {
  return `€${(cents / 100).toFixed(2)}`;
}

function makePrice(id: string, planId: PlanId) {
  const { name, monthlyPriceEur } = findPlan(planId);
  const cents = monthlyPriceEur * 100;
  return {
    id,
    object: 'price' as const,
    active: true,
    billing_scheme: 'per_unit' as const,
    created: SINCE,
    currency: 'eur',
    custom_unit_amount: null,
    livemode: false,
    lookup_key: planId as string,
    metadata: {},
    nickname: name,
    product: `prod_demo_${planId}`,
    recurring: {
      interval: 'month' as const,
      interval_count: 1,
      meter: null,
      trial_period_days: null,
      usage_type: 'licensed' as const,
    },
    tax_behavior: 'inclusive' as const,
    tiers_mode: null,
    transform_quantity: null,
    type: 'recurring' as const,
    unit_amount: cents,
    unit_amount_decimal: String(cents),
  } satisfies WithDecimalsAsText<Stripe.Price, 'unit_amount_decimal'>;
}

/** The older name of a price, which subscription items still carry. */
export function planOf(price: Price) {
  const { id, active, billing_scheme, created, currency, nickname, product, recurring, unit_amount } = price;
  return {
    id,
    object: 'plan' as const,
    active,
    amount: unit_amount,
    amount_decimal: String(unit_amount),
    billing_scheme,
    created,
    currency,
    interval: recurring.interval,
    interval_count: 1,
    livemode: false,
    metadata: {},
    meter: null,
    nickname,
    product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: recurring.usage_type,
  } satisfies WithDecimalsAsText<Stripe.Plan, 'amount_decimal'>;
}

/** As it travels: the SDK makes numbers of its own of these texts. */
type WithDecimalsAsText<T, Name extends string> = Omit<T, Name> & Record<Name, string>;
