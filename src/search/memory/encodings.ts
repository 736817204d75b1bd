import { type FewValuedName, type StoredValueName, storedValueNames } from '../../base/entity-summary.ts';
import { isicCodes, withParents } from '../../registers/classifications/isic.ts';

/** How the arrays of an index hold lists of documents, registration numbers, combinations of values and industries. */

/**
 * Sorted lists of documents are stored as gaps between documents, in units of 16 bits: most lists of grams have gaps below 2^15, which
 * take one unit. In a longer gap, the lowest 15 bits come first, and all units but the last have their highest bit set.
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
 * Writes the documents of a list to `docs`, which must have room for one document per unit. Returns where the documents end. Adding
 * 32-bit integers is fastest; if a sum overflows, the array of unsigned numbers still stores the right number.
 */
export function readGaps(units: Uint16Array, from: number, to: number, docs: Uint32Array, at: number): number {
  let end = at;
  let doc = -1;
  let shift = 0;
  for (let next = from; next < to; next++) {
    const unit = units[next] as number;
    doc = (doc + ((unit & (MORE - 1)) << shift)) | 0;
    // Every unit writes a number, and the last unit of a gap overwrites the others: a branch would be slower.
    docs[end] = doc;
    const more = unit >>> 15;
    shift = (shift + 15) * more;
    end += 1 - more;
  }
  return end;
}

/**
 * How the registration number of a result is derived from the first folded number of the document, which the index already
 * holds. This takes two bits per document. Storing the numbers again as text would take 14 bytes.
 */
export const NO_NUMBER = 0;
/** The folded number with the letters from a to z in upper case. */
export const UPPER_CASE = 1;
/** The number cannot be derived, so it is stored as a text. */
export const OTHER_NUMBER = 2;

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
 * The other columns of the store with few values occur in few combinations. An index has the number of each document's combination, so that
 * writing a document misses the processor's cache once for all these columns. The code of the legal form is the last part of a
 * combination: its number in `formCodes` plus one, or 0.
 */
export const combinedNames = storedValueNames.filter((name) => !singleNames.includes(name as 'city'));
export const COMBINATION = combinedNames.length + 1;
export const FORM_CODE = combinedNames.length;

/** The position of the column's value in a combination; -1 for a column that is not part of combinations. */
export function partOf(name: FewValuedName): number {
  return combinedNames.indexOf(name as StoredValueName);
}

/** Sections and divisions of ISIC, by which results are counted. An index stores the position of a section or division in this list. */
export const industries: readonly string[] = isicCodes.filter((code) => code.length <= 2);

const NUMBERS = new Map(industries.map((code, number) => [code, number]));

/** The numbers of the section and the division of a code; a section has no division. */
export function industriesOf(code: string): readonly number[] {
  return withParents(code).flatMap((part) => NUMBERS.get(part) ?? []);
}
