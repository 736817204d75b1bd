import { importJWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { DEMO_AUDIENCE } from '../../demo/identity/keys.ts';
import type { TestIdentityProvider } from '../harness/identity.ts';
import type { TestService } from '../harness/service.ts';

export const HOUR = 3_600;

/** Signs a token like the provider, with changed claims or header. */
export async function sign(
  { issuer, keys }: Pick<TestIdentityProvider, 'issuer' | 'keys'>,
  now: number,
  claims: Record<string, unknown> = {},
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> {
  const seconds = Math.floor(now / 1000);
  const payload = { iss: issuer, aud: DEMO_AUDIENCE, sub: 'anna', iat: seconds, exp: seconds + HOUR, ...claims };
  const { kid = '', alg = '' } = keys.signingKey;
  return new SignJWT(payload)
    .setProtectedHeader({ alg, kid, ...header })
    .sign(await importJWK(keys.signingKey, header.alg ?? alg));
}

/** Requests the profile of the user that the token names. */
export const askMe = (service: TestService, token: string) =>
  service.client.get('/api/v1/auth/me', { headers: { authorization: `Bearer ${token}` } });
