import type { IncomingHttpHeaders } from 'node:http';
import type { SignedIn } from '../../accounts/accounts.ts';
import type { Executor } from '../../accounts/charging/execute.ts';
import type { Denied, Exchange, Limits, Operation, SecretCredential } from '../../accounts/charging/operation.ts';
import { type Failure, fail } from '../../base/errors.ts';
import { startDeadline } from '../../base/system/deadline.ts';
import type { DescribedError } from '../../http/errors.ts';
import { type HttpReply, renderHeaders } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { RouteOptions } from '../../http/route.ts';

/** What charged operations need from the app, besides the services that answer them. */
export interface Charging {
  readonly version: string;
  readonly executor: Executor;
  readonly now: () => number;
  /** Logs an error that the server caused. Returns what to send for any error. */
  readonly describeError: (error: unknown, requestId: string) => DescribedError;
}

/** A request on its way through the executor, with its reply. The log reads the caller from this object. */
export type ChargedExchange<Input> = Exchange<Input> & { readonly reply: HttpReply };

/** Returns the exchange of a request whose credential is already verified, or a new exchange. */
export function takeExchange<Input>(request: HttpRequest, reply: HttpReply, input: Input): ChargedExchange<Input> {
  if (request.exchange !== null) return { ...(request.exchange as Exchange<unknown>), input, reply };
  const signedIn = request.signedIn as SignedIn | null;
  const exchange: ChargedExchange<Input> = {
    input,
    reply,
    credential: signedIn === null ? readSecret(request) : { kind: 'session', account: signedIn.account },
    deadline: startDeadline(request.startedAt),
    response: reply.raw,
    caller: null,
  };
  if (signedIn === null) request.exchange = exchange;
  return exchange;
}

/**
 * Runs an operation, and sends its answer, the denial or the error. `send` finishes the reply. If `send` throws, the charge is refunded. If sending
 * takes time, `send` returns how many units were delivered.
 */
export function charge<Input, Given, Answer>(
  { executor, now }: Charging,
  operation: Operation<Input, Given, Answer>,
  exchange: ChargedExchange<Input>,
  send: (answer: Answer) => undefined | Promise<number>,
  describeDenial: (denied: Denied, now: number) => Failure = denialFailure,
): void {
  const { reply } = exchange;
  const { shared } = reply;
  executor.execute(operation, exchange, (result) => {
    if (result.limits !== null) reportLimits(reply, result.limits, now());
    if (result.outcome === 'answered') return send(result.answer);
    reply.shared = shared;
    reply.fail(result.outcome === 'denied' ? describeDenial(result, now()) : result.error);
    return undefined;
  });
}

export function reportLimits(reply: HttpReply, limits: Limits, now: number): void {
  reply.lines = renderLimitHeaders(limits, now);
}

/** The validated parameters of path and query. */
export function readParameters<Given>(request: HttpRequest): Given {
  return request.parameters?.read(request) as Given;
}

/**
 * For charged routes with a body. The key or link is verified before the body is read. A body that cannot be read, because it is too large
 * or not JSON, counts in the rate window as well.
 */
export function guardBody(charging: Charging): Required<Pick<RouteOptions, 'before' | 'refuse'>> {
  return {
    before: [(request, reply) => charging.executor.identify(takeExchange(request, reply, undefined))],
    refuse(error, request, reply) {
      if (request.exchange === null) throw error;
      const exchange = takeExchange(request, reply, undefined);
      const read = () => {
        throw error;
      };
      const needs = { credential: exchange.credential.kind, plan: 'any' } as const;
      charge(charging, { needs, price: 'free', read, answer: () => undefined }, exchange, () => undefined);
    },
  };
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

/**
 * The token of an `Authorization: Bearer` header; undefined if the header is missing or has another scheme. Several headers arrive
 * joined with commas: then the whole text is returned, which is not a valid token or key.
 */
export function readBearer(authorization = ''): string | undefined {
  if (!/(?:^|, )bearer +\S/i.test(authorization)) return undefined;
  return /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? authorization;
}

/** The API key: the `X-API-Key` header or, without one, the bearer token. */
function readApiKey(headers: IncomingHttpHeaders): string | undefined {
  return String(headers['x-api-key'] ?? '').trim() || readBearer(headers.authorization);
}

/** The reconcile link in the path or, in a path without one, the API key. */
function readSecret({ params, headers, address }: HttpRequest): SecretCredential {
  const { link } = params as { readonly link?: string };
  if (link !== undefined) return { kind: 'link', secret: link, address };
  return { kind: 'key', secret: readApiKey(headers), address };
}
