import { randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An id like Stripe's: a prefix for the kind of object, then random characters, too many to guess. */
export function makeId(prefix: string, length = 24): string {
  const random = Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${prefix}_${random}`;
}
