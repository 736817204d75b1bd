import Type, { type Static, type TObject, type TProperties } from 'typebox';
import type { Denied, PricedOperation, Reply } from '../../accounts/charging/operation.ts';
import { Failure, fail } from '../../base/errors.ts';
import type { Deadline } from '../../base/system/deadline.ts';
import { compileReader } from '../../base/validation.ts';
import type { AppServices } from '../app-services.ts';

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: TObject;
  readonly output: TObject;
  /** Set if a call costs no quota. Otherwise a call that returns data costs one request. */
  readonly isFree?: true;
  /** How much longer than other requests a call of this tool may take, in milliseconds. */
  waitMs?(services: ToolServices): number;
  run(given: never, services: ToolServices, context: ToolContext): ToolAnswer | Promise<ToolAnswer>;
}

export type ToolServices = Pick<AppServices, 'search' | 'matcher' | 'registry' | 'changes' | 'proofs' | 'clock'>;

export interface ToolContext {
  readonly accountId: string;
  readonly deadline: Deadline;
}

export interface ToolAnswer<Data = object> {
  readonly data: Data;
  /** The result as short text, for clients that show a model only text. */
  readonly text: string;
  /** Set if there was nothing to return: the call costs no quota. */
  readonly isEmpty?: boolean;
}

interface TypedTool<Input extends TProperties, Output extends TProperties>
  extends Omit<Tool, 'input' | 'output' | 'run'> {
  readonly input: Input;
  readonly output: Output;
  run(...call: Call<Input>): ToolAnswer<Static<TObject<Output>>> | Promise<ToolAnswer<Static<TObject<Output>>>>;
}
type Call<Input extends TProperties> = [given: Static<TObject<Input>>, services: ToolServices, context: ToolContext];

/** Makes TypeScript check that a tool takes and returns what its schemas declare. */
export function defineTool<Input extends TProperties, Output extends TProperties>(
  tool: TypedTool<Input, Output>,
): Tool {
  return { ...tool, input: Type.Object(tool.input, { additionalProperties: false }), output: Type.Object(tool.output) };
}

type ToolOperation = PricedOperation<unknown, unknown, ToolAnswer>;

/** Runs the tool that one message calls, with the caller and limits of the endpoint. */
export interface Session {
  perform(operation: ToolOperation, given: unknown): Promise<Reply<ToolAnswer>>;
  reportFailure(failure: Failure): void;
  count(tool: string, outcome: CallOutcome): void;
}

/** `rejected`: the arguments are invalid, or there is no such company. `limited`: a limit was reached. */
type CallOutcome = 'answered' | 'rejected' | 'limited' | 'failed';

/** Calls a tool. Errors and empty answers cost no quota. Errors are sent as results, which a model can read, and say what to do next. */
export function createToolCall(tool: Tool, services: ToolServices) {
  const read = compileReader(tool.input, 'argument');
  const operation: ToolOperation = {
    price: tool.isFree ? 'free' : 'unit',
    read: (given) => read(given ?? {}),
    waitMs: () => tool.waitMs?.(services) ?? 0,
    answer: async (given, { caller: { accountId }, deadline }) =>
      tool.run(given as never, services, { accountId, deadline }),
    isFree: ({ isEmpty = false }) => isEmpty,
  };

  return async (given: unknown, session: Session) => {
    const reply = await session.perform(operation, given);
    if (reply.outcome === 'denied') {
      session.count(tool.name, 'limited');
      return describeError(describeDenial(reply, services.clock.now()));
    }
    if (reply.outcome === 'answered') {
      session.count(tool.name, 'answered');
      const { data, text } = reply.answer;
      return { content: [{ type: 'text' as const, text }], structuredContent: { ...data } };
    }
    const { error } = reply;
    const failure = error instanceof Failure ? error : fail('internal_error', { cause: error });
    const isOurs = failure.code === 'internal_error' || failure.code === 'service_unavailable';
    if (isOurs) session.reportFailure(failure);
    session.count(tool.name, isOurs ? 'failed' : 'rejected');
    return describeError(failure);
  };
}

function describeError({ code, message }: Failure) {
  return { content: [{ type: 'text' as const, text: `${code}: ${message}` }], isError: true };
}

/** Adds to the text how long to wait: a model sees no headers and does not know the time. */
function describeDenial({ code, resetsAt, account }: Denied, now: number): Failure {
  if (code === 'rate_limit_exceeded') {
    const seconds = Math.max(1, Math.ceil((resetsAt - now) / 1_000));
    const who =
      account === undefined ? 'This API key has used all its' : 'All keys of this account together have used their';
    return fail(code, { message: `${who} requests of this minute: wait ${seconds} seconds, then call again.` });
  }
  const end = new Date(resetsAt).toISOString();
  return fail(code, {
    message: `The account has used all requests of its billing period, which ends at ${end}. Do not call again: tell the user to upgrade the plan, or to wait until then.`,
  });
}
