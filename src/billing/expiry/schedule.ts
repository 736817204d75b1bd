import { type Known, overdueAt, type Terms } from '../entitlement.ts';
import { isLive } from '../subscription.ts';

const MINUTE = 60_000;
/** The provider is asked again after an eighth of the time that a subscription is overdue, within these bounds. */
const BACKOFF_SHARE = 8;
const MIN_BACKOFF_MS = 5 * MINUTE;
const MAX_BACKOFF_MS = 6 * 60 * MINUTE;

/** When to ask the provider about a subscription, if no event says more by then; null if it is not live. */
export function nextCheckAt(subscription: Omit<Known, 'confirmedAt'>, { now, graceMs }: Terms): number | null {
  if (!isLive(subscription)) return null;
  const dueAt = overdueAt(subscription, graceMs);
  if (dueAt > now) return dueAt;
  const backoff = Math.round((now - dueAt) / BACKOFF_SHARE);
  return now + Math.min(Math.max(backoff, MIN_BACKOFF_MS), MAX_BACKOFF_MS);
}
