import type { CheckedNumber } from '../contract.ts';
import { weighDigits } from '../parsing.ts';

export const WEIGHTS: readonly number[] = [9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1];
export const REMAINDER = 3;

/** The check digit is known for eleven-digit numbers only. For other lengths the result is null. */
export function hasValidCheckDigit(number: string): boolean | null {
  const sum = weighDigits(number, WEIGHTS);
  return sum === null ? null : sum % 11 === REMAINDER;
}

export function checkNumber(text: string): CheckedNumber | null {
  if (!/^\d{11}$/.test(text)) return null;
  return { kind: 'registration number', number: text, valid: hasValidCheckDigit(text) };
}
