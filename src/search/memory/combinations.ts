import { type FewValuedName, type StoredValueName, storedValueNames } from '../../core/entity-summary.ts';
import type { IndexArrays } from './search-index.ts';

/** Columns with thousands of values. */
export const singleNames = ['city', 'registeredAt'] as const satisfies readonly StoredValueName[];

/**
 * The other columns of the store with few values occur in few combinations. An index has the number of each document's combination, so
 * that writing a document misses the processor's cache once for all of them. The code of the legal form is the last part of a
 * combination: its number in `formCodes` plus one, or 0.
 */
export const combinedNames = storedValueNames.filter((name) => !singleNames.includes(name as 'city'));
export const COMBINATION = combinedNames.length + 1;
export const FORM_CODE = combinedNames.length;

export type CombinationArrays = Pick<IndexArrays, 'combination' | 'combinationParts'>;

/** Where the value is in a combination; -1 if it is in none. */
export function partOf(name: FewValuedName): number {
  return combinedNames.indexOf(name as StoredValueName);
}
