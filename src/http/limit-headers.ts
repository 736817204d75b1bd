import { type Failure, fail } from '../core/errors.ts';
import type { Denial, Limits } from '../metering/charge.ts';

/**
 * How the API reports the limits of a key: `X-RateLimit-*` and `X-Monthly-Quota-*` headers, the same as `RateLimit` and
 * `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers, structured fields), and a 429 once a limit is reached.
 */
export function writeLimitHeaders(limits: Limits, now: number): Record<string, string> {
  const { window, quota } = limits;
  return {
    'X-RateLimit-Limit': String(window.limit),
    'X-RateLimit-Remaining': String(window.remaining),
    'X-RateLimit-Reset': String(window.resetsAt / 1000),
    'X-Monthly-Quota-Limit': String(quota.limit),
    'X-Monthly-Quota-Remaining': String(quota.remaining),
    'X-Monthly-Quota-Reset': formatInstant(quota.resetsAt),
    'RateLimit-Policy': formatPolicy(limits),
    RateLimit: formatState(limits, now),
  };
}

/** The same headers as they are sent. */
export function renderLimits(limits: Limits, now: number): string {
  const { window, quota } = limits;
  return (
    `x-ratelimit-limit: ${window.limit}\r\nx-ratelimit-remaining: ${window.remaining}\r\n` +
    `x-ratelimit-reset: ${window.resetsAt / 1000}\r\nx-monthly-quota-limit: ${quota.limit}\r\n` +
    `x-monthly-quota-remaining: ${quota.remaining}\r\nx-monthly-quota-reset: ${formatInstant(quota.resetsAt)}\r\n` +
    `ratelimit-policy: ${formatPolicy(limits)}\r\nratelimit: ${formatState(limits, now)}\r\n`
  );
}

export function denialFailure({ code, resetsAt }: Denial, now: number): Failure {
  return fail(code, code === 'insufficient_quota' ? {} : { retryAfter: secondsUntil(resetsAt, now) });
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
