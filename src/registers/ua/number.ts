/** The EDRPOU number: seven digits and a check digit. */
import type { CheckedNumber } from '../contract.ts';
import { findMod11CheckDigit } from '../parsing.ts';

const WEIGHTS = [1, 2, 3, 4, 5, 6, 7];
/** For numbers from 30 000 000 up to, but not including, 60 000 000. */
const MIDDLE_WEIGHTS = [7, 1, 2, 3, 4, 5, 6];

export function findCheckDigit(digits: string): number | null {
  const isMiddle = digits >= '3000000' && digits < '6000000';
  const weights = isMiddle ? MIDDLE_WEIGHTS : WEIGHTS;
  return findMod11CheckDigit(
    digits,
    weights,
    weights.map((weight) => weight + 2),
  );
}

export function isValidNumber(number: string): boolean {
  return number.length === 8 && String(findCheckDigit(number.slice(0, 7))) === number.slice(7);
}

export function checkNumber(text: string): CheckedNumber | null {
  return /^\d{8}$/.test(text) ? { kind: 'EDRPOU', number: text, valid: isValidNumber(text) } : null;
}
