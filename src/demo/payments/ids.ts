import { randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An id as Stripe makes them: a prefix that tells the kind, and far too many characters to guess. */
export function makeId(prefix: string, length = 24): string {
  const random = Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${prefix}_${random}`;
}
