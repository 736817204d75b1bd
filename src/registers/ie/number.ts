import type { CheckedNumber } from '../contract.ts';

export function writeNumber(number: string): string {
  return number.replace(/^0+/, '');
}

/** The company number has up to seven digits and no check digit. */
export function checkNumber(text: string): CheckedNumber | null {
  const number = writeNumber(text);
  return /^\d{1,7}$/.test(number) ? { kind: 'company number', number, valid: null } : null;
}
