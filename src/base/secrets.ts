import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * API keys, reconcile links and session tokens: creation, recognition and comparison. Only the SHA-256 hash of a secret is stored. The hash needs no
 * salt and no slow function: secrets are random and too long to guess, and every data request looks up its key by the hash.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;

/** Keys of the demo have their own prefix, for people and for secret scanners. */
export type KeyMode = 'live' | 'test';

/** The first letters of a secret, which show its purpose: an API key, or a reconcile link. */
export type SecretLabel = 'frm' | 'frl';

const SECRET = new RegExp(`^(frm|frl)_(?:live|test)_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);
const LABEL_LENGTH = 'frm_live_'.length;
/** The length of the part that is shown, enough to recognize a key. More than 200 random bits stay secret. */
const SHOWN_LENGTH = LABEL_LENGTH + 6;

export function createApiKey(mode: KeyMode, label: SecretLabel = 'frm'): string {
  const characters = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  const body = `${label}_${mode}_${characters.join('')}`;
  return body + checksum(body);
}

/** Whether a text has the form of our secrets. Detects incomplete or mistyped secrets without a database lookup. */
export function isWellFormedSecret(text: string, label: SecretLabel): boolean {
  if (SECRET.exec(text)?.[1] !== label) return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return text.endsWith(checksum(body));
}

export function prefixOf(secret: string): string {
  return secret.slice(0, SHOWN_LENGTH);
}

/** A token of 256 random bits, for a session or the address of a feed. The token contains no information about the user. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Compares in constant time, whatever the position of the first difference and the lengths. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}

/** CRC-32 in base62. The checksum detects every changed character and every pair of swapped neighbours. */
function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
