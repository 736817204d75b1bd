import type { ServerResponse } from 'node:http';
import type { Static, TObject, TSchema } from 'typebox';
import type { Needs } from '../../accounts/charging/operation.ts';
import type { ErrorCode } from '../../base/errors.ts';
import type { Deadline } from '../../base/system/deadline.ts';
import type { Caller } from '../../base/usage.ts';
import type { Answer, Operation } from '../../http/route.ts';
import type { SharedHeader } from '../answers.ts';
import type { ReplyFormat } from './accept.ts';

/**
 * An operation of the API that serves records. `answer.ts` turns it into an operation of the executor, which takes an API key
 * and costs one unit. Its answers have an `ETag` and a body that is already serialized; clients that have the current one get `304`.
 */
export interface DataOperation<Path extends TObject = NoParameters, Query extends TObject = NoParameters> {
  readonly url: string;
  readonly operation: Pick<Operation, 'operationId' | 'summary' | 'description'>;
  readonly params?: Path;
  readonly querystring?: Query;
  readonly success: {
    readonly description: string;
    readonly schema: TSchema;
    /** The formats that `Accept` can choose instead of JSON, by media type. Without them, `Accept` is ignored. */
    readonly files?: NonNullable<Answer['content']>;
    readonly headers?: readonly SharedHeader[];
  };
  /** Sends `X-Data-Version`, so that clients can tell whether two pages fit together. */
  readonly namesSnapshot?: true;
  /** Error codes that this operation adds to those of all data operations. */
  readonly codes?: readonly ErrorCode[];
  /** Without it, any plan will do. */
  readonly plan?: Needs['plan'];
  /** Version of the data that an answer would come from. Leave it out if it is not cheaper to read than the answer. */
  version?(): string | Promise<string>;
  /** How long the client wants to wait for the answer, in milliseconds. Its deadline is that much later. */
  waitMs?(given: Static<Path> & Static<Query>): number;
  answer(given: Static<Path> & Static<Query>, context: AnswerContext): DataContent | Promise<DataContent>;
}

export type NoParameters = TObject<Record<never, never>>;

interface AnswerContext {
  readonly caller: Caller;
  readonly deadline: Deadline;
  /** JSON, unless the operation offers other formats and the client asks for one. */
  readonly format: ReplyFormat;
  /** Its event `close` shows that the client has gone. */
  readonly response: ServerResponse;
}

/** What an operation has found. */
export interface DataContent {
  readonly version: string;
  /** In the requested format; bytes are UTF-8. */
  readonly body: string | Uint8Array;
  /** The `Link` header. */
  readonly link?: string | undefined;
  /** Headers that only the formats besides JSON have. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it costs no quota. */
  readonly isFree?: boolean;
}
