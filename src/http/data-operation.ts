import type { Static, TObject, TSchema } from 'typebox';
import type { Deadline } from '../core/deadline.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { Caller } from '../core/usage.ts';
import type { Operation } from './contract.ts';

/**
 * An operation that serves records. All of them work alike: API key → rate window → validation → quota → answer, an `ETag`, `304` for
 * a client that has the current answer, and a body that is serialized already.
 */
export interface DataOperation<S extends TObject> {
  readonly url: string;
  readonly operation: Pick<Operation, 'operationId' | 'summary' | 'description'>;
  readonly parameters?: { readonly part: 'params' | 'querystring'; readonly schema: S };
  readonly success: { readonly description: string; readonly schema: TSchema };
  /** Error codes that this operation adds to those of all data operations. */
  readonly codes?: readonly ErrorCode[];
  /** Version of the data that an answer would come from. Leave it out if it is not cheaper to read than the answer. */
  version?(): string | Promise<string>;
  answer(parameters: Static<S>, caller: Caller, deadline: Deadline): DataReply | Promise<DataReply>;
}

export interface DataReply {
  readonly version: string;
  /** JSON; bytes are UTF-8. */
  readonly body: string | Uint8Array;
}
