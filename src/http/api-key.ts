import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { ApiKeys } from '../accounts/api-keys.ts';
import { type Failure, fail } from '../core/errors.ts';
import { equalSecrets } from '../core/secrets.ts';
import type { Caller } from '../core/usage.ts';
import { readBearer } from './credentials.ts';
import { createGuessThrottle, type GuessThrottleOptions } from './guess-throttle.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the API key and its terms; null on routes without API key. */
    caller: Caller | null;
  }
}

/** An `onRequest` hook: the first check of every data route. */
export type RequireApiKey = (request: FastifyRequest) => Promise<void>;

/**
 * Authenticates a data request by its `X-API-Key` or `Authorization: Bearer` header. Keys in URLs are ignored, because URLs end up in
 * logs. A request with two different keys is rejected, because it is not clear which one is meant.
 */
export function requireApiKey({ findKey }: Pick<ApiKeys, 'findKey'>, options: GuessThrottleOptions): RequireApiKey {
  const throttle = createGuessThrottle(options);
  return async (request) => {
    const secret = readKey(request);
    const caller = secret === undefined ? undefined : await findKey(secret);
    if (caller === undefined) {
      const delayMs = throttle(request.ip);
      if (delayMs > 0) await sleep(delayMs);
      throw rejectKey('invalid_api_key');
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

/** The key of the request; undefined if it has two different ones. */
function readKey({ headers }: FastifyRequest): string | undefined {
  const [own, bearer] = [String(headers['x-api-key'] ?? '').trim(), readBearer(headers.authorization)];
  if (own === '' && bearer === undefined) throw rejectKey('api_key_required');
  if (own !== '' && bearer !== undefined && !equalSecrets(own, bearer)) return undefined;
  return own === '' ? bearer : own;
}

function rejectKey(code: 'api_key_required' | 'invalid_api_key'): Failure {
  return fail(code, { headers: { 'WWW-Authenticate': 'Bearer realm="api key"' } });
}
