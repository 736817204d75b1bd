import type { TObject } from 'typebox';
import type { Needs, Price, UserOperation } from '../../accounts/charging/operation.ts';
import type { ErrorCode, Failure } from '../../base/errors.ts';
import type { TransportLimits } from '../../http/connections.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { Answer, Operation, Route } from '../../http/route.ts';
import type { AppServices } from '../app-services.ts';
import { answers } from './answers.ts';
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

/** The price and plan of a free operation that any account may use. */
export const FREE = { price: 'free', plan: 'any' } as const;

/** A free operation without an account. */
interface PublicOperation extends Omit<Row, 'method' | 'credential' | 'price' | 'plan' | 'schema' | 'serve'> {
  /** The default is GET. */
  readonly method?: 'POST';
  /** The default is no credential. */
  readonly credential?: 'signature';
  /** Replies other than errors. */
  readonly replies: Readonly<Record<number, Answer>>;
  readonly codes?: readonly ErrorCode[];
  /** Returns the handler, which answers a request with a value to send as JSON or with the reply. */
  answer(api: Api): (request: HttpRequest, reply: HttpReply) => unknown;
}

export function publicOperation({ replies, codes = [], answer, ...row }: PublicOperation): Row {
  return {
    method: 'GET',
    credential: 'none',
    ...FREE,
    ...row,
    schema: { response: answers(replies, ...codes) },
    serve: (api) => ({ handler: answer(api) }),
  };
}
