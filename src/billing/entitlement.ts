import type { PeriodTerms } from '../core/period.ts';
import { type PlanId, plans } from '../core/plans.ts';
import { isLive, type Subscription } from './subscription.ts';

/** What an account may use, derived from its subscriptions. */
export interface Entitlement extends PeriodTerms {
  readonly plan: PlanId;
}

/** A stored subscription; `asOf` is the provider's second its state is from. */
export type Known = Subscription & { readonly asOf: number };

/**
 * The subscription that counts: the live one with the best plan, then the latest end. If none is live, the one updated
 * last. The id breaks ties, so that every machine chooses the same one.
 */
export function chooseSubscription<S extends Known>(subscriptions: readonly S[]): S | undefined {
  return [...subscriptions].sort(
    (a, b) =>
      rankOf(b) - rankOf(a) ||
      (isLive(a) ? (b.periodEnd ?? 0) - (a.periodEnd ?? 0) : b.asOf - a.asOf) ||
      (a.id < b.id ? -1 : 1),
  )[0];
}

export function entitlementOf(subscriptions: readonly Known[]): Entitlement {
  const best = chooseSubscription(subscriptions);
  if (best === undefined || best.plan === null || !isLive(best)) {
    return { plan: 'free', periodAnchor: null, periodEnd: null };
  }
  return { plan: best.plan, periodAnchor: best.periodStart, periodEnd: best.periodEnd };
}

/** Plans are listed in order of price. Subscriptions that are not live rank below all plans. */
function rankOf(subscription: Subscription): number {
  if (subscription.plan === null || !isLive(subscription)) return 0;
  return plans.findIndex(({ id }) => id === subscription.plan);
}
