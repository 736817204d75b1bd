import type { Stripe } from 'stripe';
import { findPlan, type PlanId } from '../../src/base/plans.ts';

/** What the sandbox sells: the two paid plans, billed monthly. */
export const PRICE_PRO = 'price_demo_pro';
export const PRICE_BUSINESS = 'price_demo_business';

export interface Price extends Pick<Stripe.Price, 'id' | 'object' | 'currency'> {
  readonly nickname: string;
  /** In cents. */
  readonly unit_amount: number;
}

export const prices: readonly Price[] = [makePrice(PRICE_PRO, 'pro'), makePrice(PRICE_BUSINESS, 'business')];

export function findPrice(id: string): Price | undefined {
  return prices.find((price) => price.id === id);
}

/** `€29.00 per month` */
export function describePrice({ unit_amount }: Price): string {
  return `${formatAmount(unit_amount)} per month`;
}

export function formatAmount(cents: number): string {
  return `€${(cents / 100).toFixed(2)}`;
}

function makePrice(id: string, planId: PlanId): Price {
  const { name, monthlyPriceEur } = findPlan(planId);
  return { id, object: 'price', currency: 'eur', nickname: name, unit_amount: monthlyPriceEur * 100 };
}
