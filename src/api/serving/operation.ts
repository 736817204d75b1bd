import Type, { type TObject } from 'typebox';
import type { Operation as Charged, UserOperation } from '../../accounts/charging/operation.ts';
import type { ErrorCode, Failure } from '../../base/errors.ts';
import { compileReader } from '../../base/validation.ts';
import type { TransportLimits } from '../../http/connections.ts';
import { checkEncoding, type HttpRequest } from '../../http/request.ts';
import type { Handler, Operation, Route, Step } from '../../http/route.ts';
import type { AppServices } from '../app-services.ts';
import { type Answer, answers, meteredAnswers } from './answers.ts';
import { type Call, type Charging, charge } from './charge.ts';

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

export interface Api extends AppServices, Charging {
  readonly limits: TransportLimits;
  readonly contract: () => string;
  /** Logs an error that the server caused. */
  readonly reportFailure: (failure: Failure, requestId: string) => void;
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
  /** Finishes the reply. If sending takes time, the function returns how many units were delivered. */
  send(answer: Answered, call: Call): undefined | Promise<number>;
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
function createRead<Given>({ params, body, querystring = NoQuery }: Schemas): Read<Given> {
  const readPath = params && compileReader(params, 'path');
  const readQuery = compileReader(querystring, 'query');
  const readBody = body && compileReader(body, 'body');
  const known = new Map<string, object>();

  function findQuery({ search, query }: HttpRequest): object {
    const found = known.get(search);
    if (found !== undefined) return found;
    const given = Object.freeze(readQuery(query));
    if (known.size >= MAX_KNOWN_QUERIES) known.clear();
    if (search.length <= MAX_KNOWN_LENGTH) known.set(search, given);
    return given;
  }

  return (request) => {
    const given = request.body;
    checkEncoding(request.search);
    const path = readPath?.(request.params);
    if (readBody !== undefined) request.body = readBody(given ?? null);
    const query = findQuery(request);
    return (path === undefined ? query : { ...path, ...query }) as Given;
  };
}
