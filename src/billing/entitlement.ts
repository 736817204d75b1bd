import type { PeriodTerms } from '../core/period.ts';
import { type PlanId, plans } from '../core/plans.ts';
import { isLive, type Subscription } from './subscription.ts';

/** What an account may use, as far as its subscriptions tell. */
export interface Entitlement extends PeriodTerms {
  readonly plan: PlanId;
}

/** The state a subscription is known in, and since when. */
export type Known = Subscription & { readonly asOf: number };

/**
 * The subscription that counts: of the live ones that of the best plan, then the one that lasts longest; of none that is live
 * the one heard of last. The id makes it the same one on every machine.
 */
export function chooseSubscription<S extends Known>(subscriptions: readonly S[]): S | undefined {
  return [...subscriptions].sort(
    (a, b) =>
      worthOf(b) - worthOf(a) ||
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

/** Dearer is better; what is not live is worth nothing. */
function worthOf(subscription: Subscription): number {
  if (subscription.plan === null || !isLive(subscription)) return 0;
  return plans.findIndex(({ id }) => id === subscription.plan);
}
