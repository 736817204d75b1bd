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

/** Sign-in with a browser: the code flow of OpenID Connect, with PKCE, state and nonce. */
export interface SignIn {
  isConfigured(): boolean;
  /** Where to send the browser, and the secret it has to bring back. */
  begin(callbackUrl: string): Promise<{ readonly url: string; readonly secret: string }>;
  /** Who came back to `currentUrl`. Throws `invalid_session` unless it is the answer to what this browser began. */
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
        throw explain(error);
      });
      const claims = tokens.claims();
      if (claims === undefined) throw unreachable(new Error('the identity provider sent no ID token'));
      return readIdentity(configuration.serverMetadata().issuer, claims);
    },
  };
}

/**
 * Everything that has to match is derived from the one secret in the browser's cookie, so that we keep nothing, on any
 * machine: a state that this browser was not given cannot match, and the provider redeems a code only once.
 */
function deriveChecks(secret: string): { state: string; nonce: string; verifier: string } {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)).toString('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

/** The provider's refusal and an answer that does not match are the browser's matter; silence is the provider's. */
function explain(error: unknown): unknown {
  const refused = error instanceof AuthorizationResponseError || error instanceof ResponseBodyError;
  if (refused || (error instanceof ClientError && !isSilence(error))) return fail('invalid_session', { cause: error });
  return unreachable(error);
}

const SILENCE = ['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_PARSE_ERROR'];

function isSilence({ code }: ClientError): boolean {
  return SILENCE.includes(code ?? '');
}
