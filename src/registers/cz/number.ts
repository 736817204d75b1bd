/** IČO: seven digits and a check digit. */
import type { CheckedNumber } from '../contract.ts';
import { weighDigits } from '../parsing.ts';

const WEIGHTS = [8, 7, 6, 5, 4, 3, 2];

/** 11 minus the remainder; 10 becomes 0 and 11 becomes 1. */
export function findCheckDigit(digits: string): number | null {
  const sum = weighDigits(digits, WEIGHTS);
  return sum === null ? null : (11 - (sum % 11)) % 10;
}

export function isValidNumber(number: string): boolean {
  return number.length === 8 && String(findCheckDigit(number.slice(0, 7))) === number[7];
}

/** Leading zeros are often left out. */
export function checkNumber(text: string): CheckedNumber | null {
  if (!/^\d{5,8}$/.test(text)) return null;
  const number = text.padStart(8, '0');
  return { kind: 'IČO', number, valid: isValidNumber(number) };
}
