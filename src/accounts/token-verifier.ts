import { createRemoteJWKSet, customFetch, errors, jwtVerify, type RemoteJWKSet } from 'jose';
import type { Clock } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import type { Identity } from './accounts.ts';
import { fetchBounded, type Issuer, PAUSE_MS, unreachable } from './issuer.ts';

/** Verifies a session token, which is a JWT of the configured issuer. Throws `invalid_session` or `service_unavailable`. */
export type VerifyToken = (token: string) => Promise<Identity>;

/** Asymmetric algorithms only: with HS256, anyone who knows the public key could sign. `none` is not allowed either. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
const SKEW_SECONDS = 30;
/** OpenID Connect limits subjects to 255 characters; other claims get the same limit. */
const MAX_CLAIM_LENGTH = 255;

interface VerifierOptions {
  /** How often the keys are reloaded in the background. A withdrawn key is accepted for at most this long. */
  readonly refreshMs?: number;
  /** The minimum time between two reloads caused by tokens with an unknown key. */
  readonly cooldownMs?: number;
}

export function createTokenVerifier(issuer: Issuer, clock: Clock, options: VerifierOptions = {}): VerifyToken {
  const { refreshMs = 10 * 60_000, cooldownMs = 5_000 } = options;
  const keys = createIssuerKeys(issuer, { refreshMs, cooldownMs });

  return async (token) => {
    const settings = issuer.settings();
    if (settings === undefined) throw fail('invalid_session');
    const { keySet, name } = await keys();
    const { payload, protectedHeader } = await jwtVerify(token, keySet, {
      algorithms: ALGORITHMS,
      issuer: name,
      audience: settings.audience,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(clock.now()),
    }).catch((error: unknown) => {
      throw toFailure(error);
    });
    if (!isSessionToken(protectedHeader.typ, payload)) throw fail('invalid_session');
    return parseIdentity(name, payload);
  };
}

/**
 * An issuer signs other tokens with the same keys, such as logout tokens, which also name a user. The header `typ` distinguishes the tokens: access
 * tokens have `at+jwt` (RFC 9068) or, like ID tokens, `JWT` or none at all, depending on the issuer. Some issuers type their logout tokens `JWT`: the
 * claim `events` makes any token an event (RFC 8417).
 */
function isSessionToken(typ: unknown, { events }: Readonly<Record<string, unknown>>): boolean {
  if (events !== undefined) return false;
  return typ === undefined || (typeof typ === 'string' && SESSION_TYPES.test(typ));
}

/** Media types ignore case, and the prefix is optional (RFC 7515, 4.1.9). */
const SESSION_TYPES = /^(?:application\/)?(?:at\+)?jwt$/i;

interface IssuerKeys {
  readonly keySet: RemoteJWKSet;
  readonly name: string;
}

/** The issuer's published keys. The keys stay in use while the issuer is unreachable: an outage of the issuer must not sign everybody out. */
function createIssuerKeys(issuer: Issuer, { refreshMs, cooldownMs }: Required<VerifierOptions>) {
  let known: IssuerKeys | undefined;
  let refreshedAt = 0;
  let pausedUntil = 0;

  /** Tokens with unknown keys must not cause a flood of requests to an issuer that is down. */
  async function fetchWithPause(url: string, request: RequestInit): Promise<Response> {
    if (performance.now() < pausedUntil) throw new Error('the identity provider failed a moment ago');
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
        timeoutDuration: issuer.timeoutMs,
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

/** An error of the token is the client's fault. All other errors come from loading the issuer's keys. */
function toFailure(error: unknown): unknown {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return unreachable(error);
  const isTokenError = error instanceof errors.JOSEError && error.constructor !== errors.JOSEError;
  return isTokenError ? fail('invalid_session', { cause: error }) : unreachable(error);
}

/**
 * Reads the claims of a token or a sign-in. An e-mail address that the provider has not verified may belong to someone else, and is left
 * out. Throws `invalid_session` if the subject cannot be stored.
 */
export function parseIdentity(issuer: string, claims: Partial<Record<string, unknown>>): Identity {
  const { sub, email, email_verified: isVerified, name } = claims;
  if (typeof sub !== 'string' || !isStorable(sub)) throw fail('invalid_session');
  return {
    issuer,
    subject: sub,
    email: String(isVerified) === 'false' ? null : parseClaim(email),
    name: parseClaim(name),
  };
}

/** Returns null for a claim that cannot be stored: an unusual name is not a reason to reject a user. */
function parseClaim(value: unknown): string | null {
  return typeof value === 'string' && isStorable(value) ? value : null;
}

function isStorable(text: string): boolean {
  return text !== '' && text.length <= MAX_CLAIM_LENGTH && text.isWellFormed() && !text.includes('\0');
}
