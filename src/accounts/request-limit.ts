import type { Clock } from '../core/clock.ts';
import { fail } from '../core/errors.ts';
import { minuteWindow } from '../core/period.ts';
import { createVisitorLimit } from '../core/requests/visitor-limit.ts';

/**
 * Counts a request of a signed-in user to an operation or a page of the account. Throws `account_rate_limit_exceeded` if there were
 * too many in this clock minute. They cost the databases about as much as data requests, and are not metered.
 */
export type CountRequest = (accountId: string) => void;

/** Counted in memory by each serving thread: it keeps one account from taking all of a thread, and need not be exact. */
export const ACCOUNT_REQUESTS_PER_MINUTE = 300;

export function createRequestLimit(clock: Clock): CountRequest {
  const limits = { perAddress: ACCOUNT_REQUESTS_PER_MINUTE, inTotal: Number.POSITIVE_INFINITY };
  const take = createVisitorLimit(limits, minuteWindow);
  return (accountId) => {
    const now = clock.now();
    const until = take(accountId, now);
    if (until !== undefined)
      throw fail('account_rate_limit_exceeded', { retryAfter: Math.ceil((until - now) / 1_000) });
  };
}
