/** The organisation number: eight digits and a check digit. */
import { weighDigits } from '../vocabulary.ts';

const WEIGHTS = [3, 2, 7, 6, 5, 4, 3, 2];

/** 11 minus the weighted sum modulo 11, where 11 is written 0; eight digits whose check would be 10 are never given out. */
export function findCheckDigit(digits: string): number | null {
  const sum = weighDigits(digits, WEIGHTS);
  const check = sum === null ? 10 : (11 - (sum % 11)) % 11;
  return check === 10 ? null : check;
}

export function isValidNumber(number: string): boolean {
  return number.length === 9 && String(findCheckDigit(number.slice(0, 8))) === number.slice(8);
}
