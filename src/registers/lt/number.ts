import type { CheckedNumber } from '../contract.ts';
import { findMod11CheckDigit } from '../parsing.ts';

const FIRST_WEIGHTS = [1, 2, 3, 4, 5, 6, 7, 8];
const SECOND_WEIGHTS = [3, 4, 5, 6, 7, 8, 9, 1];

export function findCheckDigit(digits: string): number | null {
  return findMod11CheckDigit(digits, FIRST_WEIGHTS, SECOND_WEIGHTS);
}

/** The check digit is known for nine-digit codes only. Old codes may have seven digits; for them the result is null. */
export function hasValidCheckDigit(number: string): boolean | null {
  return /^\d{9}$/.test(number) ? String(findCheckDigit(number.slice(0, 8))) === number[8] : null;
}

export function checkNumber(text: string): CheckedNumber | null {
  if (!/^(?:\d{7}|\d{9})$/.test(text)) return null;
  return { kind: 'legal entity code', number: text, valid: hasValidCheckDigit(text) };
}
