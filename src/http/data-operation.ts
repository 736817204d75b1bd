import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { Deadline } from '../core/deadline.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { Caller } from '../core/usage.ts';
import type { ReplyFormat } from './accept.ts';
import type { Answer, SharedHeader } from './answers.ts';
import type { Operation } from './contract.ts';

/**
 * An operation that serves records. All of them work alike: API key → rate window → validation → quota → answer, an `ETag`, `304` for
 * a client that has the current answer, and a body that is serialized already.
 */
export interface DataOperation<Path extends TObject, Query extends TObject> {
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
  /** Accounts on the free plan get `plan_required`. */
  readonly requiresPaidPlan?: true;
  /** Rejects parameters that are valid by themselves, but not for this caller or in this format. */
  check?(parameters: Static<Path> & Static<Query>, context: Pick<AnswerContext, 'caller' | 'format'>): void;
  /** For requests that are charged and answered in another way. They are authenticated and validated like the others. */
  readonly instead?: {
    applies(parameters: Static<Path> & Static<Query>): boolean;
    handle(
      request: FastifyRequest,
      reply: FastifyReply,
      parameters: Static<Path> & Static<Query>,
    ): Promise<FastifyReply>;
  };
  /** Version of the data that an answer would come from. Leave it out if it is not cheaper to read than the answer. */
  version?(): string | Promise<string>;
  /** How long the client wants to wait for the answer, in milliseconds. Its deadline is that much later. */
  readWait?(parameters: Static<Path> & Static<Query>): number;
  /** Leaves all requests to Fastify: for operations that read so much, or wait so long, that the way does not matter. */
  readonly skipsLane?: true;
  answer(parameters: Static<Path> & Static<Query>, context: AnswerContext): DataReply | Promise<DataReply>;
}

export interface AnswerContext {
  readonly caller: Caller;
  readonly deadline: Deadline;
  /** JSON, unless the operation has others. */
  readonly format: ReplyFormat;
  /** Its event `close` tells whether the client has gone. */
  readonly response: ServerResponse;
}

export interface DataReply {
  readonly version: string;
  /** In the requested format; bytes are UTF-8. */
  readonly body: string | Uint8Array;
  /** The `Link` header. */
  readonly link?: string | undefined;
  /** Only in formats besides JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it costs no quota. */
  readonly isFree?: boolean;
}
