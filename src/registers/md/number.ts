import type { CheckedNumber } from '../contract.ts';
import { weighDigits } from '../parsing.ts';

const WEIGHTS = [7, 3, 1, 7, 3, 1, 7, 3, 1, 7, 3, 1];

/** Null for the short fiscal codes from before 2002, which have no check digit. */
export function hasValidCheckDigit(number: string): boolean | null {
  if (number.length < 13 && /^\d+$/.test(number)) return null;
  const sum = number.length === 13 ? weighDigits(number.slice(0, 12), WEIGHTS) : null;
  return sum !== null && String(sum % 10) === number[12];
}

export function checkNumber(text: string): CheckedNumber | null {
  if (!/^(?:\d{5,8}|\d{13})$/.test(text)) return null;
  return { kind: text.length === 13 ? 'IDNO' : 'old fiscal code', number: text, valid: hasValidCheckDigit(text) };
}
