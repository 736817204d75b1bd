import type { ServerResponse } from 'node:http';
import type { ErrorCode } from '../../base/errors.ts';
import type { Plan } from '../../base/plans.ts';
import type { Deadline } from '../../base/system/deadline.ts';
import type { AccountTerms, Caller } from '../../base/usage.ts';
import type { Allowance, Decision } from '../metering/decisions.ts';

/** A charged operation, as data. Only the executor (`execute.ts`) reads the fields, so no route, tool or page can forget one. */
export type Operation<Input, Given, Answer> =
  | PricedOperation<Input, Given, Answer>
  | QuotedOperation<Input, Given, Answer>
  | BatchOperation<Input, Given, Answer>;

interface OperationBase<Input, Given> {
  /** API keys without this right get `manage_right_required`. */
  readonly right?: 'manage' | undefined;
  /** Accounts on the free plan get `plan_required`, with this message or the general one. The default is any plan. */
  readonly plan?: 'paid' | undefined;
  readonly planMessage?: string;
  read(input: Input): Given;
  /** How much longer than other requests this operation may take, in milliseconds, such as the time that the client wants to wait. */
  waitMs?(given: Given): number;
}

/** An operation whose price is known before it starts: nothing, or one unit of the quota. */
export interface PricedOperation<Input, Given, Answer> extends OperationBase<Input, Given> {
  readonly price: 'free' | 'unit';
  /** If it throws, the unit is refunded, so everything that can fail belongs here, including rendering. */
  answer(given: Given, context: Context<Input>): Answer | Promise<Answer>;
  isFree?(answer: Answer): boolean;
}

/** An operation that costs several units, which are known when the work has begun but before anything is sent. */
export interface QuotedOperation<Input, Given, Answer> extends OperationBase<Input, Given> {
  readonly price: 'quoted';
  /** Calls `sell` once. Resources of the operation, such as a snapshot of the data, stay open until the answer is delivered. */
  quote(given: Given, context: Context<Input>, sell: Sell<Answer>): Promise<void>;
}

/** An operation of several parts that cost one unit each. All parts are charged before any work, and those that fail are refunded. */
export interface BatchOperation<Input, Given, Answer> extends OperationBase<Input, Given> {
  readonly price: 'batch';
  countUnits(given: Given): number;
  /** An error refunds all units. When the client has gone, the operation stops and keeps the units of the completed parts. */
  answer(given: Given, context: BatchContext<Input>): Promise<BatchAnswer<Answer>>;
}

export interface BatchAnswer<Answer> {
  readonly answer: Answer;
  /** How many units the caller pays for. The rest is refunded before the answer is written. */
  readonly units: number;
}

/** Charges all units, or none, and has the answer written. An answer of 0 units is free. */
export type Sell<Answer> = (units: number, answer: Answer) => Promise<void>;

export interface Context<Input> {
  readonly input: Input;
  readonly caller: Caller;
  readonly deadline: Deadline;
  /** What is left of the rate window and the quota after this request. */
  readonly limits: Limits;
}

export interface BatchContext<Input> extends Context<Input> {
  /** Whether the client has gone, so that the answer cannot be sent. */
  isGone(): boolean;
}

/** An API key or the secret of a reconcile link as it was sent, or the account that a session has signed in to. */
export type Credential = SecretCredential | { readonly kind: 'session'; readonly account: AccountTerms };

export interface SecretCredential {
  readonly kind: 'key' | 'link';
  readonly secret: string | undefined;
  readonly address: string;
}

/** A request on its way through the executor, with its credential and deadline. */
export interface Exchange<Input> {
  readonly input: Input;
  readonly credential: Credential;
  readonly deadline: Deadline;
  /** Where the reply is written to. An answer that cannot be sent any more is free; of a batch, the completed parts cost their units. */
  readonly response?: ResponseStream | undefined;
  /** The caller, for the log. Set as soon as the credential is verified. */
  caller: Caller | null;
}

/** The stream that a response is written to: a `ServerResponse`, or another stream. */
export interface ResponseStream {
  readonly destroyed: boolean;
  readonly socket?: { readonly writable: boolean } | null;
}

/** Runs an operation of the API for a signed-in user. Its parameters are texts, as in a URL, and its price is that of a request with a key. */
export type UserOperation = (
  values: Readonly<Record<string, string>>,
  exchange: Omit<Exchange<unknown>, 'input'> & { readonly response: ServerResponse },
) => Promise<Reply<{ readonly body: string | Uint8Array | null }>>;

export type Limits = Pick<Decision, 'window' | 'quota'>;

/** The outcome of a request, as a value. Writers turn it into bytes. */
export type Reply<Answer> = Answered<Answer> | Denied | Failed;

interface Answered<Answer> {
  readonly outcome: 'answered';
  readonly answer: Answer;
  readonly limits: Limits;
  /** How many units of the quota the answer has cost. */
  readonly units: number;
}

export interface Denied {
  readonly outcome: 'denied';
  readonly code: Extract<ErrorCode, 'rate_limit_exceeded' | 'monthly_quota_exceeded' | 'insufficient_quota'>;
  readonly resetsAt: number;
  readonly limits: Limits;
  /** How many units of the quota the request would have cost. */
  readonly units: number;
  readonly plan: Plan;
  /** Set if all keys of the account together have reached the limit. */
  readonly account?: Allowance;
}

/** The key is unknown or the request could not be counted (`limits` is null), the request was invalid, or its work failed and was refunded. */
interface Failed {
  readonly outcome: 'failed';
  readonly error: unknown;
  readonly limits: Limits | null;
}

/**
 * Writes a reply, in the turn of the event loop in which the reply was decided. If writing an answer throws, the charge is refunded and the function
 * is called again with the error. For an answer that takes time to send, it returns the number of delivered units; the rest is refunded.
 */
export type Write<Answer> = (reply: Reply<Answer>) => undefined | Promise<number>;
