import type { Static, TObject } from 'typebox';
import type { SignedIn } from '../../accounts/accounts.ts';
import type { Exchange, Needs, PricedOperation } from '../../accounts/charging/operation.ts';
import { type ErrorCode, fail } from '../../base/errors.ts';
import { isSecure, parseCookie, SESSION_COOKIE } from '../../base/requests/cookies.ts';
import { isCrossSite } from '../../base/requests/same-origin.ts';
import { startDeadline } from '../../base/system/deadline.ts';
import type { AccountTerms } from '../../base/usage.ts';
import { IGNORED_BODIES } from '../../http/bodies.ts';
import { requireSite } from '../../http/host.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { Answer, Route } from '../../http/route.ts';
import type { AppServices } from '../app-services.ts';
import { answers, meteredAnswers } from './answers.ts';
import { type ChargedExchange, guardBody, readBearer, takeAnswer } from './charge.ts';
import { IdempotencyHeaders, readIdempotencyKey } from './idempotency-key.ts';
import { type Api, FREE, type Row } from './operation.ts';

/**
 * A free operation of an account. With `session`, only people who are signed in may use it. With `account`, programs may use it too: requests
 * with an API key count in the rate window of the key, before validation, and a key needs the right to manage for all methods but GET.
 */
interface AccountOperation<Path extends TObject, Query extends TObject, Body extends TObject>
  extends Pick<Row, 'url' | 'operationId' | 'tag' | 'summary' | 'description' | 'bodyLimit'> {
  readonly credential: 'session' | 'account';
  /** GET if it is missing. */
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  readonly params?: Path;
  readonly querystring?: Query;
  /** Without it, a body is read and ignored. */
  readonly body?: Body;
  /** Takes the header `Idempotency-Key`. */
  readonly isRepeatable?: true;
  /** The reply that is not an error. */
  readonly replies: Readonly<Record<number, Answer>>;
  readonly codes?: readonly ErrorCode[];
  /** Returns the value to send as JSON, or undefined for a reply without a body. */
  answer(given: Static<Path> & Static<Query>, request: AccountRequest<Static<Body>>): Promise<unknown>;
}

interface AccountRequest<Body> {
  readonly api: Api;
  readonly account: AccountTerms;
  readonly body: Body;
  /** The value of the header. Undefined if it is missing. Throws `invalid_request`. */
  idempotencyKey(): string | undefined;
  /** The signed-in user. Throws if the request has an API key. */
  user(): SignedIn['user'];
}

type NoParameters = TObject<Record<never, never>>;

const SESSION_CODES = [
  'session_required',
  'invalid_session',
  'account_rate_limit_exceeded',
  'service_unavailable',
] as const satisfies ErrorCode[];

const ACCOUNT_CODES = [
  'api_key_required',
  'invalid_api_key',
  'rate_limit_exceeded',
  'invalid_session',
  'account_rate_limit_exceeded',
  'service_unavailable',
] as const satisfies ErrorCode[];

export function accountOperation<
  Path extends TObject = NoParameters,
  Query extends TObject = NoParameters,
  Body extends TObject = NoParameters,
>(row: AccountOperation<Path, Query, Body>): Row {
  const { params, querystring, body, isRepeatable, replies, codes, answer, method = 'GET', ...described } = row;
  const isChange = method !== 'GET';
  const response = describeReplies(row, [
    ...(codes ?? []),
    ...(isRepeatable ? (['idempotency_key_reused'] as const) : []),
    ...(isChange ? (['payload_too_large'] as const) : []),
    ...(body === undefined ? [] : (['unsupported_media_type'] as const)),
  ]);
  const status = Number(Object.keys(replies)[0]);
  return {
    ...described,
    ...FREE,
    method,
    ...(isChange && body === undefined && { bodies: IGNORED_BODIES }),
    schema: {
      ...(params && { params }),
      ...(querystring && { querystring }),
      ...(isRepeatable && { headers: IdempotencyHeaders }),
      ...(body && { body }),
      response,
    },
    serve(api) {
      const work = (request: HttpRequest, account: AccountTerms) =>
        answer(
          { ...(request.params as Static<Path>), ...(request.query as Static<Query>) },
          {
            api,
            account,
            body: request.body as Static<Body>,
            idempotencyKey: () => readIdempotencyKey(request.raw),
            user: () => signedInOf(request).user,
          },
        );
      if (row.credential === 'session') {
        return {
          before: [createSessionStep(api)],
          handler: async (request, reply) => {
            const answered = await work(request, signedInOf(request).account);
            return reply.code(status).send(answered as object | undefined);
          },
        };
      }
      const perform = createAccountWork(api, isChange);
      return {
        ...accountSteps(api),
        handler: async (request, reply) => {
          const answered = await perform(request, reply, (account) => work(request, account));
          return reply.code(status).send(answered as object | undefined);
        },
      };
    },
  };
}

