import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { ApiKeys } from '../accounts/api-keys.ts';
import { type Deadline, startDeadline } from '../core/deadline.ts';
import { fail } from '../core/errors.ts';
import type { Caller } from '../core/usage.ts';
import { readApiKey } from './credentials.ts';
import { createGuessThrottle, type GuessThrottleOptions } from './guess-throttle.ts';
import { findSettled } from './settled.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the API key and its terms; null on routes without API key. */
    caller: Caller | null;
    /** When a data request has to be answered; 0 on other routes. */
    deadline: Deadline;
  }
}

/** An `onRequest` hook: the first check of every data route. */
export type RequireApiKey = (request: FastifyRequest) => Promise<void>;

/**
 * Authenticates a data request by its `X-API-Key` header or, without one, by `Authorization: Bearer`. Sessions are ignored. So are
 * keys in URLs, because URLs end up in logs.
 */
export function requireApiKey({ findKey }: Pick<ApiKeys, 'findKey'>, options: GuessThrottleOptions): RequireApiKey {
  const throttle = createGuessThrottle(options);
  return async (request) => {
    const settled = findSettled(request.raw);
    request.deadline = settled?.deadline ?? startDeadline();
    const caller = settled?.caller === undefined ? await findKey(readKey(request), request.deadline) : settled.caller;
    if (!caller) {
      const delayMs = throttle(request.network);
      if (delayMs > 0) await sleep(delayMs);
      throw fail('invalid_api_key');
    }
    request.caller = caller;
    request.accountId = caller.accountId;
    request.keyId = caller.keyId;
  };
}

export function callerOf({ caller, routeOptions }: FastifyRequest): Caller {
  if (caller === null) throw new Error(`${routeOptions.url} was reached without an API key`);
  return caller;
}

function readKey({ headers }: FastifyRequest): string {
  const key = readApiKey(headers);
  if (key === undefined) throw fail('api_key_required');
  return key;
}
