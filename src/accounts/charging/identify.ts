import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, fail } from '../../base/errors.ts';
import { networkOf } from '../../base/requests/networks.ts';
import type { Deadline } from '../../base/system/deadline.ts';
import { type Caller, portalCaller } from '../../base/usage.ts';
import type { NamedSecrets } from '../named-secrets.ts';
import { createGuessThrottle, type GuessThrottleOptions } from './guess-throttle.ts';
import type { Exchange, SecretCredential } from './operation.ts';

interface IdentifyOptions {
  readonly apiKeys: Pick<NamedSecrets, 'peekKey' | 'findKey'>;
  readonly reconcileLinks: Pick<NamedSecrets, 'peekKey' | 'findKey'>;
  readonly guesses: GuessThrottleOptions;
}

/** Finds who sends a request. Calls back at once if the key was used a moment ago. */
export type Identify = (
  exchange: Pick<Exchange<unknown>, 'credential' | 'deadline' | 'caller'>,
  found: (caller: Caller) => void,
  failed: (error: unknown) => void,
) => void;

export const UNKNOWN_SECRET = {
  key: 'invalid_api_key',
  link: 'invalid_reconcile_link',
} as const satisfies Record<SecretCredential['kind'], ErrorCode>;

/** The first step of every charged request: an API key, a reconcile link, or the account of a session. */
export function createIdentify({ apiKeys, reconcileLinks, guesses }: IdentifyOptions): Identify {
  const throttle = createGuessThrottle(guesses);
  const secrets = { key: apiKeys, link: reconcileLinks };

  async function findCaller({ kind, secret, address }: SecretCredential, deadline: Deadline): Promise<Caller> {
    if (secret === undefined) throw fail('api_key_required');
    const caller = await secrets[kind].findKey(secret, deadline);
    if (caller !== undefined) return caller;
    const delayMs = throttle(networkOf(address));
    if (delayMs > 0) await sleep(delayMs);
    throw fail(UNKNOWN_SECRET[kind]);
  }

  return ({ credential, deadline, caller }, found, failed) => {
    if (caller !== null) return found(caller);
    if (credential.kind === 'session') return found(portalCaller(credential.account));
    const { kind, secret } = credential;
    const known = secret === undefined ? undefined : secrets[kind].peekKey(secret);
    if (known !== undefined) return found(known);
    findCaller(credential, deadline).then(found, failed);
  };
}
