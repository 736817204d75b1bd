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
 * A row of the table of operations (`../table.ts`). The router, the contract, validation and the tests of every operation read it. It is
 * made by the function for its kind, which adds what all operations of that kind have in common: `publicOperation`, `dataOperation`.
 */
export interface Row extends Operation, Omit<Route, 'operation' | 'handler' | 'before' | 'refuse' | 'validatesLater'> {
  readonly schema: NonNullable<Route['schema']>;
  readonly price: Price;
  readonly plan: Needs['plan'];
  /** Connects the row with the services that answer it. Called once per app. */
  serve(api: Api): Served;
}

/** What the functions that answer are made from. */
export interface Api extends AppServices, Charging {
  readonly limits: TransportLimits;
  /** The text of the contract. */
  readonly contract: () => string;
  /** Logs an error that the server caused. */
  readonly reportFailure: (failure: Failure, requestId: string) => void;
}

interface Served extends Pick<Route, 'handler' | 'before' | 'refuse' | 'validatesLater'> {
  /** The same operation for the session of a user, with parameters from a form. */
  readonly forUser?: UserOperation;
}

export type NoParameters = TObject<Record<never, never>>;

/** What an operation that any account may use costs if it costs nothing. */
export const FREE = { price: 'free', plan: 'any' } as const;

/** A free operation without an account. */
interface PublicOperation extends Omit<Row, 'method' | 'credential' | 'price' | 'plan' | 'schema' | 'serve'> {
  /** GET if it is missing. */
  readonly method?: 'POST';
  /** None if it is missing. */
  readonly credential?: 'signature';
  /** Its replies, besides errors. */
  readonly replies: Readonly<Record<number, Answer>>;
  readonly codes?: readonly ErrorCode[];
  /** Returns the function that answers a request, with a value to send as JSON or with the reply. */
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
