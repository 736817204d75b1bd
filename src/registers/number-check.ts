/** Which registers a number can belong to, and whether its check digits are right. Nothing is looked up. */
import { fold } from '../base/fold.ts';
import { removeSeparators } from '../base/search-keys.ts';
import type { CheckedNumber } from './contract.ts';
import { registers } from './index.ts';
import { readVatNumber } from './vat-numbers.ts';

export interface NumberMatch extends CheckedNumber {
  readonly register: string;
  /** Null for a register that spans countries. */
  readonly countryCode: string | null;
}

/** Valid numbers come first, then those without check digits. `country` is in upper case; undefined: all registers. */
export function matchNumber(text: string, country?: string): NumberMatch[] {
  const folded = fold(text);
  const vat = readVatNumber(folded);
  const number = vat?.number ?? removeSeparators(folded).toUpperCase();
  const matches = registers.flatMap((register): NumberMatch[] => {
    if (vat !== undefined && vat.country !== register.country) return [];
    if (country !== undefined && register.country !== null && register.country !== country) return [];
    const checked = register.checkNumber?.(number) ?? null;
    return checked === null ? [] : [{ register: register.id, countryCode: register.country, ...checked }];
  });
  return matches.sort((one, other) => rank(one) - rank(other));
}

function rank({ valid }: CheckedNumber): number {
  return valid === true ? 0 : valid === null ? 1 : 2;
}
