import { type ErrorCode, Failure } from '../core/errors.ts';

/**
 * What a thread and its owner send each other. A protocol is an interface: each method is a call, and a method that returns an
 * `AsyncGenerator` is a stream. Only what can be cloned, shared or transferred may be sent.
 */

/** Names of the methods that are called, and of those that are streamed. */
export type CallName<P> = Exclude<keyof P & string, StreamName<P>>;
export type StreamName<P> = {
  [N in keyof P & string]: P[N] extends (...args: never[]) => AsyncGenerator ? N : never;
}[keyof P & string];

export type Arguments<M> = M extends (...args: infer A) => unknown ? A : never;
export type Result<M> = M extends (...args: never[]) => infer R ? Awaited<R> : never;
export type Streamed<M> = M extends (...args: never[]) => AsyncGenerator<infer T, infer R>
  ? AsyncGenerator<T, R>
  : never;

export type ToThread =
  /** Without an id, no result is sent. */
  | { readonly type: 'call'; readonly id: number | undefined; readonly name: string; readonly args: readonly unknown[] }
  /** The oldest item of a stream has been used. */
  | { readonly type: 'used'; readonly id: number }
  /** Ends a stream. */
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'finish' };

export type FromThread =
  | { readonly type: 'item'; readonly id: number; readonly value: unknown }
  /** The result of a call, or of a stream that has ended. */
  | { readonly type: 'result'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly error: SentError }
  | { readonly type: 'event'; readonly name: string; readonly args: readonly unknown[] };

/** Classes and their fields do not cross threads, so an error is sent as data. */
interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Such as `code` of the errors of the system. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Of a `Failure`. */
  readonly failure: { readonly code: ErrorCode; readonly headers: Readonly<Record<string, string>> } | undefined;
  readonly cause: SentError | undefined;
}

export function encodeError(error: unknown): SentError {
  if (!(error instanceof Error)) return encodeError(new Error(String(error)));
  const { name, message, stack, cause } = error;
  const failure = error instanceof Failure ? { code: error.code, headers: error.headers } : undefined;
  const fields = Object.fromEntries(
    Object.entries(error).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value)),
  );
  return { name, message, stack, fields, failure, cause: cause === undefined ? undefined : encodeError(cause) };
}

/** A `Failure` again, or an error with the same name, message, stack and fields. */
export function decodeError({ name, message, stack, fields, failure, cause: sent }: SentError): Error {
  const cause = sent && decodeError(sent);
  if (failure !== undefined) return new Failure(failure.code, { message, headers: failure.headers, cause });
  const error = new Error(message, cause && { cause });
  return Object.assign(error, fields, { name, stack });
}
