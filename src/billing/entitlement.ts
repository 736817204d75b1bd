import { addMonths, type PeriodTerms } from '../core/period.ts';
import { type PlanId, plans } from '../core/plans.ts';
import { isLive, type Subscription } from './subscription.ts';

/** What an account may use, derived from its subscriptions. */
export interface Entitlement extends PeriodTerms {
  readonly plan: PlanId;
  /** From then on the account is on the free plan. Null on the free plan, and on a plan without a subscription. */
  readonly planEndsAt: number | null;
}

export interface Known extends Subscription {
  /** The provider's second that the state is from. */
  readonly asOf: number;
  /** When the state was received, as an event or as an answer of the provider; null if that is not known. */
  readonly confirmedAt: number | null;
}

/** The instant of the decision, and how long a subscription may be late with its renewal before the provider is asked. */
export interface Terms {
  readonly now: number;
  readonly graceMs: number;
}

/** How long after the grace a plan continues although the provider cannot be asked. */
export const UNCONFIRMED_MS = 7 * 86_400_000;

/** When its renewal is overdue: the end of its period, and the grace. Without a reported end, it runs for a month. */
export function overdueAt({ periodStart, periodEnd, asOf }: Omit<Known, 'confirmedAt'>, graceMs: number): number {
  return (periodEnd ?? addMonths(periodStart ?? asOf * 1_000, 1)) + graceMs;
}

/**
 * When a live subscription stops entitling its account: a week after its renewal was overdue or the provider last
 * confirmed it, whichever is later. If it was cancelled for an earlier date, it stops then. A newer state can move the end.
 */
function endOf(subscription: Known, graceMs: number): number {
  const { cancelAt, confirmedAt } = subscription;
  const unconfirmedAt = Math.max(reportedEnd(subscription, graceMs), confirmedAt ?? 0) + UNCONFIRMED_MS;
  return cancelAt === null ? unconfirmedAt : Math.min(cancelAt, unconfirmedAt);
}

/** Depends only on what the provider reported, not on when it arrived. */
function reportedEnd(subscription: Known, graceMs: number): number {
  return Math.max(overdueAt(subscription, graceMs), subscription.asOf * 1_000);
}

/** Whether it was cancelled and has reached its end. */
export function isCancelled({ cancelAt }: Subscription, now: number): boolean {
  return cancelAt !== null && cancelAt <= now;
}

/** Whether the subscription entitles its account to the plan at this instant. */
export function isEntitling(subscription: Known, { now, graceMs }: Terms): boolean {
  return isLive(subscription) && now < endOf(subscription, graceMs);
}

/**
 * The subscription that counts: the entitling one with the best plan, then the latest end. If none entitles, the one
 * updated last. The id breaks ties, so that every machine chooses the same one.
 */
export function chooseSubscription<S extends Known>(subscriptions: readonly S[], terms: Terms): S | undefined {
  const end = (subscription: S) =>
    isEntitling(subscription, terms)
      ? Math.min(subscription.cancelAt ?? Number.POSITIVE_INFINITY, reportedEnd(subscription, terms.graceMs))
      : subscription.asOf;
  return [...subscriptions].sort(
    (a, b) => rankOf(b, terms) - rankOf(a, terms) || end(b) - end(a) || (a.id < b.id ? -1 : 1),
  )[0];
}

export function entitlementOf(subscriptions: readonly Known[], terms: Terms): Entitlement {
  const best = chooseSubscription(subscriptions, terms);
  if (best === undefined || best.plan === null || !isEntitling(best, terms)) {
    return { plan: 'free', periodAnchor: null, periodEnd: null, planEndsAt: null };
  }
  const { plan, periodStart, periodEnd } = best;
  return { plan, periodAnchor: periodStart, periodEnd, planEndsAt: endOf(best, terms.graceMs) };
}

/** Plans are listed in order of price. Subscriptions that do not entitle rank below all plans. */
function rankOf(subscription: Known, terms: Terms): number {
  if (subscription.plan === null || !isEntitling(subscription, terms)) return 0;
  return plans.findIndex(({ id }) => id === subscription.plan);
}