/** The replies of an operation of an account, for the contract. */
export function describeReplies(
  {
    credential,
    method,
    replies,
  }: Pick<AccountOperation<TObject, TObject, TObject>, 'credential' | 'method' | 'replies'>,
  codes: readonly ErrorCode[],
): Record<number, Answer> {
  const isChange = method !== undefined;
  if (credential === 'session')
    return answers(replies, ...SESSION_CODES, ...(isChange ? (['csrf_rejected'] as const) : []), ...codes);
  const changing = isChange ? (['manage_right_required', 'csrf_rejected'] as const) : [];
  return meteredAnswers(answers(replies, ...ACCOUNT_CODES, ...changing, ...codes), false);
}

/** What comes before the handler of an operation that takes an API key or a session: the rate window comes before validation. */
export function accountSteps(api: Api): Required<Pick<Route, 'before' | 'refuse' | 'validatesLater'>> {
  const { before, refuse } = guardBody(api);
  const requireSession = createSessionStep(api);

  async function identify(request: HttpRequest, reply: HttpReply): Promise<void> {
    const { authorization, cookie } = request.headers;
    if (hasKey(request)) {
      for (const step of before) await step(request, reply);
      return;
    }
    if (authorization === undefined && cookie === undefined) throw fail('api_key_required', { message: NO_CREDENTIAL });
    requireSite(request.raw, api.site);
    await requireSession(request);
  }

  return { before: [identify], refuse, validatesLater: true };
}

type Perform = <T>(request: HttpRequest, reply: HttpReply, work: (account: AccountTerms) => Promise<T>) => Promise<T>;

function createAccountWork({ executor, now }: Api, isChange: boolean): Perform {
  const needs: Needs = { credential: 'key', plan: FREE.plan, ...(isChange && { right: 'manage' }) };
  return async <T>(request: HttpRequest, reply: HttpReply, work: (account: AccountTerms) => Promise<T>): Promise<T> => {
    if (request.exchange === null) {
      request.parameters?.validate(request);
      return work(signedInOf(request).account);
    }
    const operation: PricedOperation<undefined, undefined, T> = {
      needs,
      price: FREE.price,
      read: () => void request.parameters?.validate(request),
      answer: (_, { caller }) => work(caller),
    };
    return takeAnswer(reply, await executor.perform(operation, accountExchange(request, reply, undefined)), now());
  };
}

/** A request of an account on its way through the executor, with the credential that `accountSteps` has verified. */
export function accountExchange<Input>(request: HttpRequest, reply: HttpReply, input: Input): ChargedExchange<Input> {
  if (request.exchange !== null) return { ...(request.exchange as Exchange<unknown>), input, reply };
  const { account } = signedInOf(request);
  const deadline = startDeadline(request.startedAt);
  return { input, reply, credential: { kind: 'session', account }, deadline, response: reply.raw, caller: null };
}

/** As `createSessionStep` distinguishes a key from a session token. */
function hasKey({ headers }: HttpRequest): boolean {
  return headers['x-api-key'] !== undefined || readBearer(headers.authorization)?.startsWith('frm_') === true;
}

const NO_CREDENTIAL = 'An API key or a session is required: send a key in the X-API-Key header, or sign in.';

const SAFE_METHODS = ['GET', 'HEAD'];

/**
 * Authenticates a request by a session token of the identity provider or, without one, by our session cookie. API keys are
 * ignored. A browser adds the cookie to requests that other sites make, so those are rejected if they would change something.
 * Tokens are never added by a browser.
 */
function createSessionStep({ sessions, site, countRequest }: AppServices): (request: HttpRequest) => Promise<void> {
  async function authenticate(request: HttpRequest): Promise<SignedIn> {
    const { headers, method } = request;
    const bearer = readBearer(headers.authorization);
    const isKey = bearer?.startsWith('frm_') === true;
    if (bearer !== undefined && !isKey) return sessions.authenticateToken(bearer);
    const cookie = parseCookie(headers.cookie, SESSION_COOKIE, isSecure(request, site.url()));
    if (cookie === undefined || cookie === '') {
      const isOfProgram = isKey || headers['x-api-key'] !== undefined;
      throw isOfProgram ? fail('invalid_session', { message: NOT_A_KEY }) : fail('session_required');
    }
    const signedIn = await sessions.authenticateCookie(cookie);
    if (!SAFE_METHODS.includes(method) && isCrossSite(request, site)) throw fail('csrf_rejected');
    return signedIn;
  }

  return async (request) => {
    const signedIn = await authenticate(request);
    request.signedIn = signedIn;
    request.accountId = signedIn.account.accountId;
    countRequest(request.accountId);
  };
}

function signedInOf({ signedIn }: HttpRequest): SignedIn {
  if (signedIn === null) throw new Error('this operation was served without the step that requires a session');
  return signedIn as SignedIn;
}

const NOT_A_KEY = 'API keys are not accepted here: sign in or send a session token.';
