import type { ApiKeys } from '../accounts/api-keys.ts';
import { fail } from '../core/errors.ts';
import { networkOf } from '../core/requests/networks.ts';
import { type Caller, portalCaller } from '../core/usage.ts';
import type { Deadline } from '../system/deadline.ts';
import { createGuessThrottle, type GuessThrottleOptions } from './guess-throttle.ts';
import type { Credential, Exchange } from './operation.ts';

export interface IdentifyOptions {
  readonly apiKeys: Pick<ApiKeys, 'peekKey' | 'findKey'>;
  readonly guesses: GuessThrottleOptions;
}

/** Finds who sends a request. Calls back at once if the key was used a moment ago. */
export type Identify = (
  exchange: Pick<Exchange<unknown>, 'credential' | 'deadline' | 'caller'>,
  found: (caller: Caller) => void,
  failed: (error: unknown) => void,
) => void;

/** The first step of every charged request: an API key, or the account of a session. */
export function createIdentify({ apiKeys, guesses }: IdentifyOptions): Identify {
  const throttle = createGuessThrottle(guesses);

  function findKey(credential: Extract<Credential, { kind: 'key' }>, deadline: Deadline): Promise<Caller> {
    const { secret, address } = credential;
    if (secret === undefined) return Promise.reject(fail('api_key_required'));
    return apiKeys.findKey(secret, deadline).then((caller) => caller ?? rejectLater(throttle(networkOf(address))));
  }

  return ({ credential, deadline, caller }, found, failed) => {
    if (caller !== null) return found(caller);
    if (credential.kind === 'session') return found(portalCaller(credential.account));
    const { secret } = credential;
    const known = secret === undefined ? undefined : apiKeys.peekKey(secret);
    if (known !== undefined) return found(known);
    findKey(credential, deadline).then(found, failed);
  };
}

async function rejectLater(delayMs: number): Promise<never> {
  const failure = fail('invalid_api_key');
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  throw failure;
}
