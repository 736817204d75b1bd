import type { PlanId } from '../core/plans.ts';
import type { Subscription } from './subscription.ts';

/** The part of a subscription that reports and records show. */
export type Facts = Pick<
  Subscription,
  'status' | 'plan' | 'periodStart' | 'periodEnd' | 'cancelAtPeriodEnd' | 'cancelAt'
>;

/** What an operator or the server itself changed: the plan of the account, if there is one, and the subscription. */
export interface RecordedChange {
  readonly before: PlanAndSubscription;
  readonly after: PlanAndSubscription;
  /** Why a plan has ended: its cancellation took effect, or its renewal could not be confirmed. */
  readonly reason?: 'cancelled' | 'unconfirmed';
}

interface PlanAndSubscription {
  readonly plan: PlanId | null;
  readonly subscription: Facts | null;
}

export function factsOf(subscription: Subscription): Facts {
  const { status, plan, periodStart, periodEnd, cancelAtPeriodEnd, cancelAt } = subscription;
  return { status, plan, periodStart, periodEnd, cancelAtPeriodEnd, cancelAt };
}
