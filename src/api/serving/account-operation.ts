import Type, { type Static, type TObject, type TString } from 'typebox';
import type { SignedIn } from '../../accounts/accounts.ts';
import type { Operation } from '../../accounts/charging/operation.ts';
import { resources } from '../../accounts/resources.ts';
import { type ErrorCode, fail } from '../../base/errors.ts';
import type { Plan } from '../../base/plans.ts';
import type { AccountTerms } from '../../base/usage.ts';
import { IGNORED_BODIES } from '../../http/bodies.ts';
import { type Answer, bare } from './answers.ts';
import { type Api, type Call, charge, makeRow, type NoParameters, type Row } from './operation.ts';

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

interface AccountRequest<Body> {
  readonly api: Api;
  readonly account: AccountTerms;
  readonly body: Body;
  readonly idempotencyKey: string | undefined;
  /** The signed-in user. Null if the request has an API key. */
  readonly user: SignedIn['user'] | null;
}

export function accountOperation<
  Path extends TObject = NoParameters,
  Query extends TObject = NoParameters,
  Body extends TObject = NoParameters,
>(row: AccountOperation<Path, Query, Body>): Row {
  type Given = Static<Path> & Static<Query>;
  const { body, isRepeatable, codes = [], answer, reply: success, status = 200, ...described } = row;
  const isChange = row.method !== undefined;
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
  return makeRow<Given>(declared, (api, read) => {
    const work = (given: Given, { request }: Call, account: AccountTerms, user: SignedIn['user'] | null) => {
      const idempotencyKey = isRepeatable && readIdempotencyKey(request.headers['idempotency-key']);
      return answer(given, { api, account, body: request.body as Static<Body>, idempotencyKey, user });
    };
    const send = (answered: unknown, { reply }: Call) => reply.code(status).send(answered as object | undefined);
    const operation: Operation<Call, Given, unknown> = {
      right: isChange ? 'manage' : undefined,
      price: 'free',
      read: ({ request }) => read(request),
      answer: (given, { input, caller }) => work(given, input, caller, null),
    };
    return {
      async handler(request, reply) {
        const call = { request, reply };
        const signedIn = request.signedIn as SignedIn | null;
        if (signedIn === null) return charge(api, operation, call, send);
        return send(await work(read(request), call, signedIn.account, signedIn.user), call);
      },
    };
  });
}

/** A kind of resource that an account creates, lists, reads, changes and deletes by id: the API of an entry of `accounts/resources.ts`. */
interface Resource<Stored, Shown> extends Pick<AccountOperation, 'tag' | 'credential' | 'bodyLimit'> {
  readonly kind: keyof typeof resources;
  readonly path: string;
  readonly params: IdParameter;
  show(stored: Stored): Shown;
}

type IdParameter = TObject<{ id: TString }>;
type Entry<Body extends TObject = NoParameters> = Omit<
  AccountOperation<NoParameters, NoParameters, Body>,
  keyof Resource<unknown, unknown> | 'url' | 'querystring'
>;
type Listing<Stored, Shown> = Omit<Entry, 'answer'> & {
  list(api: Api, accountId: string): Promise<readonly Stored[]>;
  /** Fields of `meta` besides the number of resources and the limit of the plan. */
  summarize?(shown: readonly Shown[], plan: Plan): object;
};
type OneOf<Query extends TObject, Body extends TObject> = Omit<Entry<Body>, 'answer'> & {
  readonly at?: string;
  readonly querystring?: Query;
  answer(given: { readonly id: string } & Static<Query>, request: AccountRequest<Static<Body>>): Promise<unknown>;
};
type Removal = Pick<Entry, 'operationId' | 'summary' | 'description'> & {
  readonly done?: string;
  remove(api: Api, accountId: string, id: string): Promise<void>;
};

/** Functions that make the operations of a resource, each with the path, the status and the error codes of its kind. */
export function resourceOperations<Stored, Shown>({ kind, path, params, show, ...own }: Resource<Stored, Shown>) {
  function one<Query extends TObject = NoParameters, Body extends TObject = NoParameters>(row: OneOf<Query, Body>) {
    const { at = '', codes = [], answer, ...described } = row;
    return accountOperation<IdParameter, Query, Body>({
      ...{ ...own, ...described, params, url: `${path}/:id${at}`, codes: [`${kind}_not_found`, ...codes] },
      answer: (given, request) => answer({ ...given, id: given.id.toLowerCase() }, request),
    });
  }

  return {
    list: ({ list, summarize, ...row }: Listing<Stored, Shown>) =>
      accountOperation({
        ...{ ...own, ...row, url: path },
        async answer(_given, { api, account: { accountId, plan } }) {
          const data = (await list(api, accountId)).map(show);
          return { data, meta: { count: data.length, limit: plan[resources[kind].limit], ...summarize?.(data, plan) } };
        },
      }),
    create: <Body extends TObject>({ codes = [], ...row }: Entry<Body>) =>
      accountOperation<NoParameters, NoParameters, Body>({
        ...{ ...own, ...row, method: 'POST', url: path, status: 201, isRepeatable: true },
        codes: [`${kind}_limit_reached`, ...codes],
      }),
    /** An operation on one resource, such as reading or changing it. */
    one,
    remove: ({ remove, done = 'Deleted.', ...row }: Removal) =>
      one({
        ...{ ...row, method: 'DELETE', status: 204, reply: bare(done) },
        answer: ({ id }, { api, account: { accountId } }) => remove(api, accountId, id),
      }),
  };
}

/** The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), with which a client can repeat a request safely. */

/** The shortest accepted key: shorter texts are rarely unique. */
const MIN_LENGTH = 16;
const MAX_LENGTH = 255;

/** A character of a structured field that is a string (RFC 9651). */
const QUOTED_CHARACTER = String.raw`(?:[ !#-\[\]-~]|\\["\\])`;
/** Visible ASCII without the characters that structure a field, so that two headers joined by a proxy are not taken for one key. */
const BARE_CHARACTER = String.raw`[!#-+\--:<-\[\]-~]`;

const KEY = `^(?:${BARE_CHARACTER}{${MIN_LENGTH},${MAX_LENGTH}}|"${QUOTED_CHARACTER}{${MIN_LENGTH},${MAX_LENGTH}}")$`;

export const IdempotencyHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: MIN_LENGTH,
      maxLength: 2 * MAX_LENGTH + 2,
      pattern: KEY,
      description:
        `A random text of ${MIN_LENGTH} to ${MAX_LENGTH} characters, such as a UUID, that is new for each request. If you repeat the ` +
        'request with the same key within 24 hours, nothing is made twice: the reply is `409 idempotency_key_reused` with the id ' +
        'of what the first request has made. Write the key as it is or in quotes (structured field).',
      examples: ['6f1c2c1e-4a0d-4d5e-9b57-3c2f0f4a8e11'],
    }),
  ),
});

const VALID_KEY = new RegExp(KEY);

/** The key of a header, without the quotes and escapes of a structured field. Throws `invalid_request`. */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const text = String(header);
  if (!VALID_KEY.test(text)) throw fail('invalid_request', { message: INVALID_KEY });
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}

const INVALID_KEY = `The Idempotency-Key header is not valid: send it once, with ${MIN_LENGTH} to ${MAX_LENGTH} random characters, for example a UUID.`;
