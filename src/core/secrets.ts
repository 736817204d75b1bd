import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * API keys and session tokens: how they are made, recognized and compared. A secret is kept as its SHA-256 hash only. No
 * salt and no slow hash: both are random and far too long to be guessed, and a data request looks its key up by it.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;

/** Keys of the demo are told apart at a glance, also by secret scanners. */
export type KeyMode = 'live' | 'test';

const KEY = new RegExp(`^frm_(?:live|test)_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);
const LABEL_LENGTH = 'frm_live_'.length;
/** Enough to tell one's keys apart, while 200 random bits stay untold. */
const SHOWN_LENGTH = LABEL_LENGTH + 6;

export function createApiKey(mode: KeyMode): string {
  // randomInt is uniform; a byte modulo 62 would prefer the first eight characters.
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const body = `frm_${mode}_${random}`;
  return body + checksum(body);
}

/** Whether a key can be one of ours. One that was damaged in copying is told without a look-up. */
export function isWellFormedKey(text: string): boolean {
  if (!KEY.test(text)) return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return text.endsWith(checksum(body));
}

/** The part of a key that may be shown in lists. */
export function prefixOf(key: string): string {
  return key.slice(0, SHOWN_LENGTH);
}

/** 256 random bits; says nothing about whose it is. */
export function createSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Takes the same time wherever two secrets differ, whatever their lengths. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}

/** CRC-32 in base62, which finds every single damaged character and every two swapped neighbours. */
function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
