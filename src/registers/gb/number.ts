import type { CheckedNumber } from '../contract.ts';

/** Eight digits, two letters and six digits, or an older form such as `IP10067R` and `R0000123`. There is no check digit. */
const FORM = /^(?:\d{8}|[A-Z]{2}\d{5}[0-9A-Z]|R\d{7})$/;

/** Leading zeros are often left out. */
export function writeNumber(number: string): string {
  return /^\d+$/.test(number) ? number.padStart(8, '0') : number.toUpperCase();
}

export function checkNumber(text: string): CheckedNumber | null {
  const number = writeNumber(text);
  return FORM.test(number) ? { kind: 'company number', number, valid: null } : null;
}
