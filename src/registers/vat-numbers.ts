/** VAT numbers that contain the national number of a company, as the registers declare them (`vatNumber`). */
import { removeSeparators } from '../base/search-keys.ts';
import { registers } from './index.ts';

const patterns = registers.flatMap(({ country, vatNumber }) =>
  country === null || vatNumber === undefined ? [] : [{ country, vatNumber }],
);

/** Reads a VAT number with the prefix of its country, with or without separators. `number` has neither prefix nor separators. */
export function readVatNumber(folded: string) {
  if (!STARTS_LIKE_VAT.test(folded)) return undefined;
  const text = removeSeparators(folded).toUpperCase();
  for (const { country, vatNumber } of patterns) {
    const number = vatNumber.exec(text)?.[1];
    if (number !== undefined) return { country, number };
  }
  return undefined;
}

/** Two letters and a digit, to answer quickly for all other queries. */
const STARTS_LIKE_VAT = /^[a-z]{2}[ ./-]*[0-9]/;
