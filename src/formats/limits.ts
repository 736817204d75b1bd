import { formatCount } from '../base/format-count.ts';

/**
 * How much of a source file is read at once. A damaged or hostile file must neither fill the memory nor keep the import
 * busy, so each of these bounds is many times what official files have, and small enough that a file at the bound is
 * read within 350 MB. docs/operations.md lists them.
 */

/** Characters of a row of a CSV file or sheet. The longest row of the official samples has 4,626. */
export const MAX_ROW_LENGTH = 1_048_576;

/** Characters of a JSON or XML record. The longest official record of the samples has 5,493. */
export const MAX_RECORD_LENGTH = 4 * 1_048_576;

/** Columns of a table. The widest official table has 57. */
export const MAX_COLUMNS = 1_024;

/**
 * Levels of objects, arrays or elements in a JSON or XML record. Official records have 5. Code that visits a record level
 * by level, such as JSON.stringify, runs out of stack after some thousand.
 */
export const MAX_DEPTH = 64;

/** Objects and arrays of a JSON record: an empty object takes three characters in the file, and 64 bytes in memory. */
export const MAX_NODES = 250_000;

export const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep`;

/** Files in an archive. The largest official archive has 27. */
export const MAX_ENTRIES = 1_000;

/** Bytes of the shared strings of a workbook, which are in memory while its sheets are read. */
export const MAX_SHARED_STRINGS = 160 * 1_048_576;

/** Rows and columns of a sheet: the limits of spreadsheet programs. */
export const MAX_SHEET_ROWS = 1_048_576;
export const MAX_SHEET_COLUMNS = 16_384;

/**
 * Bytes that may come out of a packed file of this size. Official files expand by a factor of 5 to 25; deflate allows
 * 1,032, and a workbook whose cells repeat one long shared string has no bound at all.
 */
export function maxUnpacked(packedBytes: number): number {
  return 64 * 1_048_576 + 100 * packedBytes;
}

export function describeTooLarge(name: string, packedBytes: number): string {
  const limit = formatCount(maxUnpacked(packedBytes));
  return `${name} unpacks to more than ${limit} bytes, far more than an official file of its size: download it again`;
}
