import type { PeriodTerms } from '../core/period.ts';
import { type PlanId, plans } from '../core/plans.ts';
import { isLive, type Subscription } from './subscription.ts';

/** What an account may use, derived from its subscriptions. Only a signed event changes it, never the time. */
export interface Entitlement extends PeriodTerms {
  readonly plan: PlanId;
}

export interface Known extends Subscription {
  /** The provider's second that the state is from. */
  readonly asOf: number;
}

/**
 * The subscription that counts: the live one with the best plan, then the latest end. If none is live, the one updated last.
 * The id breaks ties, so that every machine chooses the same one.
 */
export function chooseSubscription<S extends Known>(subscriptions: readonly S[]): S | undefined {
  const end = (subscription: S) => (isLive(subscription) && subscription.periodEnd) || subscription.asOf * 1_000;
  return [...subscriptions].sort((a, b) => rankOf(b) - rankOf(a) || end(b) - end(a) || (a.id < b.id ? -1 : 1))[0];
}

export function entitlementOf(subscriptions: readonly Known[]): Entitlement {
  const best = chooseSubscription(subscriptions);
  if (best === undefined || best.plan === null || !isLive(best)) {
    return { plan: 'free', periodAnchor: null, periodEnd: null };
  }
  const { plan, periodStart, periodEnd } = best;
  return { plan, periodAnchor: periodStart, periodEnd };
}

/** Plans are listed in order of price. Subscriptions that are not live rank below all plans. */
function rankOf(subscription: Known): number {
  if (subscription.plan === null || !isLive(subscription)) return 0;
  return plans.findIndex(({ id }) => id === subscription.plan);
}
