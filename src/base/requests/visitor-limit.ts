import type { Clock } from '../clock.ts';
import { fail } from '../errors.ts';
import { minuteWindow, type Span } from '../plans.ts';

/**
 * Limits on the requests of visitors who are not signed in, in a span of time: per address, and for all visitors together. The limits keep previews
 * from being used to copy the data. Requests are counted in memory by each serving thread. Limits of accounts have the account in place of the address.
 */
export interface VisitorLimits {
  readonly perAddress: number;
  readonly inTotal: number;
}

/** Counts one use by an address. If a limit is reached, counts nothing and returns when the next span starts, in epoch ms. */
type TakeVisit = (address: string, now: number) => number | undefined;

/** `spanAround` returns the span that contains an instant, such as its clock minute. */
export function createVisitorLimit(
  { perAddress, inTotal }: VisitorLimits,
  spanAround: (now: number) => Span,
): TakeVisit {
  let current = 0;
  let total = 0;
  const byAddress = new Map<string, number>();
  return (address, now) => {
    const { start, end } = spanAround(now);
    if (start !== current) {
      current = start;
      total = 0;
      byAddress.clear();
    }
    const taken = byAddress.get(address) ?? 0;
    if (taken >= perAddress || total >= inTotal) return end;
    // The map is emptied with each span, and holds at most `inTotal` addresses, because no more visits are accepted per span.
    byAddress.set(address, taken + 1);
    total++;
    return undefined;
  };
}

/**
 * Counts a request of a signed-in user to an operation or a page of the account. Throws `account_rate_limit_exceeded` if the account has sent too
 * many in this clock minute. These requests cost the databases about as much as data requests, and are not metered.
 */
export type CountRequest = (accountId: string) => void;

/** Counted in memory by each serving thread: the limit keeps one account from using up a thread, and need not be exact. */
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
