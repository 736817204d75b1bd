import type { IncomingHttpHeaders } from 'node:http';
import Type, { type TObject } from 'typebox';
import type { SignedIn } from '../../accounts/accounts.ts';
import type { Executor } from '../../accounts/charging/execute.ts';
import type {
  Operation as Charged,
  Denied,
  Exchange,
  Limits,
  SecretCredential,
  UserOperation,
} from '../../accounts/charging/operation.ts';
import { type ErrorCode, type Failure, fail } from '../../base/errors.ts';
import { isSecure, parseCookie, SESSION_COOKIE } from '../../base/requests/cookies.ts';
import { isCrossSite } from '../../base/requests/same-origin.ts';
import { startDeadline } from '../../base/system/deadline.ts';
import { compileReader } from '../../base/validation.ts';
import type { TransportLimits } from '../../http/connections.ts';
import type { DescribedError } from '../../http/errors.ts';
import { type HttpReply, renderHeaders } from '../../http/reply.ts';
import { checkEncoding, type HttpRequest, requireSite } from '../../http/request.ts';
import type { Handler, Operation, Route, Step } from '../../http/route.ts';
import type { AppServices } from '../app-services.ts';
import { type Answer, answers, meteredAnswers } from './answers.ts';

/**
 * A row of the table of operations (`../table.ts`). The router, the contract, validation and the tests of every operation read it. A row is made by
 * the function for its kind, such as `publicOperation` or `dataOperation`, which adds the parts that all operations of this kind share.
 */
export interface Row extends Operation, Omit<Route, 'operation' | 'handler' | 'before'> {
  readonly schema: Schemas;
  /** Returns the handler of this operation, connected with the services of one app. Called once per app. */
  serve(api: Api): Served;
}

interface Schemas {
  readonly params?: TObject | undefined;
  readonly querystring?: TObject | undefined;
  readonly body?: TObject | undefined;
  /** The headers of a request and the responses by status, for the contract. */
  readonly headers?: TObject | undefined;
  readonly response?: Readonly<Record<number, Answer>>;
}

/** What operations use: the services, the executor that charges, and how errors are described. */
export interface Api extends AppServices {
  readonly executor: Executor;
  readonly now: () => number;
  readonly limits: TransportLimits;
  readonly contract: () => string;
  /** Logs an error that the server caused. */
  readonly reportFailure: (failure: Failure, requestId: string) => void;
  /** Logs an error that the server caused. Returns what to send for any error. */
  readonly describeError: (error: unknown, requestId: string) => DescribedError;
}

interface Served {
  readonly handler: Handler;
  /** Steps before the check of the credential. */
  readonly before?: readonly Step[];
  /** This operation for the session of a user, with parameters from a form. */
  readonly forUser?: UserOperation;
}

export type NoParameters = TObject<Record<never, never>>;

export interface Declared
  extends Omit<Row, 'method' | 'schema' | 'serve'>,
    Pick<Schemas, 'params' | 'querystring' | 'body'> {
  /** The default is GET. */
  readonly method?: Row['method'];
  readonly requestHeaders?: TObject | undefined;
  readonly replies: Readonly<Record<number, Answer>>;
  /** Error codes of this operation, in addition to those of its credential. */
  readonly codes?: readonly ErrorCode[] | undefined;
}

const ACCOUNT_CODES = ['invalid_session', 'account_rate_limit_exceeded', 'service_unavailable'] as const;
const KEY_CODES = ['api_key_required', 'invalid_api_key', 'rate_limit_exceeded'] as const;

/** The error codes of all operations that take a credential, and of those with sessions that change something. */
const CODES: Readonly<Record<Row['credential'], readonly ErrorCode[]>> = {
  none: [],
  signature: [],
  key: [...KEY_CODES, 'monthly_quota_exceeded', 'service_unavailable'],
  session: ['session_required', ...ACCOUNT_CODES],
  account: [...KEY_CODES, ...ACCOUNT_CODES],
};
const CHANGE_CODES: Readonly<Partial<Record<Row['credential'], readonly ErrorCode[]>>> = {
  session: ['csrf_rejected'],
  account: ['manage_right_required', 'csrf_rejected'],
};

/** Validates a request by the schemas of its operation. Returns the parameters of path and query. */
type Read<Given> = (request: HttpRequest) => Given;

export function makeRow<Given>(declared: Declared, serve: (api: Api, read: Read<Given>) => Served): Row {
  const { params, querystring, requestHeaders, body, replies, codes = [], ...row } = declared;
  const { credential, method = 'GET' } = row;
  const changing = method === 'GET' ? [] : (CHANGE_CODES[credential] ?? []);
  const all = answers(replies, ...CODES[credential], ...changing, ...codes);
  const isMetered = credential === 'key' || credential === 'account';
  const response = isMetered ? meteredAnswers(all, credential === 'key') : all;
  const schema = { params, querystring, headers: requestHeaders, body, response };
  return { method, ...row, schema, serve: (api) => serve(api, createRead<Given>(schema)) };
}

