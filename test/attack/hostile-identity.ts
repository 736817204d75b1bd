import type { IncomingMessage, ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { TestService } from '../harness/service.ts';
import { type HostileServer, sendJson, startHostile } from './hostile-server.ts';

type Part = 'discovery' | 'keys' | 'token';
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A compromised identity provider. It follows the protocol except where a test sets another answer. */
export interface HostileIdentity extends HostileServer {
  readonly env: Readonly<Record<string, string>>;
  /** Replaces the answers of single endpoints; the others stay correct. */
  answers: Partial<Record<Part, Answer>>;
  signToken(claims?: Record<string, unknown>): Promise<string>;
  /** Signs in with an ID token that has these claims, and returns the reply of the callback. */
  signIn(service: TestService, claims: Record<string, unknown>): Promise<Response>;
}

const AUDIENCE = 'firmament';

export async function startHostileIdentity(): Promise<HostileIdentity> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' };
  let idToken = '';
  const server = await startHostile((request, response) => {
    const part = PARTS[new URL(request.url ?? '', 'http://x').pathname];
    const own = part && identity.answers[part];
    if (own !== undefined) own(request, response);
    else if (part === 'discovery') sendJson(response, describe(server.url));
    else if (part === 'keys') sendJson(response, { keys: [jwk] });
    else sendJson(response, { access_token: 'a', token_type: 'Bearer', id_token: idToken });
  });
  const sign = (claims: Record<string, unknown>) => {
    const seconds = Math.floor(Date.now() / 1000);
    const payload = { iss: server.url, aud: AUDIENCE, sub: 'anna', iat: seconds, exp: seconds + 600, ...claims };
    return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(privateKey);
  };
  const identity: HostileIdentity = {
    ...server,
    env: { OIDC_ISSUER: server.url, OIDC_CLIENT_ID: AUDIENCE },
    answers: {},
    signToken: (claims = {}) => sign(claims),
    async signIn(service, claims) {
      const left = await fetch(`${service.url}/auth/login`, { redirect: 'manual' });
      const sent = new URL(left.headers.get('location') ?? '').searchParams;
      idToken = await sign({ nonce: sent.get('nonce'), ...claims });
      const [cookie = ''] = left.headers.getSetCookie().map((each) => each.split(';', 1)[0] ?? '');
      const query = new URLSearchParams({ code: 'c', state: sent.get('state') ?? '', iss: server.url });
      return fetch(`${service.url}/auth/callback?${query}`, { redirect: 'manual', headers: { cookie } });
    },
  };
  return identity;
}

const PARTS: Readonly<Record<string, Part>> = {
  '/.well-known/openid-configuration': 'discovery',
  '/keys': 'keys',
  '/token': 'token',
};

export function describe(url: string, changes: Record<string, unknown> = {}): object {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    response_types_supported: ['code'],
    id_token_signing_alg_values_supported: ['ES256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    ...changes,
  };
}
