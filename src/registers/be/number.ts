import type { CheckedNumber } from '../contract.ts';

/** `NNNN.NNN.NNN`: the last two digits are 97 minus the first eight modulo 97, so they range from 01 to 97. */
export function isValidNumber(number: string): boolean {
  const digits = number.replaceAll('.', '');
  return /^[01]\d{9}$/.test(digits) && 97 - (Number(digits.slice(0, 8)) % 97) === Number(digits.slice(8));
}

export function writeNumber(number: string): string {
  return number.replace(/^(\d{4})\.?(\d{3})\.?(\d{3})$/, '$1.$2.$3');
}

/** Numbers from before 2005 have nine digits; a zero was put in front of them. */
export function checkNumber(text: string): CheckedNumber | null {
  if (!/^[01]?\d{9}$/.test(text)) return null;
  const digits = text.padStart(10, '0');
  return { kind: 'enterprise number', number: writeNumber(digits), valid: isValidNumber(digits) };
}
