/** The registry code: seven digits and a check digit. */
import { findMod11CheckDigit } from '../parsing.ts';

const FIRST_WEIGHTS = [1, 2, 3, 4, 5, 6, 7];
const SECOND_WEIGHTS = [3, 4, 5, 6, 7, 8, 9];

export function findCheckDigit(digits: string): number | null {
  return findMod11CheckDigit(digits, FIRST_WEIGHTS, SECOND_WEIGHTS);
}

export function isValidNumber(number: string): boolean {
  return number.length === 8 && String(findCheckDigit(number.slice(0, 7))) === number.slice(7);
}