interface PublicOperation extends Omit<Declared, 'credential'> {
  /** The default is no credential. */
  readonly credential?: 'signature';
  /** Returns the handler, which answers a request with a value to send as JSON or with the reply. */
  answer(api: Api): Handler;
}

export function publicOperation({ answer, ...row }: PublicOperation): Row {
  return makeRow({ credential: 'none', ...row }, (api, read) => {
    const handler = answer(api);
    const validating: typeof handler = (request, reply) => {
      read(request);
      return handler(request, reply);
    };
    return { handler: row.ignoresQuery === true ? handler : validating };
  });
}

/** A charged operation that writes its own replies: files, lists of queries, pages whose price depends on their content. */
interface ChargedOperation<Given, Answered> extends Omit<Declared, 'credential'> {
  readonly method?: 'POST';
  /** The default is an API key. */
  readonly credential?: 'account';
  /** The default is any plan. */
  readonly plan?: 'paid';
  work(api: Api): Work<Charged<Call, Given, Answered>> & Sending<Given, Answered>;
}
type Work<Operation> = Operation extends unknown ? Omit<Operation, 'plan' | 'read'> : never;

interface Sending<Given, Answered> {
  /** Reads the rest of the request. By default, the parameters of path and query are all that is given. */
  read?(call: Call): Given;
  readonly send: Send<Answered>;
}

export function chargedOperation<Given, Answered>(row: ChargedOperation<Given, Answered>): Row {
  const { plan, codes = [], work, ...described } = row;
  const bodyCodes = row.method === undefined ? [] : (['payload_too_large', 'unsupported_media_type'] as const);
  const declared = { credential: 'key', ...described, codes: [...codes, ...bodyCodes] } as const;
  return makeRow<Given>(declared, (api, readParameters) => {
    const { send, read, ...own } = work(api);
    function readCall(call: Call): Given {
      const parameters = readParameters(call.request);
      return read === undefined ? parameters : read(call);
    }
    const operation = { ...own, plan, read: readCall } as Charged<Call, Given, Answered>;
    return { handler: (request, reply) => charge(api, operation, { request, reply }, send) };
  });
}

const NoQuery = Type.Object({}, { additionalProperties: false });

/** Both numbers bound the memory for known queries. */
const MAX_KNOWN_QUERIES = 1_000;
const MAX_KNOWN_LENGTH = 200;

/** Requests with one query text, which clients repeat, get one object. */
export function createRead<Given>({ params, body, querystring = NoQuery }: Schemas): Read<Given> {
  const readPath = params && compileReader(params, 'path');
  const readQuery = compileReader(querystring, 'query');
  const readBody = body && compileReader(body, 'body');
  const known = new Map<string, object>();

  function readNewQuery({ search, query }: HttpRequest): object {
    const given = Object.freeze(readQuery(query));
    if (known.size >= MAX_KNOWN_QUERIES) known.clear();
    if (search.length <= MAX_KNOWN_LENGTH) known.set(search, given);
    return given;
  }

  return (request) => {
    const given = request.body;
    const found = known.get(request.search);
    // A query that cannot be decoded is reported before the path and the body are checked.
    if (found === undefined) checkEncoding(request.search);
    const path = readPath?.(request.params);
    if (readBody !== undefined) request.body = readBody(given ?? null);
    const query = found ?? readNewQuery(request);
    return (path === undefined ? query : { ...path, ...query }) as Given;
  };
}

/** A request to the API and its reply: the input of its operation. */
export interface Call {
  readonly request: HttpRequest;
  readonly reply: HttpReply;
}

/** Completes a reply with an answer. If sending takes time, returns how many units were delivered. If it throws, the charge is refunded. */
type Send<Answer> = (answer: Answer, call: Call) => HttpReply | undefined | Promise<number>;

/** Runs an operation, and sends its answer, the denial or the error. */
export function charge<Given, Answer>(
  { executor, now }: Pick<Api, 'executor' | 'now'>,
  operation: Charged<Call, Given, Answer>,
  call: Call,
  send: Send<Answer>,
  describeDenial: (denied: Denied, now: number) => Failure = denialFailure,
): void {
  const { request, reply } = call;
  const { shared } = reply;
  executor.execute(operation, startExchange(request, reply, call), (result) => {
    if (result.limits !== null) reportLimits(reply, result.limits, now());
    if (result.outcome === 'answered') {
      const sent = send(result.answer, call);
      if (reply.state === 'complete') reply.finish();
      return sent instanceof Promise ? sent : undefined;
    }
    reply.shared = shared;
    reply.fail(result.outcome === 'denied' ? describeDenial(result, now()) : result.error);
    return undefined;
  });
}

/**
 * How the API reports the limits of a key: `X-RateLimit-*` and `X-Monthly-Quota-*` headers, the same values as `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers, structured fields), and a 429 once a limit is reached. Accounts with the same plan and period have the same
 * terms for a minute, so the last rendered text is kept.
 */
