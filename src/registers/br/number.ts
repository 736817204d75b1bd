import type { CheckedNumber } from '../contract.ts';

/** CNPJ: eight characters for the company, four for the establishment, two check digits. */

const FIRST = [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
const SECOND = [6, ...FIRST];

/** The two check digits that follow the first twelve characters. Null if these are not digits and capital letters. */
export function findCheckDigits(body: string): string | null {
  if (!/^[0-9A-Z]{12}$/.test(body)) return null;
  const first = findDigit(body, FIRST);
  return `${first}${findDigit(`${body}${first}`, SECOND)}`;
}

/** New numbers may have letters. A character counts as its code minus that of `0`: `A` is 17, `Z` is 42. */
function findDigit(characters: string, weights: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < weights.length; at++) sum += (weights[at] ?? 0) * (characters.charCodeAt(at) - 48);
  return sum % 11 < 2 ? 0 : 11 - (sum % 11);
}

export function isValidNumber(number: string): boolean {
  return number.length === 14 && number.slice(12) === findCheckDigits(number.slice(0, 12));
}

/** The first part stands for the company and has no check digits of its own. */
export function checkNumber(text: string): CheckedNumber | null {
  if (/^[0-9A-Z]{8}$/.test(text)) return { kind: 'CNPJ root', number: text, valid: null };
  if (!/^[0-9A-Z]{12}\d{2}$/.test(text)) return null;
  return { kind: 'CNPJ', number: text, valid: isValidNumber(text) };
}
