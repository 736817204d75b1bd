import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Exchange, PricedOperation } from '../../operations/operation.ts';
import type { App } from '../app-type.ts';
import { type DataGate, startExchange, takeAnswer } from './route.ts';

/** A body that cannot be read, because it is too large or not JSON, counts in the rate window as well. */
const unreadable: Omit<PricedOperation<unknown, never, never>, 'needs'> = {
  price: 'free',
  read: (error) => {
    throw error;
  },
  answer: (given) => given,
};

/** Hooks for a charged route that takes a body. */
interface BodyGuard {
  /** Verifies the key or link before the body is read. The handler finds the exchange in the request. */
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  readonly preHandler: (request: FastifyRequest) => Promise<void>;
}

/** The scope must have charged routes only. */
export function guardBodies(scope: App, { executor, now }: DataGate): BodyGuard {
  /** Requests whose body could be read. */
  const read = new WeakSet<FastifyRequest>();
  scope.setErrorHandler(async (error, request, reply) => {
    const { exchange } = request;
    if (exchange === null || exchange.caller === null || read.has(request)) throw error;
    const input: Exchange<unknown> = { ...(exchange as Exchange<unknown>), input: error };
    const operation = { ...unreadable, needs: { credential: input.credential.kind, plan: 'any' } } as const;
    return takeAnswer(reply, await executor.perform(operation, input), now()).answer;
  });
  return {
    onRequest: (request, reply) => executor.identify(startExchange(request, reply, undefined)),
    preHandler: async (request) => void read.add(request),
  };
}
