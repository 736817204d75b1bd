import type { IncomingMessage } from 'node:http';
import type { Deadline } from '../core/deadline.ts';
import type { Caller } from '../core/usage.ts';
import type { Denial, Failed } from '../metering/charge.ts';

/**
 * What the data lane has done for a request before it passed the request on to Fastify, so that nothing is looked up, charged or
 * answered twice, and the time counts from the arrival of the request.
 */
export interface Settled {
  readonly startedAt: number;
  readonly deadline: Deadline;
  /** Null if the key is unknown, undefined if it could not be looked up. */
  readonly caller: Caller | null | undefined;
  /** Undefined if the request was not charged. */
  readonly result: Denial | Failed | undefined;
}

const settled = new WeakMap<IncomingMessage, Settled>();

export function settle(request: IncomingMessage, done: Settled): void {
  settled.set(request, done);
}

export function findSettled(request: IncomingMessage): Settled | undefined {
  return settled.get(request);
}
