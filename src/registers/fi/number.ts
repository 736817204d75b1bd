/** Y-tunnus: seven digits, a dash and a check digit. */
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
