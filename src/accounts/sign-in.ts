import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientError,
  calculatePKCECodeChallenge,
  ResponseBodyError,
} from 'openid-client';
import { fail } from '../core/errors.ts';
import type { Identity } from './accounts.ts';
import { type Issuer, unreachable } from './issuer.ts';
import type { SignInTickets } from './sign-in-ticket.ts';
import { readIdentity } from './token-verifier.ts';

/** Sign-in with a browser: the authorization code flow of OpenID Connect, with PKCE, state and nonce. */
export interface SignIn {
  isConfigured(): boolean;
  /** Returns the address to send the browser to, and the ticket that its cookie has to bring back. */
  begin(callbackUrl: string, returnTo: string): Promise<{ readonly url: string; readonly ticket: string }>;
  /**
   * Returns the user that came back to `currentUrl`, or undefined if the ticket has expired or is not ours. Throws
   * `invalid_session` unless this browser started the sign-in.
   */
  finish(currentUrl: URL, ticket: string): Promise<FinishedSignIn | undefined>;
}

interface FinishedSignIn {
  readonly identity: Identity;
  readonly returnTo: string;
}

export function createSignIn(issuer: Issuer, tickets: SignInTickets): SignIn {
  const isConfigured = () => issuer.settings()?.clientId !== undefined;

  async function discover() {
    if (!isConfigured()) throw fail('service_unavailable', { message: 'Sign-in is not configured on this server.' });
    return issuer.discover();
  }

  return {
    isConfigured,
    async begin(callbackUrl, returnTo) {
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
    async finish(currentUrl, text) {
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
      return { identity: readIdentity(configuration.serverMetadata().issuer, claims), returnTo };
    },
  };
}

/** A rejected sign-in or a mismatch is `invalid_session`; a provider that does not answer properly is `service_unavailable`. */
function toFailure(error: unknown): unknown {
  const isRejected = error instanceof AuthorizationResponseError || error instanceof ResponseBodyError;
  if (isRejected || (error instanceof ClientError && !isOutage(error)))
    return fail('invalid_session', { cause: error });
  return unreachable(error);
}

const OUTAGE_CODES = ['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_PARSE_ERROR'];

function isOutage({ code }: ClientError): boolean {
  return OUTAGE_CODES.includes(code ?? '');
}
