import type { CheckedNumber } from '../contract.ts';
import { weighDigits } from '../parsing.ts';

const ACN_WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 1];
const ABN_WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];

/** The ninth digit of an ACN, from the eight before it. */
export function findAcnCheckDigit(digits: string): number | null {
  const sum = weighDigits(digits, ACN_WEIGHTS);
  return sum === null ? null : (10 - (sum % 10)) % 10;
}

export function isValidAcn(number: string): boolean {
  return number.length === 9 && String(findAcnCheckDigit(number.slice(0, 8))) === number.slice(8);
}

/** The rule subtracts 1 from the first digit before weighing. Its weight is 10, so this subtracts 10 from the sum. */
export function isValidAbn(number: string): boolean {
  const sum = weighDigits(number, ABN_WEIGHTS);
  return sum !== null && (sum - 10) % 89 === 0;
}

/** The ABN of a company is two digits and its ACN. Other ABNs belong to people and trusts, which the register does not have. */
export function checkNumber(text: string): CheckedNumber | null {
  if (/^\d{9}$/.test(text)) return { kind: 'ACN', number: text, valid: isValidAcn(text) };
  if (!/^\d{11}$/.test(text)) return null;
  const [number, valid] = [text.slice(2), isValidAbn(text)];
  return valid && !isValidAcn(number) ? null : { kind: 'ABN', number, valid };
}
