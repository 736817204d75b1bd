import type { Deadline } from '../core/deadline.ts';
import { Failure, fail } from '../core/errors.ts';
import type { Caller } from '../core/usage.ts';
import { charge, type Denial, type Limits } from '../metering/charge.ts';
import { countRequest } from '../metering/charge-units.ts';
import type { Meter } from '../metering/meter.ts';
import { compileReader, type Reader } from '../validation/reader.ts';
import type { Tool, ToolAnswer } from './tool.ts';

/** Who calls a tool, and what the endpoint wants to know about the call. */
export interface Exchange {
  readonly caller: Caller;
  readonly deadline: Deadline;
  /** The time of the meter, epoch ms. */
  now(): number;
  /** What is left after the request. Called at most once; not called if no tool was reached. */
  reportLimits(limits: Limits): void;
  /** A limit was reached. */
  reportDenial(denial: Denial): void;
  /** Something went wrong on our side. */
  reportFailure(failure: Failure): void;
  /** How the call of a tool ended. */
  count(tool: string, outcome: CallOutcome): void;
}

/** `rejected`: the arguments are invalid, or there is no such company. `limited`: a limit was reached. */
export type CallOutcome = 'answered' | 'rejected' | 'limited' | 'failed';

/** A result as the protocol defines it. */
export interface CallResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly [name: string]: unknown;
}

export type CallTool = (given: unknown, exchange: Exchange) => Promise<CallResult>;

/**
 * Calls a tool as the API answers a request: rate window → arguments → quota → work. A call that ends in an error, or returns
 * nothing, costs no quota. Errors are results, because a model can read those, and each says what to do next.
 */
export function createToolCall(tool: Tool, meter: Meter): CallTool {
  const read: Reader<unknown> = compileReader(tool.input, 'argument');

  async function answer(given: unknown, exchange: Exchange): Promise<Denial | ToolAnswer> {
    const { caller, deadline } = exchange;
    const context = { accountId: caller.accountId, deadline };
    const work = async (parameters: unknown) => tool.run(parameters as never, context);
    const validate = () => read(given ?? {});
    const report = (limits: Limits) => exchange.reportLimits(limits);
    if (tool.isFree === true) {
      const counted = await countRequest(meter, caller, deadline);
      report(counted.limits);
      return counted.outcome === 'denied' ? counted : work(validate());
    }
    const { waitMs = 0 } = tool;
    const charged = await charge(meter, caller, {
      deadline,
      read: validate,
      readWait: () => waitMs,
      work,
      isFree: ({ isEmpty = false }) => isEmpty,
      report,
    });
    return charged.outcome === 'denied' ? charged : charged.answer;
  }

  return async (given, exchange) => {
    try {
      const answered = await answer(given, exchange);
      if ('outcome' in answered) {
        exchange.reportDenial(answered);
        exchange.count(tool.name, 'limited');
        return describeError(describeDenial(answered, exchange.now()));
      }
      exchange.count(tool.name, 'answered');
      const { data, text } = answered;
      return { content: [{ type: 'text', text }], structuredContent: data as Record<string, unknown> };
    } catch (error) {
      const failure = error instanceof Failure ? error : fail('internal_error', { cause: error });
      const isOurs = failure.code === 'internal_error' || failure.code === 'service_unavailable';
      if (isOurs) exchange.reportFailure(failure);
      exchange.count(tool.name, isOurs ? 'failed' : 'rejected');
      return describeError(failure);
    }
  };
}

function describeError({ code, message }: Failure): CallResult {
  return { content: [{ type: 'text', text: `${code}: ${message}` }], isError: true };
}

/** A model sees no headers and knows no time. */
function describeDenial({ code, resetsAt }: Denial, now: number): Failure {
  if (code === 'rate_limit_exceeded') {
    const seconds = Math.max(1, Math.ceil((resetsAt - now) / 1_000));
    return fail(code, {
      message: `This API key has used all its requests of this minute: wait ${seconds} seconds, then call again.`,
    });
  }
  const end = new Date(resetsAt).toISOString();
  return fail(code, {
    message: `The account has used all requests of its billing period, which ends at ${end}. Do not call again: tell the user to upgrade the plan, or to wait until then.`,
  });
}
