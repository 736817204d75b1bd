import { type Failure, fail } from '../core/errors.ts';
import type { Denial, Limits } from '../metering/charge.ts';

/** How the API reports the limits of a key: `X-RateLimit-*` and `X-Monthly-Quota-*` headers, and a 429 once one is reached. */
export function writeLimitHeaders({ window, quota }: Limits): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(window.limit),
    'X-RateLimit-Remaining': String(window.remaining),
    'X-RateLimit-Reset': String(window.resetsAt / 1000),
    'X-Monthly-Quota-Limit': String(quota.limit),
    'X-Monthly-Quota-Remaining': String(quota.remaining),
    'X-Monthly-Quota-Reset': formatInstant(quota.resetsAt),
  };
}

/** The same headers as they are sent. */
export function renderLimits({ window, quota }: Limits): string {
  return (
    `x-ratelimit-limit: ${window.limit}\r\nx-ratelimit-remaining: ${window.remaining}\r\n` +
    `x-ratelimit-reset: ${window.resetsAt / 1000}\r\nx-monthly-quota-limit: ${quota.limit}\r\n` +
    `x-monthly-quota-remaining: ${quota.remaining}\r\nx-monthly-quota-reset: ${formatInstant(quota.resetsAt)}\r\n`
  );
}

export function denialFailure({ code, resetsAt }: Denial, now: number): Failure {
  // Rounded up, so that a client that waits exactly this long does not retry too early.
  return fail(code, { retryAfter: Math.max(1, Math.ceil((resetsAt - now) / 1000)) });
}

/** Nearly all requests format the same instant, the start of the next month, so the last text is kept. */
let latest = { instant: 0, text: new Date(0).toISOString() };

function formatInstant(instant: number): string {
  if (latest.instant !== instant) latest = { instant, text: new Date(instant).toISOString() };
  return latest.text;
}
