import type { CheckedNumber } from '../contract.ts';

/** An LEI is 18 letters or digits followed by two check digits (ISO 7064, mod 97-10). */
export function isValidLei(lei: string): boolean {
  return /^[0-9A-Z]{18}\d{2}$/.test(lei) && remainder(lei) === 1;
}

export function findCheckDigits(body: string): string {
  return String(98 - remainder(`${body}00`)).padStart(2, '0');
}

/** Letters count as 10 to 35. The remainder is taken at each step, because a double cannot hold the full number. */
function remainder(text: string): number {
  let rest = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

export function checkNumber(text: string): CheckedNumber | null {
  return /^[0-9A-Z]{18}\d{2}$/.test(text) ? { kind: 'LEI', number: text, valid: isValidLei(text) } : null;
}
