import type { TObject } from 'typebox';
import type { Needs, Price, UserOperation } from '../../accounts/charging/operation.ts';
import type { ErrorCode, Failure } from '../../base/errors.ts';
import type { TransportLimits } from '../../http/connections.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { Answer, Operation, Route } from '../../http/route.ts';
import type { AppServices } from '../app-services.ts';
import { answers, meteredAnswers } from './answers.ts';
import type { Charging } from './charge.ts';

/**
 * A row of the table of operations (`../table.ts`). The router, the contract, validation and the tests of every operation read it. A row is made by
 * the function for its kind, such as `publicOperation` or `dataOperation`, which adds the parts that all operations of this kind share.
 */
export interface Row extends Operation, Omit<Route, 'operation' | 'handler' | 'before' | 'refuse' | 'validatesLater'> {
  readonly schema: NonNullable<Route['schema']>;
  readonly price: Price;
  readonly plan: Needs['plan'];
  /** Returns the handler of this operation, connected with the services of one app. Called once per app. */
  serve(api: Api): Served;
}

/** The services and functions that handlers are made from. */
export interface Api extends AppServices, Charging {
  readonly limits: TransportLimits;
  /** The text of the contract. */
  readonly contract: () => string;
  /** Logs an error that the server caused. */
  readonly reportFailure: (failure: Failure, requestId: string) => void;
}

interface Served extends Pick<Route, 'handler' | 'before' | 'refuse' | 'validatesLater'> {
  /** This operation for the session of a user, with parameters from a form. */
  readonly forUser?: UserOperation;
}

export type NoParameters = TObject<Record<never, never>>;

/** What operations of all kinds declare. */
export interface Declared
  extends Omit<Row, 'method' | 'price' | 'plan' | 'schema' | 'serve'>,
    Omit<Row['schema'], 'headers' | 'response'> {
  /** The default is GET. */
  readonly method?: Row['method'];
  /** The default is a free operation. */
  readonly price?: Price;
  /** The default is any plan. */
  readonly plan?: Needs['plan'];
  /** The headers of a request. */
  readonly requestHeaders?: TObject | undefined;
  /** Replies other than errors. */
  readonly replies: Readonly<Record<number, Answer>>;
  /** Error codes of this operation, in addition to those of its credential. */
  readonly codes?: readonly ErrorCode[];
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

export function makeRow(declared: Declared, serve: Row['serve']): Row {
  const { params, querystring, requestHeaders, body, replies, codes = [], ...row } = declared;
  const { credential, method = 'GET' } = row;
  const changing = method === 'GET' ? [] : (CHANGE_CODES[credential] ?? []);
  const all = answers(replies, ...CODES[credential], ...changing, ...codes);
  const isMetered = credential === 'key' || credential === 'account';
  const response = isMetered ? meteredAnswers(all, credential === 'key') : all;
  return {
    ...{ method, price: 'free', plan: 'any', ...row },
    ...{ schema: { params, querystring, headers: requestHeaders, body, response }, serve },
  };
}

/** A free operation without an account. */
interface PublicOperation extends Omit<Declared, 'credential'> {
  /** The default is no credential. */
  readonly credential?: 'signature';
  /** Returns the handler, which answers a request with a value to send as JSON or with the reply. */
  answer(api: Api): (request: HttpRequest, reply: HttpReply) => unknown;
}

export function publicOperation({ answer, ...row }: PublicOperation): Row {
  return makeRow({ credential: 'none', ...row }, (api) => ({ handler: answer(api) }));
}
