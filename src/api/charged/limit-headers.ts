import type { Denied, Limits } from '../../accounts/charging/operation.ts';
import { type Failure, fail } from '../../base/errors.ts';
import { renderHeaders } from '../../http/reply.ts';

/**
 * How the API reports the limits of a key: `X-RateLimit-*` and `X-Monthly-Quota-*` headers, the same as `RateLimit` and
 * `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers, structured fields), and a 429 once a limit is reached. Accounts with the same
 * plan and period have the same terms for a minute, so the last text is kept.
 */
export function renderLimitHeaders(limits: Limits, now: number): string {
  const { window, quota } = limits;
  if (!isSameTerms(limits, terms.limits)) terms = { limits, text: renderTerms(limits) };
  return (
    `${terms.text}x-ratelimit-remaining: ${window.remaining}\r\nx-monthly-quota-remaining: ${quota.remaining}\r\n` +
    `ratelimit: "window";r=${window.remaining};t=${secondsUntil(window.resetsAt, now)}, ` +
    `"quota";r=${quota.remaining};t=${secondsUntil(quota.resetsAt, now)}\r\n`
  );
}

function renderTerms({ window, quota }: Limits): string {
  const period = Math.round((quota.resetsAt - quota.startsAt) / 1000);
  return renderHeaders({
    'x-ratelimit-limit': window.limit,
    'x-ratelimit-reset': window.resetsAt / 1000,
    'x-monthly-quota-limit': quota.limit,
    'x-monthly-quota-reset': new Date(quota.resetsAt).toISOString(),
    'ratelimit-policy': `"window";q=${window.limit};w=60, "quota";q=${quota.limit};w=${period}`,
  });
}

const NONE = { limit: -1, remaining: 0, startsAt: 0, resetsAt: 0 };
let terms: { readonly limits: Limits; readonly text: string } = { limits: { window: NONE, quota: NONE }, text: '' };

function isSameTerms({ window, quota }: Limits, { window: other, quota: otherQuota }: Limits): boolean {
  return (
    window.limit === other.limit &&
    window.resetsAt === other.resetsAt &&
    quota.limit === otherQuota.limit &&
    quota.resetsAt === otherQuota.resetsAt &&
    quota.startsAt === otherQuota.startsAt
  );
}

export function denialFailure({ code, resetsAt, limits, units, account }: Denied, now: number): Failure {
  const retryAfter = secondsUntil(resetsAt, now);
  if (account !== undefined) {
    const message = `All keys of this account together have used their ${account.limit} requests of this minute: wait as long as Retry-After says.`;
    return fail(code, { message, retryAfter });
  }
  if (code !== 'insufficient_quota') return fail(code, { retryAfter });
  const { remaining } = limits.quota;
  return fail(code, {
    message: `This costs ${units} requests, and ${remaining} are left in this billing period: ask for less, or upgrade.`,
  });
}

/** Rounded up, so that a client that waits exactly this long does not retry too early. */
function secondsUntil(instant: number, now: number): number {
  return Math.max(1, Math.ceil((instant - now) / 1000));
}
