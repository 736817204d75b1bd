/**
 * How the registration number that a result shows follows from the first of the document's folded numbers, which the
 * index has anyway. This takes one byte per document; the numbers as texts would take 14.
 */
export const NO_NUMBER = 0;
export const AS_FOLDED = 1;
/** The letters from a to z are in upper case. */
export const UPPER_CASE = 2;
/** Any other number is kept as a text. */
export const OTHER_NUMBER = 3;

/** Of one byte of UTF-8. */
export function toUpper(byte: number): number {
  return byte >= 0x61 && byte <= 0x7a ? byte - 32 : byte;
}
