import { createHmac, randomBytes } from 'node:crypto';
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientError,
  calculatePKCECodeChallenge,
  ResponseBodyError,
} from 'openid-client';
import type { Clock } from '../base/clock.ts';
import type { Db } from '../base/db/db.ts';
import { fail } from '../base/errors.ts';
import { equalSecrets } from '../base/secrets.ts';
import type { Identity } from './accounts.ts';
import { type Issuer, unreachable } from './issuer.ts';
import { holdSignInKey } from './store.ts';
import { parseIdentity } from './token-verifier.ts';

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
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: callbackUrl,
        scope: 'openid email profile',
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return { url: url.href, ticket: text };
    },
    /**
     * Returns the user that came back to `currentUrl`, or undefined if the ticket has expired or is not ours. Throws
     * `invalid_session` unless this browser started the sign-in.
     */
    async finish(currentUrl: URL, text: string): Promise<FinishedSignIn | undefined> {
      const ticket = await tickets.read(text);
      if (ticket === undefined) return undefined;
      const { state, nonce, verifier, returnTo } = ticket;
      const configuration = await discover();
      const tokens = await authorizationCodeGrant(configuration, currentUrl, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      }).catch((error: unknown) => {
        throw toFailure(error);
      });
      const claims = tokens.claims();
      if (claims === undefined) throw unreachable(new Error('the identity provider sent no ID token'));
      return { identity: parseIdentity(configuration.serverMetadata().issuer, claims), returnTo };
    },
  };
}

const OUTAGE_CODES = ['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_PARSE_ERROR'];

/** A rejected sign-in or a mismatch is `invalid_session`; a provider that does not answer properly is `service_unavailable`. */
function toFailure(error: unknown): unknown {
  const isMismatch = error instanceof ClientError && !OUTAGE_CODES.includes(error.code ?? '');
  const isRejected = error instanceof AuthorizationResponseError || error instanceof ResponseBodyError;
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
