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
    /** Whose API key it was, and what it may do; null on endpoints that take none. */
    caller: Caller | null;
  }
}

/** An `onRequest` hook: the first check of every data endpoint. */
export type RequireApiKey = (request: FastifyRequest) => Promise<void>;

/**
 * Who calls a data endpoint, by `X-API-Key` or as a bearer token, never by the URL. Two keys that differ are refused rather
 * than one of them believed.
 */
export function requireApiKey({ findKey }: Pick<ApiKeys, 'findKey'>, options: GuessThrottleOptions): RequireApiKey {
  const throttle = createGuessThrottle(options);
  return async (request) => {
    const secret = readKey(request);
    const caller = secret === undefined ? undefined : await findKey(secret);
    if (caller === undefined) {
      const delayMs = throttle(request.ip);
      if (delayMs > 0) await sleep(delayMs);
      throw refusal('invalid_api_key');
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

/** The key that was sent; undefined when two were, which cannot both be meant. */
function readKey({ headers }: FastifyRequest): string | undefined {
  const [own, bearer] = [String(headers['x-api-key'] ?? '').trim(), readBearer(headers.authorization)];
  if (own === '' && bearer === undefined) throw refusal('api_key_required');
  if (own !== '' && bearer !== undefined && !equalSecrets(own, bearer)) return undefined;
  return own === '' ? bearer : own;
}

function refusal(code: 'api_key_required' | 'invalid_api_key'): Failure {
  return fail(code, { headers: { 'WWW-Authenticate': 'Bearer realm="api key"' } });
}
