import type { Executor } from '../../accounts/charging/execute.ts';
import type { Denied, Limits, Operation } from '../../accounts/charging/operation.ts';
import { type Failure, fail } from '../../base/errors.ts';
import type { DescribedError } from '../../http/errors.ts';
import { type HttpReply, renderHeaders } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { startExchange } from './credentials.ts';

/** What charged operations need from the app, besides the services that answer them. */
export interface Charging {
  readonly version: string;
  readonly executor: Executor;
  readonly now: () => number;
  /** Logs an error that the server caused. Returns what to send for any error. */
  readonly describeError: (error: unknown, requestId: string) => DescribedError;
}

/** A request to the API and its reply: the input of its operation. */
export interface Call {
  readonly request: HttpRequest;
  readonly reply: HttpReply;
}

/**
 * Runs an operation, and sends its answer, the denial or the error. `send` finishes the reply. If `send` throws, the charge is refunded. If sending
 * takes time, `send` returns how many units were delivered.
 */
export function charge<Given, Answer>(
  { executor, now }: Charging,
  operation: Operation<Call, Given, Answer>,
  call: Call,
  send: (answer: Answer, call: Call) => undefined | Promise<number>,
  describeDenial: (denied: Denied, now: number) => Failure = denialFailure,
): void {
  const { request, reply } = call;
  const { shared } = reply;
  executor.execute(operation, startExchange(request, reply, call), (result) => {
    if (result.limits !== null) reportLimits(reply, result.limits, now());
    if (result.outcome === 'answered') return send(result.answer, call);
    reply.shared = shared;
    reply.fail(result.outcome === 'denied' ? describeDenial(result, now()) : result.error);
    return undefined;
  });
}

export function reportLimits(reply: HttpReply, limits: Limits, now: number): void {
  reply.lines = renderLimitHeaders(limits, now);
}

/**
 * How the API reports the limits of a key: `X-RateLimit-*` and `X-Monthly-Quota-*` headers, the same values as `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers, structured fields), and a 429 once a limit is reached. Accounts with the same plan and period have the same
 * terms for a minute, so the last rendered text is kept.
 */
function renderLimitHeaders(limits: Limits, now: number): string {
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
