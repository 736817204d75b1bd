/** Y-tunnus: seven digits, a dash and a check digit. */
import type { CheckedNumber } from '../contract.ts';
import { weighDigits } from '../parsing.ts';

const WEIGHTS = [7, 9, 10, 5, 8, 4, 2];

/** Null if the check digit would be 10: such numbers are never issued. */
export function findCheckDigit(digits: string): number | null {
  const sum = weighDigits(digits, WEIGHTS);
  if (sum === null || sum % 11 === 1) return null;
  return sum % 11 === 0 ? 0 : 11 - (sum % 11);
}

export function isValidNumber(number: string): boolean {
  return /^\d{7}-\d$/.test(number) && String(findCheckDigit(number.slice(0, 7))) === number.slice(8);
}

/** Old numbers were written without their leading zero. */
export function checkNumber(text: string): CheckedNumber | null {
  if (!/^\d{7,8}$/.test(text)) return null;
  const number = text.padStart(8, '0').replace(/(?=\d$)/, '-');
  return { kind: 'Y-tunnus', number, valid: isValidNumber(number) };
}
