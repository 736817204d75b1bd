import { createRemoteJWKSet, customFetch, errors, jwtVerify, type RemoteJWKSet } from 'jose';
import type { Clock } from '../core/clock.ts';
import { fail } from '../core/errors.ts';
import type { Identity } from './accounts.ts';
import { fetchBounded } from './bounded-fetch.ts';
import { type Issuer, PAUSE_MS, unreachable } from './issuer.ts';

/** Checks a session token, a JWT of the configured issuer. Throws `invalid_session`, or `service_unavailable`. */
export type VerifyToken = (token: string) => Promise<Identity>;

/** Asymmetric ones only: with HS256 whoever knows the public key could sign. `none` is not in it either. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
const SKEW_SECONDS = 30;
/** Longer ones are no subject by OpenID Connect, and no claim worth keeping. */
const MOST_CHARACTERS = 255;

export interface VerifierOptions {
  /** After this long the keys are asked for again, in the background: a withdrawn key counts no longer than that. */
  readonly refreshMs?: number;
  /** A token of an unknown key makes us ask again, but not more often than this. */
  readonly cooldownMs?: number;
}

export function createTokenVerifier(issuer: Issuer, clock: Clock, options: VerifierOptions = {}): VerifyToken {
  const { refreshMs = 10 * 60_000, cooldownMs = 5_000 } = options;
  const keys = createIssuerKeys(issuer, { refreshMs, cooldownMs });

  return async (token) => {
    const settings = issuer.settings();
    if (settings === undefined) throw fail('invalid_session');
    const { keySet, name } = await keys();
    const { payload } = await jwtVerify(token, keySet, {
      algorithms: ALGORITHMS,
      issuer: name,
      audience: settings.audience,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(clock.now()),
    }).catch((error: unknown) => {
      throw explain(error);
    });
    return readIdentity(name, payload);
  };
}

interface IssuerKeys {
  readonly keySet: RemoteJWKSet;
  readonly name: string;
}

/**
 * The issuer's published keys. Once known they are used for as long as the issuer is silent: an outage there must not sign
 * everybody out here.
 */
function createIssuerKeys(issuer: Issuer, { refreshMs, cooldownMs }: Required<VerifierOptions>) {
  let known: IssuerKeys | undefined;
  let refreshedAt = 0;
  let pausedUntil = 0;

  /** Tokens of keys nobody knows must not make us besiege an issuer that is down. */
  async function fetchWithPause(url: string, request: RequestInit): Promise<Response> {
    if (performance.now() < pausedUntil) throw new Error('the identity provider did not answer a moment ago');
    try {
      return await fetchBounded(url, request);
    } catch (error) {
      pausedUntil = performance.now() + PAUSE_MS;
      throw error;
    }
  }

  return async (): Promise<IssuerKeys> => {
    if (known === undefined) {
      const { issuer: name, jwks_uri: address } = (await issuer.discover()).serverMetadata();
      if (address === undefined) throw unreachable(new Error('the identity provider publishes no keys'));
      const keySet = createRemoteJWKSet(new URL(address), {
        cacheMaxAge: Infinity,
        cooldownDuration: cooldownMs,
        timeoutDuration: 3_000,
        [customFetch]: fetchWithPause,
      });
      known ??= { keySet, name };
      refreshedAt = performance.now();
    } else if (performance.now() - refreshedAt > refreshMs) {
      refreshedAt = performance.now();
      void known.keySet.reload().catch(() => undefined);
    }
    return known;
  };
}

/** An error of the token is the client's; what is neither that nor ours comes from asking the issuer for its keys. */
function explain(error: unknown): unknown {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return unreachable(error);
  const isOfToken = error instanceof errors.JOSEError && error.constructor !== errors.JOSEError;
  return isOfToken ? fail('invalid_session', { cause: error }) : unreachable(error);
}

/** Whom the claims name, for tokens and for sign-in alike. Throws `invalid_session` for a subject that cannot be kept. */
export function readIdentity(issuer: string, { sub, email, name }: Partial<Record<string, unknown>>): Identity {
  if (typeof sub !== 'string' || !isStorable(sub)) throw fail('invalid_session');
  return { issuer, subject: sub, email: readClaim(email), name: readClaim(name) };
}

/** A claim that cannot be kept is left out: nobody is refused for an odd name. */
function readClaim(value: unknown): string | null {
  return typeof value === 'string' && isStorable(value) ? value : null;
}

function isStorable(text: string): boolean {
  return text !== '' && text.length <= MOST_CHARACTERS && text.isWellFormed() && !text.includes('\0');
}
