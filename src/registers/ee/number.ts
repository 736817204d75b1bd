/** The registry code: seven digits and a check digit. */
import type { CheckedNumber } from '../contract.ts';
import { findMod11CheckDigit } from '../parsing.ts';

const FIRST_WEIGHTS = [1, 2, 3, 4, 5, 6, 7];
const SECOND_WEIGHTS = [3, 4, 5, 6, 7, 8, 9];

export function findCheckDigit(digits: string): number | null {
  return findMod11CheckDigit(digits, FIRST_WEIGHTS, SECOND_WEIGHTS);
}

export function isValidNumber(number: string): boolean {
  return number.length === 8 && String(findCheckDigit(number.slice(0, 7))) === number.slice(7);
}

export function checkNumber(text: string): CheckedNumber | null {
  return /^\d{8}$/.test(text) ? { kind: 'registry code', number: text, valid: isValidNumber(text) } : null;
}