export function reportLimits(reply: HttpReply, limits: Limits, now: number): void {
  const { window, quota } = limits;
  const key = `${window.limit} ${window.resetsAt} ${quota.limit} ${quota.startsAt} ${quota.resetsAt}`;
  if (key !== terms.key) terms = { key, text: renderTerms(limits) };
  reply.lines =
    `${terms.text}x-ratelimit-remaining: ${window.remaining}\r\nx-monthly-quota-remaining: ${quota.remaining}\r\n` +
    `ratelimit: "window";r=${window.remaining};t=${secondsUntil(window.resetsAt, now)}, ` +
    `"quota";r=${quota.remaining};t=${secondsUntil(quota.resetsAt, now)}\r\n`;
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

let terms = { key: '', text: '' };

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

/** Starts a request on its way through the executor. A request whose secret is already verified keeps its exchange. */
export function startExchange<Input>(request: HttpRequest, reply: HttpReply, input: Input): Exchange<Input> {
  if (request.exchange !== null) return { ...(request.exchange as Exchange<unknown>), input };
  const signedIn = request.signedIn as SignedIn | null;
  const exchange: Exchange<Input> = {
    input,
    credential: signedIn === null ? readSecret(request) : { kind: 'session', account: signedIn.account },
    deadline: startDeadline(request.startedAt),
    response: reply.raw,
    caller: null,
  };
  if (signedIn === null) request.exchange = exchange;
  return exchange;
}

/** The reconcile link in the path or, in a path without one, the API key. */
function readSecret({ params, headers, address }: HttpRequest): SecretCredential {
  const { link } = params as { readonly link?: string };
  if (link !== undefined) return { kind: 'link', secret: link, address };
  return { kind: 'key', secret: readApiKey(headers), address };
}

/** The API key: the `X-API-Key` header or, without one, the bearer token. */
function readApiKey(headers: IncomingHttpHeaders): string | undefined {
  return String(headers['x-api-key'] ?? '').trim() || readBearer(headers.authorization);
}

/**
 * The token of an `Authorization: Bearer` header; undefined if the header is missing or has another scheme. Several headers arrive
 * joined with commas: then the whole text is returned, which is not a valid token or key.
 */
function readBearer(authorization = ''): string | undefined {
  if (!/(?:^|, )bearer +\S/i.test(authorization)) return undefined;
  return /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? authorization;
}

function hasKey({ headers }: HttpRequest): boolean {
  return headers['x-api-key'] !== undefined || readBearer(headers.authorization)?.startsWith('frm_') === true;
}

/**
 * Returns the steps that check the credential of a route before its body is read. The executor checks the key of requests without a body, because a
 * key that was used a moment ago is found at once.
 */
export function createCredentialSteps(services: AppServices, executor: Executor) {
  const { sessions, site, countRequest } = services;

  /**
   * Authenticates a request by a session token of the identity provider or, without one, by our session cookie. API keys are ignored. A browser adds
   * the cookie to requests that other sites make, so such requests are rejected if they would change something. Tokens are never added by a browser.
   */
  async function authenticate(request: HttpRequest): Promise<SignedIn> {
    const { headers, method } = request;
    const bearer = readBearer(headers.authorization);
    const isKey = hasKey(request);
    if (bearer !== undefined && !bearer.startsWith('frm_')) return sessions.authenticateToken(bearer);
    const cookie = parseCookie(headers.cookie, SESSION_COOKIE, isSecure(request, site.url()));
    if (cookie === undefined || cookie === '')
      throw isKey ? fail('invalid_session', { message: NOT_A_KEY }) : fail('session_required');
    const signedIn = await sessions.authenticateCookie(cookie);
    if (!SAFE_METHODS.includes(method) && isCrossSite(request, site)) throw fail('csrf_rejected');
    return signedIn;
  }

  async function requireSession(request: HttpRequest): Promise<void> {
    const signedIn = await authenticate(request);
    request.signedIn = signedIn;
    request.accountId = signedIn.account.accountId;
    countRequest(request.accountId);
  }

  const requireKey: Step = (request, reply) => executor.identify(startExchange(request, reply, undefined));

  const requireEither: Step = (request, reply) => {
    if (hasKey(request)) return requireKey(request, reply);
    const { authorization, cookie } = request.headers;
    if (authorization === undefined && cookie === undefined) throw fail('api_key_required', { message: NO_CREDENTIAL });
    requireSite(request.raw, site);
    return requireSession(request);
  };

  return ({ method, credential }: Pick<Route, 'method'> & Pick<Operation, 'credential'>): readonly Step[] => {
    if (credential === 'session') return [requireSession];
    if (credential === 'account') return [requireEither];
    return credential === 'key' && method === 'POST' ? [requireKey] : [];
  };
}

const SAFE_METHODS = ['GET', 'HEAD'];
const NO_CREDENTIAL = 'An API key or a session is required: send a key in the X-API-Key header, or sign in.';
const NOT_A_KEY = 'API keys are not accepted here: sign in or send a session token.';
