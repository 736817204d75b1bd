/** CNPJ: eight characters for the company, four for the establishment, two check digits. */
import { weighDigits } from '../parsing.ts';

const FIRST = [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
const SECOND = [6, ...FIRST];

/**
 * The two check digits that follow the first twelve characters. Null if these include letters: letters have been
 * announced for new numbers, but the documentation we have does not say how they count in the check.
 */
export function findCheckDigits(body: string): string | null {
  const first = findDigit(body, FIRST);
  return first === null ? null : `${first}${findDigit(`${body}${first}`, SECOND)}`;
}

function findDigit(digits: string, weights: readonly number[]): number | null {
  const sum = weighDigits(digits, weights);
  if (sum === null) return null;
  return sum % 11 < 2 ? 0 : 11 - (sum % 11);
}

/** Null if the number contains letters, so that the check cannot be computed. */
export function isValidNumber(number: string): boolean | null {
  if (number.length !== 14) return false;
  const check = findCheckDigits(number.slice(0, 12));
  return check === null ? null : number.endsWith(check);
}
