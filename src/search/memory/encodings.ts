import { type FewValuedName, type StoredValueName, storedValueNames } from '../../base/entity-summary.ts';
import { isicCodes, withParents } from '../../registers/classifications/isic.ts';

/** How the arrays of an index hold lists of documents, registration numbers, combinations of values and industries. */

/**
 * Sorted lists of documents as the gaps between them, in units of 16 bits: most lists of grams have gaps below 2^15, which take one
 * unit. In a longer gap, the lowest 15 bits come first, and all units but the last have the highest bit.
 */
const MORE = 0x8000;

export function countUnits(gap: number): number {
  return gap < MORE ? 1 : gap < MORE * MORE ? 2 : 3;
}

/** Returns where the next gap starts. The first gap of a list is the document plus one. */
export function writeGap(units: Uint16Array, at: number, gap: number): number {
  let end = at;
  let left = gap;
  for (; left >= MORE; left = Math.floor(left / MORE)) units[end++] = MORE | (left % MORE);
  units[end] = left;
  return end + 1;
}

/**
 * Writes the documents of a list to `docs`, which must have room for as many as there are units. Returns where they end. Adds 32-bit
 * integers, which is fastest; an array of unsigned numbers stores a sum that overflows as the right one.
 */
export function readGaps(units: Uint16Array, from: number, to: number, docs: Uint32Array, at: number): number {
  let end = at;
  let doc = -1;
  let shift = 0;
  for (let next = from; next < to; next++) {
    const unit = units[next] as number;
    doc = (doc + ((unit & (MORE - 1)) << shift)) | 0;
    // Every unit writes, and the last one of a gap is kept: a branch would be slower.
    docs[end] = doc;
    const more = unit >>> 15;
    shift = (shift + 15) * more;
    end += 1 - more;
  }
  return end;
}

/**
 * How the registration number that a result shows follows from the first of the document's folded numbers, which the
 * index already holds. This takes two bits per document. Storing the numbers again as text would take 14 bytes.
 */
export const NO_NUMBER = 0;
export const AS_FOLDED = 1;
/** The letters from a to z are in upper case. */
export const UPPER_CASE = 2;
/** Any other number is kept as a text. */
export const OTHER_NUMBER = 3;

const FORM_BITS = 2;

export function numbersForForms(docCount: number): number {
  return Math.ceil((docCount * FORM_BITS) / 32);
}

export function readForm(forms: Uint32Array, doc: number): number {
  return ((forms[doc >>> 4] as number) >>> ((doc & 15) * FORM_BITS)) & 3;
}

/** Sets the form of a document that has none yet: bits are only added. */
export function writeForm(forms: Uint32Array, doc: number, form: number): void {
  forms[doc >>> 4] = (forms[doc >>> 4] as number) | (form << ((doc & 15) * FORM_BITS));
}

/** The upper case of an ASCII letter. Other bytes stay as they are. */
export function toUpper(byte: number): number {
  return byte >= 0x61 && byte <= 0x7a ? byte - 32 : byte;
}

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

/** Where the value is in a combination; -1 if it is in none. */
export function partOf(name: FewValuedName): number {
  return combinedNames.indexOf(name as StoredValueName);
}

/** Sections and divisions of ISIC, which results are counted by. An index names them by their number in this list. */
export const industries: readonly string[] = isicCodes.filter((code) => code.length <= 2);

const NUMBERS = new Map(industries.map((code, number) => [code, number]));

/** The numbers of the section and the division of a code; a section has no division. */
export function industriesOf(code: string): readonly number[] {
  return withParents(code).flatMap((part) => NUMBERS.get(part) ?? []);
}

/** So many documents share an entry in `otherIndustryStarts`, so that a byte says which of them is meant. */
export const GROUP_SHIFT = 8;

/** Set in an entry of `otherIndustries` if no other activity of the company is in the section of this division. */
export const NEW_SECTION = 0x80;
