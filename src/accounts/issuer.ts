import { createHmac, randomBytes } from 'node:crypto';
import { createRemoteJWKSet, errors, jwtVerify, customFetch as keyFetch, type RemoteJWKSet } from 'jose';
import * as client from 'openid-client';
import type { Clock } from '../base/clock.ts';
import type { Db } from '../base/db/db.ts';
import { fail } from '../base/errors.ts';
import { readBounded } from '../base/requests/responses.ts';
import { equalSecrets } from '../base/secrets.ts';
import { type TimeLimits, timeLimits } from '../base/system/time-limits.ts';
import { holdSignInKey } from './store.ts';

export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly name: string | null;
}

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
        [keyFetch]: fetchWithPause,
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

/** Reads the claims, but no address that the provider has not verified. Throws `invalid_session` if the subject cannot be stored. */
function parseIdentity(issuer: string, claims: Partial<Record<string, unknown>>): Identity {
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

/** The address of the identity provider, and the ids under which this service is registered there. */
export interface IssuerSettings {
  readonly issuer: string;
  /** If undefined, session tokens are accepted, but users cannot sign in with a browser. */
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly audience: string;
}

/** Read on every use: the provider of the demo gets its address only when the server listens. */
export type ReadIssuerSettings = () => IssuerSettings | undefined;

/** While a provider is down, it is asked at most once per pause, however many requests arrive. */
const PAUSE_MS = 1_000;

export type Issuer = ReturnType<typeof createIssuer>;

/** The provider's metadata, read on first use and cached. */
export function createIssuer(
  settings: ReadIssuerSettings,
  { identityMs }: Pick<TimeLimits, 'identityMs'> = timeLimits,
) {
  let cached: Promise<client.Configuration> | undefined;

  async function request(): Promise<client.Configuration> {
    const given = settings();
    if (given === undefined)
      throw fail('service_unavailable', { message: 'Sign-in is not configured on this server.' });
    const { issuer, clientId, clientSecret, audience } = given;
    const server = new URL(issuer);
    const configuration = await client.discovery(server, clientId ?? audience, undefined, authenticate(clientSecret), {
      timeout: identityMs / 1_000,
      [client.customFetch]: fetchBounded,
      // config.ts accepts plain http only for a provider on this machine.
      execute: [
        client.enableNonRepudiationChecks,
        ...(server.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    });
    configuration.timeout = identityMs / 1_000;
    return configuration;
  }

  return {
    settings,
    timeoutMs: identityMs,
    /** Throws `service_unavailable` if the provider cannot be reached. */
    discover(): Promise<client.Configuration> {
      cached ??= request().catch((error: unknown) => {
        // The failure stays cached for a moment, to give the provider time to recover.
        setTimeout(() => {
          cached = undefined;
        }, PAUSE_MS).unref();
        throw unreachable(error);
      });
      return cached;
    },
  };
}

/** Sends the secret in the header unless the provider supports only the body. A public client has no secret. */
function authenticate(secret: string | undefined): ReturnType<typeof client.None> {
  if (secret === undefined) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (methods.includes('client_secret_basic') ? basic : post)(server, client, body, headers);
  };
}

/** The reason goes to the log; the client only learns that it can retry. */
function unreachable(cause: unknown) {
  const message = 'The identity provider cannot be reached at the moment: try again shortly.';
  return fail('service_unavailable', { message, cause, retryAfter: 2 });
}

/** The metadata and keys of an issuer take a few KiB. */
const MAX_BYTES = 1024 * 1024;

/**
 * `fetch` with a size limit, for requests to the issuer. The libraries read a response to its end, so a hostile server
 * on a fast network could fill our memory within their time-out of three seconds. A longer response fails.
 */
async function fetchBounded(url: string, init: object): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  return new Response(new Uint8Array(await readBounded(response.body, MAX_BYTES)), response);
}

interface FinishedSignIn {
  readonly identity: Identity;
  readonly returnTo: string;
}

export type SignIn = ReturnType<typeof createSignIn>;

/** Sign-in with a browser: the authorization code flow of OpenID Connect, with PKCE, state and nonce. */
export function createSignIn(issuer: Issuer, db: Db, clock: Clock) {
  const tickets = createTickets(db, clock);
  const isConfigured = () => issuer.settings()?.clientId !== undefined;

  async function discover() {
    if (!isConfigured()) throw fail('service_unavailable', { message: 'Sign-in is not configured on this server.' });
    return issuer.discover();
  }

  return {
    isConfigured,
    /** Returns the address to send the browser to, and the ticket that its cookie has to bring back. */
    async begin(callbackUrl: string, returnTo: string): Promise<{ readonly url: string; readonly ticket: string }> {
      const configuration = await discover();
      const { text, state, nonce, verifier } = await tickets.issue(returnTo);
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: callbackUrl,
        scope: 'openid email profile',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return { url: url.href, ticket: text };
    },
    /** Undefined if the ticket has expired or is not ours. Throws `invalid_session` unless this browser started the sign-in. */
    async finish(currentUrl: URL, text: string): Promise<FinishedSignIn | undefined> {
      const ticket = await tickets.read(text);
      if (ticket === undefined) return undefined;
      const { state, nonce, verifier, returnTo } = ticket;
      const configuration = await discover();
      const tokens = await client
        .authorizationCodeGrant(configuration, currentUrl, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        .catch((error: unknown) => {
          throw toSignInFailure(error);
        });
      const claims = tokens.claims();
      if (claims === undefined) throw unreachable(new Error('the identity provider sent no ID token'));
      return { identity: parseIdentity(configuration.serverMetadata().issuer, claims), returnTo };
    },
  };
}

const OUTAGE_CODES = ['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_PARSE_ERROR'];

/** A rejected sign-in or a mismatch is `invalid_session`; a provider that does not answer properly is `service_unavailable`. */
function toSignInFailure(error: unknown): unknown {
  const isMismatch = error instanceof client.ClientError && !OUTAGE_CODES.includes(error.code ?? '');
  const isRejected = error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError;
  return isRejected || isMismatch ? fail('invalid_session', { cause: error }) : unreachable(error);
}

/**
 * A pending sign-in, kept by the browser in a cookie until the provider sends it back. The ticket is signed with a secret that all servers share
 * through the database, so a page that can set cookies cannot make up a sign-in, and we store nothing per sign-in.
 */
interface SignInTicket {
  readonly text: string;
  readonly returnTo: string;
  /** The provider must send back `state` and `nonce`; we must send it the `verifier`. None of the three can be computed from the cookie. */
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export const SIGN_IN_SECONDS = 600;

function createTickets(db: Db, clock: Clock) {
  let key: string | undefined;

  async function useKey(): Promise<string> {
    key ??= await holdSignInKey(db, randomBytes(32).toString('base64url'), clock.now());
    return key;
  }

  return {
    async issue(returnTo: string): Promise<SignInTicket> {
      const expires = Math.floor(clock.now() / 1000) + SIGN_IN_SECONDS;
      const target = Buffer.from(returnTo).toString('base64url');
      const body = [randomBytes(32).toString('base64url'), expires, target].join('.');
      return complete(await useKey(), body, returnTo);
    },
    /** Returns undefined unless we issued this ticket in the last ten minutes. */
    async read(text: string): Promise<SignInTicket | undefined> {
      const [seed, expires = '', target = '', ...rest] = text.split('.');
      const returnTo = Buffer.from(target, 'base64url').toString();
      const ticket = complete(await useKey(), [seed, expires, target].join('.'), returnTo);
      const isOurs = rest.length === 1 && equalSecrets(ticket.text, text);
      return isOurs && Number(expires) * 1000 > clock.now() ? ticket : undefined;
    },
  };
}

function complete(key: string, body: string, returnTo: string): SignInTicket {
  const sign = (purpose: string) => createHmac('sha256', key).update(`${purpose}:${body}`).digest('base64url');
  return {
    text: `${body}.${sign('cookie')}`,
    returnTo,
    state: sign('state'),
    nonce: sign('nonce'),
    verifier: sign('verifier'),
  };
}
