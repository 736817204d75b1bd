import { type Failure, fail } from '../../core/errors.ts';
import type { Denied, Limits } from '../../operations/operation.ts';

/** Adds a header to a reply. */
export type AddHeader = (name: string, value: string | number) => void;

/**
 * How the API reports the limits of a key: `X-RateLimit-*` and `X-Monthly-Quota-*` headers, the same as `RateLimit` and
 * `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers, structured fields), and a 429 once a limit is reached.
 */
export function addLimitHeaders(limits: Limits, now: number, add: AddHeader): void {
  addTerms(limits, add);
  addRemaining(limits, now, add);
}

function addTerms({ window, quota }: Limits, add: AddHeader): void {
  const period = Math.round((quota.resetsAt - quota.startsAt) / 1000);
  add('x-ratelimit-limit', window.limit);
  add('x-ratelimit-reset', window.resetsAt / 1000);
  add('x-monthly-quota-limit', quota.limit);
  add('x-monthly-quota-reset', new Date(quota.resetsAt).toISOString());
  add('ratelimit-policy', `"window";q=${window.limit};w=60, "quota";q=${quota.limit};w=${period}`);
}

function addRemaining(limits: Limits, now: number, add: AddHeader): void {
  add('x-ratelimit-remaining', limits.window.remaining);
  add('x-monthly-quota-remaining', limits.quota.remaining);
  add('ratelimit', formatState(limits, now));
}

/** The text of these headers. Accounts with the same plan and period have the same terms for a minute, so the last text is kept. */
export function renderLimitHeaders(limits: Limits, now: number): string {
  if (!isSameTerms(limits, terms.limits)) terms = { limits, text: renderHeaders((add) => addTerms(limits, add)) };
  return terms.text + renderHeaders((add) => addRemaining(limits, now, add));
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

export function renderHeaders(addAll: (add: AddHeader) => void): string {
  let text = '';
  addAll((name, value) => {
    text += `${name}: ${value}\r\n`;
  });
  return text;
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

function formatState({ window, quota }: Limits, now: number): string {
  return (
    `"window";r=${window.remaining};t=${secondsUntil(window.resetsAt, now)}, ` +
    `"quota";r=${quota.remaining};t=${secondsUntil(quota.resetsAt, now)}`
  );
}
