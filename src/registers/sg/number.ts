import type { CheckedNumber } from '../contract.ts';

/**
 * The Unique Entity Number (UEN). It has three formats, and ends with a check letter. The formulas of local companies and
 * other entities were verified on real numbers.
 */
interface Format {
  readonly name: string;
  readonly pattern: RegExp;
  readonly weights: readonly number[];
  /** The check letters by the weighted sum modulo 11. */
  readonly letters: string;
}

/** In the third format, the value of a character is its position in this text. */
const CHARACTERS = 'ABCDEFGHJKLMNPQRSTUVWX0123456789';

const FORMATS: readonly Format[] = [
  { name: 'business', pattern: /^\d{8}[A-Z]$/, weights: [10, 4, 9, 3, 8, 2, 7, 1], letters: 'XMKECAWLJDB' },
  { name: 'local company', pattern: /^\d{9}[A-Z]$/, weights: [10, 8, 6, 4, 9, 7, 5, 3, 1], letters: 'ZKCMDNERGWH' },
  {
    name: 'other entity',
    pattern: /^[RST]\d{2}[A-Z]{2}\d{4}[A-Z]$/,
    weights: [4, 3, 5, 3, 10, 2, 2, 5, 7],
    letters: 'GHJKLABCDEF',
  },
];

function findFormat(number: string): Format | undefined {
  return FORMATS.find(({ pattern }) => pattern.test(number));
}

export function nameFormat(number: string | null): string | null {
  return (number !== null && findFormat(number)?.name) || null;
}

/** The check letter of a number without its last character; null for a number in another format. */
export function findCheckLetter(digits: string): string | null {
  const format = findFormat(`${digits}A`);
  if (format === undefined) return null;
  const { name, weights, letters } = format;
  const characters = name === 'other entity' ? CHARACTERS : '0123456789';
  const sum = weights.reduce((total, weight, index) => total + weight * characters.indexOf(digits[index] ?? ''), 0);
  return letters[sum % 11] ?? null;
}

export function isValidNumber(number: string): boolean {
  return findCheckLetter(number.slice(0, -1)) === number.at(-1);
}

export function checkNumber(text: string): CheckedNumber | null {
  return nameFormat(text) === null ? null : { kind: 'UEN', number: text, valid: isValidNumber(text) };
}
