/**
 * CSV for spreadsheets: RFC 4180, with a byte order mark, without which Excel reads UTF-8 as a code page. Spreadsheets run a cell that matches
 * `FORMULA` as a formula, and names come from registers, so such a cell gets an apostrophe in front.
 */

export function writeCsvHeader(header: readonly string[], own = 0): string {
  return `\ufeff${writeCsvRow(header, own)}`;
}

/** The first `own` cells are written unchanged: they come from the file of the reader, not from a register. */
export function writeCsvRow(cells: readonly (string | null)[], own = 0): string {
  let row = '';
  for (let index = 0; index < cells.length; index++) {
    row += (index === 0 ? '' : ',') + writeCell(cells[index] ?? null, index < own);
  }
  return `${row}\r\n`;
}

function writeCell(cell: string | null, isOwn: boolean): string {
  if (cell === null) return '';
  const safe = !isOwn && FORMULA.test(cell) ? `'${cell}` : cell;
  return SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Matches the characters that start a formula, also after blanks and in the full-width forms that some spreadsheets accept. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const SPECIAL = /[",\r\n]/;
