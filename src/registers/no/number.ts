/** The organisation number: eight digits and a check digit. */
import type { CheckedNumber } from '../contract.ts';
import { weighDigits } from '../parsing.ts';

const WEIGHTS = [3, 2, 7, 6, 5, 4, 3, 2];

/** 11 minus the weighted sum modulo 11, with 0 for 11. Null for 10: numbers with that check digit are not issued. */
export function findCheckDigit(digits: string): number | null {
  const sum = weighDigits(digits, WEIGHTS);
  const check = sum === null ? 10 : (11 - (sum % 11)) % 11;
  return check === 10 ? null : check;
}

export function isValidNumber(number: string): boolean {
  return number.length === 9 && String(findCheckDigit(number.slice(0, 8))) === number.slice(8);
}

export function checkNumber(text: string): CheckedNumber | null {
  return /^\d{9}$/.test(text) ? { kind: 'organisation number', number: text, valid: isValidNumber(text) } : null;
}
