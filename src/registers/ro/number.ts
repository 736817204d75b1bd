/** The fiscal code (CUI): two to ten digits, the last one of which is a check digit. */
import type { CheckedNumber } from '../contract.ts';
import { weighDigits } from '../parsing.ts';

const WEIGHTS = [7, 5, 3, 2, 1, 7, 5, 3, 2];

/** The digits before the check digit are aligned with the nine weights from the right. */
export function findTaxCheckDigit(digits: string): number | null {
  const sum = weighDigits(digits.padStart(WEIGHTS.length, '0'), WEIGHTS);
  return sum === null ? null : ((sum * 10) % 11) % 10;
}

export function isValidTaxNumber(number: string): boolean {
  return number.length >= 2 && String(findTaxCheckDigit(number.slice(0, -1))) === number.at(-1);
}

/** Old entries of sole traders have the owner's personal number (CNP) instead. */
export function isPersonalNumber(number: string): boolean {
  return /^\d{13}$/.test(number);
}

/** The register has both numbers: that of the trade register, which has no known check digit, and the fiscal code. */
export function checkNumber(text: string): CheckedNumber | null {
  const kind = 'trade register number';
  const [, county, serial, year] = /^([JFC]\d{2})(\d{1,6})((?:19|20)\d{2})$/.exec(text) ?? [];
  if (county !== undefined) return { kind, number: `${county}/${serial}/${year}`, valid: null };
  if (/^[JFC]\d{13}$/.test(text)) return { kind, number: text, valid: null };
  return /^\d{2,10}$/.test(text) ? { kind: 'CUI', number: text, valid: isValidTaxNumber(text) } : null;
}
