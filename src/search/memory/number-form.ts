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
