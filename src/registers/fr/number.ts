import type { CheckedNumber } from '../contract.ts';

/** SIREN (nine digits) and SIRET (fourteen digits) end with a check digit. */

/** Luhn: double every second digit from the right, less 9 if above 9. The sum must be a multiple of 10. */
export function isLuhn(number: string, length: number): boolean {
  if (number.length !== length || !/^\d+$/.test(number)) return false;
  let sum = 0;
  for (let index = 0; index < length; index++) {
    const digit = number.charCodeAt(length - 1 - index) - 48;
    const weighted = index % 2 === 1 ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

/** La Poste has so many establishments that the digits of their numbers only have to add up to a multiple of 5. */
const LA_POSTE = '356000000';

export function checkNumber(text: string): CheckedNumber | null {
  const number = text.slice(0, 9);
  if (/^\d{9}$/.test(text)) return { kind: 'SIREN', number, valid: isLuhn(text, 9) };
  if (!/^\d{14}$/.test(text)) return null;
  const isExempt = number === LA_POSTE && [...text].reduce((sum, digit) => sum + Number(digit), 0) % 5 === 0;
  return { kind: 'SIRET', number, valid: isExempt || (isLuhn(text, 14) && isLuhn(number, 9)) };
}
