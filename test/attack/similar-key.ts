import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM_LENGTH = 6;

/** Another well-formed API key that agrees with this one in all random characters but the last. */
export function forgeSimilarKey(key: string): string {
  const random = key.slice(0, -CHECKSUM_LENGTH);
  const body = random.slice(0, -1) + (random.endsWith('0') ? '1' : '0');
  let rest = crc32(body);
  let checksum = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit++) {
    checksum = DIGITS[rest % DIGITS.length] + checksum;
    rest = Math.floor(rest / DIGITS.length);
  }
  return body + checksum;
}
