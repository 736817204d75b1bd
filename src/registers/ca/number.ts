import type { CheckedNumber } from '../contract.ts';

export function writeNumber(number: string): string {
  return number.replaceAll('-', '').replace(/^0+/, '');
}

/** The corporation number has up to eight digits and no check digit. */
export function checkNumber(text: string): CheckedNumber | null {
  const number = writeNumber(text);
  return /^\d{1,8}$/.test(number) ? { kind: 'corporation number', number, valid: null } : null;
}
