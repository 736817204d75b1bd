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
