import { type Failure, fail } from '../../core/errors.ts';
import type { Denied, Limits } from '../../operations/operation.ts';

/** Adds a header to a reply. */
export type AddHeader = (name: string, value: string | number) => void;

/**
 * How the API reports the limits of a key: `X-RateLimit-*` and `X-Monthly-Quota-*` headers, the same as `RateLimit` and
 * `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers, structured fields), and a 429 once a limit is reached.
 */
export function addLimitHeaders(limits: Limits, now: number, add: AddHeader): void {
  const { window, quota } = limits;
  add('x-ratelimit-limit', window.limit);
  add('x-ratelimit-remaining', window.remaining);
  add('x-ratelimit-reset', window.resetsAt / 1000);
  add('x-monthly-quota-limit', quota.limit);
  add('x-monthly-quota-remaining', quota.remaining);
  add('x-monthly-quota-reset', formatInstant(quota.resetsAt));
  add('ratelimit-policy', formatPolicy(limits));
  add('ratelimit', formatState(limits, now));
}

export function denialFailure({ code, resetsAt, limits, units }: Denied, now: number): Failure {
  if (code !== 'insufficient_quota') return fail(code, { retryAfter: secondsUntil(resetsAt, now) });
  const { remaining } = limits.quota;
  return fail(code, {
    message: `This costs ${units} requests, and ${remaining} are left in this billing period: ask for less, or upgrade.`,
  });
}

/** Rounded up, so that a client that waits exactly this long does not retry too early. */
function secondsUntil(instant: number, now: number): number {
  return Math.max(1, Math.ceil((instant - now) / 1000));
}

function formatState({ window, quota }: Limits, now: number): string {
  return (
    `"window";r=${window.remaining};t=${secondsUntil(window.resetsAt, now)}, ` +
    `"quota";r=${quota.remaining};t=${secondsUntil(quota.resetsAt, now)}`
  );
}

/** Accounts with the same plan and period have the same policy, so the last text is kept. */
let policy = { perMinute: -1, perPeriod: -1, period: -1, text: '' };

function formatPolicy({ window, quota }: Limits): string {
  const { limit: perMinute } = window;
  const { limit: perPeriod } = quota;
  const period = quota.resetsAt - quota.startsAt;
  if (policy.perMinute !== perMinute || policy.perPeriod !== perPeriod || policy.period !== period) {
    const text = `"window";q=${perMinute};w=60, "quota";q=${perPeriod};w=${Math.round(period / 1000)}`;
    policy = { perMinute, perPeriod, period, text };
  }
  return policy.text;
}

/** Nearly all requests format the same instant, the start of the next month, so the last text is kept. */
let latest = { instant: 0, text: new Date(0).toISOString() };

function formatInstant(instant: number): string {
  if (latest.instant !== instant) latest = { instant, text: new Date(instant).toISOString() };
  return latest.text;
}
