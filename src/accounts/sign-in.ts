import { hkdfSync, randomBytes } from 'node:crypto';
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
import { readIdentity } from './token-verifier.ts';

/** Sign-in with a browser: the authorization code flow of OpenID Connect, with PKCE, state and nonce. */
export interface SignIn {
  isConfigured(): boolean;
  /** Returns the address to send the browser to, and the secret that its cookie has to bring back. */
  begin(callbackUrl: string): Promise<{ readonly url: string; readonly secret: string }>;
  /**
   * Returns the user that came back to `currentUrl`. Throws `invalid_session` unless this browser started the sign-in.
   */
  finish(currentUrl: URL, secret: string): Promise<Identity>;
}

export function createSignIn(issuer: Issuer): SignIn {
  const isConfigured = () => issuer.settings()?.clientId !== undefined;

  async function discover() {
    if (!isConfigured()) throw fail('service_unavailable', { message: 'Sign-in is not configured on this server.' });
    return issuer.discover();
  }

  return {
    isConfigured,
    async begin(callbackUrl) {
      const secret = randomBytes(32).toString('base64url');
      const { state, nonce, verifier } = deriveChecks(secret);
      const url = buildAuthorizationUrl(await discover(), {
        redirect_uri: callbackUrl,
        scope: 'openid email profile',
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return { url: url.href, secret };
    },
    async finish(currentUrl, secret) {
      const configuration = await discover();
      const { state, nonce, verifier } = deriveChecks(secret);
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
      return readIdentity(configuration.serverMetadata().issuer, claims);
    },
  };
}

/**
 * Derives all three values from the secret in the browser's cookie, so we store nothing and any machine can finish the
 * sign-in. A state from another browser cannot match, and the provider redeems a code only once.
 */
function deriveChecks(secret: string): { state: string; nonce: string; verifier: string } {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)).toString('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

/**
 * A rejected sign-in or a mismatch is `invalid_session`; a provider that does not answer properly is
 * `service_unavailable`.
 */
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
