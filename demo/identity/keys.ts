import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { readPrivateFile, writePrivateFile } from '../private-file.ts';

/** The keys and secrets of the demo's identity provider, stored so that sessions and tokens survive a restart. */
export interface IdentityKeys {
  /** The issuer of the last run; it contains the port. */
  readonly issuer: string | null;
  readonly signingKey: JWK;
  readonly cookieKey: string;
  readonly clientSecret: string;
}

export const DEMO_CLIENT = 'firmament-demo';
export const DEMO_AUDIENCE = 'firmament-demo-api';
const ALGORITHM = 'RS256';

export async function openIdentityKeys(dataDir: string): Promise<IdentityKeys> {
  const stored = readIdentityKeys(dataDir);
  if (stored !== undefined) return stored;
  const created = await createIdentityKeys();
  writePrivateFile(pathOf(dataDir), created);
  return created;
}

export function readIdentityKeys(dataDir: string): IdentityKeys | undefined {
  const stored = readPrivateFile(pathOf(dataDir)) as Partial<IdentityKeys> | undefined;
  return stored?.signingKey?.kid === undefined ? undefined : (stored as IdentityKeys);
}

export function saveIssuer(dataDir: string, keys: IdentityKeys, issuer: string): void {
  writePrivateFile(pathOf(dataDir), { ...keys, issuer });
}

export async function createIdentityKeys(): Promise<IdentityKeys> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const signingKey = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: ALGORITHM, use: 'sig' };
  const [cookieKey, clientSecret] = [randomSecret(), randomSecret()];
  return { issuer: null, signingKey, cookieKey, clientSecret };
}

interface TokenRequest {
  readonly issuer: string;
  readonly email: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly lifeSeconds: number;
}

/** Signs a session token like those the provider issues. */
export async function signSessionToken({ signingKey }: IdentityKeys, request: TokenRequest): Promise<string> {
  const { issuer, email, now, lifeSeconds } = request;
  const issuedAt = Math.floor(now / 1000);
  return new SignJWT({ ...claimsOf(email), client_id: DEMO_CLIENT, scope: 'openid email profile' })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'at+jwt', ...(signingKey.kid && { kid: signingKey.kid }) })
    .setIssuer(issuer)
    .setAudience(DEMO_AUDIENCE)
    .setJti(randomUUID())
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifeSeconds)
    .sign(await importJWK(signingKey, ALGORITHM));
}

/** In the demo, users are identified by their e-mail address, ignoring case. */
export function subjectOf(email: string): string {
  return email.trim().toLowerCase();
}

export function claimsOf(email: string): { sub: string; email: string; email_verified: boolean; name: string } {
  const sub = subjectOf(email);
  return { sub, email: sub, email_verified: true, name: sub.split('@', 1)[0] ?? sub };
}

export function isEmail(text: string): boolean {
  return text.length <= 200 && /^[^\s@<>"',;:\\]+@[^\s@<>"',;:\\]+$/.test(text.trim());
}

function pathOf(dataDir: string): string {
  return join(dataDir, 'demo-identity.json');
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}
