import type { IncomingMessage } from 'node:http';
import Type, { type Static, type TObject } from 'typebox';
import type { SignedIn } from '../../accounts/accounts.ts';
import type { Context, Needs } from '../../accounts/charging/operation.ts';
import { type ErrorCode, type Failure, fail } from '../../base/errors.ts';
import { isSecure, parseCookie, SESSION_COOKIE } from '../../base/requests/cookies.ts';
import { isCrossSite } from '../../base/requests/same-origin.ts';
import type { AccountTerms } from '../../base/usage.ts';
import { IGNORED_BODIES } from '../../http/bodies.ts';
import { requireSite } from '../../http/host.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { Answer, Route } from '../../http/route.ts';
import type { AppServices } from '../app-services.ts';
import { charge, guardBody, readBearer, takeExchange } from './charge.ts';
import { type Api, makeRow, type NoParameters, type Row } from './operation.ts';

/**
 * A free operation of an account. With `session`, only people who are signed in may use it. With `account`, programs may use it too: requests
 * with an API key count in the rate window of the key, before validation, and a key needs the right to manage for all methods but GET.
 */
export interface AccountOperation<
  Path extends TObject = NoParameters,
  Query extends TObject = NoParameters,
  Body extends TObject = NoParameters,
> extends Pick<Row, 'url' | 'operationId' | 'tag' | 'summary' | 'description' | 'bodyLimit'> {
  readonly credential: 'session' | 'account';
  /** The default is GET. */
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  readonly params?: Path;
  readonly querystring?: Query;
  /** If missing, a body is read and ignored. */
  readonly body?: Body;
  /** Whether the operation takes the header `Idempotency-Key`. */
  readonly isRepeatable?: true;
  /** The reply without an error, and its status, which is 200 by default. */
  readonly reply: Answer;
  readonly status?: 201 | 202 | 204;
  readonly codes?: readonly ErrorCode[];
  /** Returns the value to send as JSON, or undefined for a reply without a body. */
  answer(given: Static<Path> & Static<Query>, request: AccountRequest<Static<Body>>): Promise<unknown>;
}

export interface AccountRequest<Body> {
  readonly api: Api;
  readonly account: AccountTerms;
  readonly body: Body;
  /** The value of the header `Idempotency-Key`. Undefined if it is missing. Throws `invalid_request`. */
  idempotencyKey(): string | undefined;
  /** The signed-in user. Throws if the request has an API key. */
  user(): SignedIn['user'];
}

export function accountOperation<
  Path extends TObject = NoParameters,
  Query extends TObject = NoParameters,
  Body extends TObject = NoParameters,
>(row: AccountOperation<Path, Query, Body>): Row {
  const { body, isRepeatable, codes = [], answer, reply: success, status = 200, ...described } = row;
  const { credential, method = 'GET' } = row;
  const isChange = method !== 'GET';
  const needs: Needs = { credential: 'key', plan: 'any', ...(isChange && { right: 'manage' }) };
  const declared = {
    ...described,
    body,
    requestHeaders: isRepeatable && IdempotencyHeaders,
    bodies: isChange && body === undefined ? IGNORED_BODIES : undefined,
    replies: { [status]: success },
    codes: [
      ...codes,
      ...(isRepeatable ? (['idempotency_key_reused'] as const) : []),
      ...(isChange ? (['payload_too_large'] as const) : []),
      ...(body === undefined ? [] : (['unsupported_media_type'] as const)),
    ],
  };
  return makeRow(declared, (api) => ({
    ...(credential === 'session' ? { before: [createSessionStep(api)], validatesLater: true } : accountSteps(api)),
    async handler(request, reply) {
      const read = () => void request.parameters?.validate(request);
      const work = (account: AccountTerms) =>
        answer(
          { ...(request.params as Static<Path>), ...(request.query as Static<Query>) },
          {
            ...{ api, account, body: request.body as Static<Body> },
            idempotencyKey: () => readIdempotencyKey(request.raw),
            user: () => signedInOf(request).user,
          },
        );
      const send = (answered: unknown) => reply.code(status).send(answered as object | undefined);
      if (request.exchange === null) {
        read();
        return send(await work(signedInOf(request).account));
      }
      const answerKey = (_: unknown, { caller }: Context<unknown>) => work(caller);
      const operation = { needs, price: 'free', read, answer: answerKey } as const;
      return charge(
        api,
        operation,
        takeExchange(request, reply, undefined),
        (answered) => void send(answered).finish(),
      );
    },
  }));
}

/** The steps before the handler of an operation that takes an API key or a session: the rate window comes before validation. */
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

/** Distinguishes a key from a session token by the rule of `createSessionStep`. */
function hasKey({ headers }: HttpRequest): boolean {
  return headers['x-api-key'] !== undefined || readBearer(headers.authorization)?.startsWith('frm_') === true;
}

const NO_CREDENTIAL = 'An API key or a session is required: send a key in the X-API-Key header, or sign in.';

const SAFE_METHODS = ['GET', 'HEAD'];

/**
 * Authenticates a request by a session token of the identity provider or, without one, by our session cookie. API keys are ignored. A browser adds
 * the cookie to requests that other sites make, so such requests are rejected if they would change something. Tokens are never added by a browser.
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

/** The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), with which a client can repeat a request safely. */

/** The shortest accepted key: shorter texts are rarely unique. */
const MIN_LENGTH = 16;
const MAX_LENGTH = 255;

/** A character of a structured field that is a string (RFC 9651). */
const QUOTED_CHARACTER = String.raw`(?:[ !#-\[\]-~]|\\["\\])`;
/** Visible ASCII without the characters that structure a field, so that two headers joined by a proxy are not taken for one key. */
const BARE_CHARACTER = String.raw`[!#-+\--:<-\[\]-~]`;

export const IdempotencyHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: MIN_LENGTH,
      maxLength: 2 * MAX_LENGTH + 2,
      pattern: `^(?:${BARE_CHARACTER}{${MIN_LENGTH},${MAX_LENGTH}}|"${QUOTED_CHARACTER}{${MIN_LENGTH},${MAX_LENGTH}}")$`,
      description:
        `A random text of ${MIN_LENGTH} to ${MAX_LENGTH} characters, such as a UUID, that is new for each request. If you repeat the ` +
        'request with the same key within 24 hours, nothing is made twice: the reply is `409 idempotency_key_reused` with the id ' +
        'of what the first request has made. Write the key as it is or in quotes (structured field).',
      examples: ['6f1c2c1e-4a0d-4d5e-9b57-3c2f0f4a8e11'],
    }),
  ),
});

const QUOTED = new RegExp(`^"(${QUOTED_CHARACTER}*)"$`);
const BARE = new RegExp(`^${BARE_CHARACTER}+$`);

/** Returns undefined if the header is missing, and throws `invalid_request` if it is not valid. */
export function readIdempotencyKey({ headersDistinct }: IncomingMessage): string | undefined {
  const [field, ...others] = headersDistinct['idempotency-key'] ?? [];
  if (field === undefined) return undefined;
  if (others.length > 0) throw reject('was sent more than once: send it once.');
  const key = QUOTED.exec(field)?.[1]?.replace(/\\(.)/g, '$1') ?? BARE.exec(field)?.[0];
  const advice = `send ${MIN_LENGTH} to ${MAX_LENGTH} random characters, for example a UUID.`;
  if (key === undefined) throw reject(`is empty or contains characters that are not allowed: ${advice}`);
  if (key.length < MIN_LENGTH || key.length > MAX_LENGTH) throw reject(`has ${key.length} characters: ${advice}`);
  return key;
}

function reject(problem: string): Failure {
  return fail('invalid_request', { message: `The Idempotency-Key header ${problem}` });
}
