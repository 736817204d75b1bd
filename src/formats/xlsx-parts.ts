import { formatCount } from '../core/format-count.ts';
import { MAX_COLUMNS, MAX_ENTRIES, MAX_ROW_LENGTH, MAX_SHEET_COLUMNS, MAX_SHEET_ROWS } from './limits.ts';
import { BATCH, type Batches, FormatError, type SourceRow } from './rows.ts';
import { SharedStrings } from './xlsx-strings.ts';
import { readAttribute, scanXml } from './xlsx-xml.ts';

/** A start tag; pass `tag` to `readAttribute`. */
interface Tag {
  readonly name: string;
  readonly tag: string;
}

export async function readTags(
  bytes: AsyncIterable<Uint8Array>,
  part: string,
  names: readonly string[],
): Promise<Tag[]> {
  const found: Tag[] = [];
  const open = (name: string, tag: string) => {
    if (names.includes(name) && found.push({ name, tag }) > MAX_ENTRIES) {
      throw new FormatError(
        `${part} of the workbook lists more than ${formatCount(MAX_ENTRIES)} parts: the file is damaged`,
      );
    }
    return false;
  };
  for await (const _ of scanXml(bytes, part, { open, text: ignore, close: ignore }));
  return found;
}

function ignore(): void {}

/** Joins the runs of rich text. Phonetic guides (`rPh`) are not part of the text. */
export async function readSharedStrings(bytes: AsyncIterable<Uint8Array>): Promise<SharedStrings> {
  const strings = new SharedStrings();
  let text = '';
  let inGuide = false;
  const part = scanXml(bytes, 'the shared strings table', {
    open: (name) => {
      if (name === 'si') text = '';
      else if (name === 'rPh') inGuide = true;
      return name === 't' && !inGuide;
    },
    text: (piece) => {
      text = join(text, piece, 'the shared strings table');
    },
    close: (name) => {
      if (name === 'si') strings.add(text);
      else if (name === 'rPh') inGuide = false;
    },
  });
  for await (const _ of part);
  return strings;
}

function join(text: string, piece: string, where: string): string {
  if (text.length + piece.length <= MAX_ROW_LENGTH) return text + piece;
  throw new FormatError(
    `${where}: a cell has more than ${formatCount(MAX_ROW_LENGTH)} characters: the file is damaged`,
  );
}

/**
 * Reads the rows of a sheet. Cells are placed by their reference, gaps are '', trailing empty cells and empty rows are
 * dropped. All cells beyond `MAX_COLUMNS` share one more column: such a row is wider than any header and is rejected,
 * and a few bytes in the last column do not become an array of 16,384 cells. The rows together have at most `limit`
 * characters, because a few bytes can refer to a long shared string.
 */
export async function* readSheet(
  bytes: AsyncIterable<Uint8Array>,
  part: string,
  strings: SharedStrings,
  limit: number,
): Batches<readonly string[]> {
  let rows: SourceRow<readonly string[]>[] = [];
  let cells: string[] = [];
  let size = 0;
  let total = 0;
  /** Characters of `rows`. */
  let held = 0;
  const isFull = () => rows.length >= BATCH || held > MAX_ROW_LENGTH;
  let place = 0;
  let column = 0;
  let type = 'n';
  let value = '';
  let inGuide = false;
  const parsed = scanXml(bytes, part, {
    open: (name, tag) => {
      if (name === 'c') {
        const reference = readAttribute(tag, 'r');
        column = reference === undefined ? column + 1 : readColumn(reference);
        type = readAttribute(tag, 't') ?? 'n';
        value = '';
      } else if (name === 'row') {
        place = readPlace(readAttribute(tag, 'r'), place, part);
        cells = [];
        size = 0;
        column = 0;
      } else if (name === 'rPh') inGuide = true;
      return name === 'v' || (name === 't' && !inGuide);
    },
    text: (piece) => {
      value = join(value, piece, `${part}, row ${place}`);
    },
    close: (name) => {
      if (name === 'c') {
        const cell = readCell(type, value, strings);
        if (cell === '') return;
        const index = Math.min(column - 1, MAX_COLUMNS);
        while (cells.length < index) cells.push('');
        cells[index] = cell;
        size += cell.length;
        total += cell.length;
        if (size > MAX_ROW_LENGTH) throw tooLong(`${part}, row ${place}: the row has`, MAX_ROW_LENGTH);
        if (total > limit) throw tooLong(`${part}, row ${place}: the rows so far have`, limit);
      } else if (name === 'row') {
        held += size;
        if (cells.length > 0) rows.push({ place, value: cells, size: size + cells.length });
      } else if (name === 'rPh') inGuide = false;
    },
    isFull,
  });
  for await (const _ of parsed) {
    if (!isFull()) continue;
    yield rows;
    rows = [];
    held = 0;
  }
  if (rows.length > 0) yield rows;
}

function tooLong(what: string, limit: number): FormatError {
  return new FormatError(`${what} more than ${formatCount(limit)} characters: the file is damaged`);
}

/** Rows are numbered in ascending order. A row that has no number follows the one before it. */
function readPlace(number: string | undefined, previous: number, part: string): number {
  const place = number === undefined ? previous + 1 : Number(number);
  if (Number.isInteger(place) && place > previous && place <= MAX_SHEET_ROWS) return place;
  throw new FormatError(`${part}: row ${number ?? place} follows row ${previous}: the file is damaged`);
}

function readCell(type: string, value: string, strings: SharedStrings): string {
  if (type === 's') return value === '' ? '' : decodeEscapes(strings.get(Number(value)));
  if (type === 'n') return value.includes('E') || value.includes('e') ? expandExponent(value) : value;
  if (type === 'b') return value === '' ? '' : value === '1' || value === 'true' ? 'TRUE' : 'FALSE';
  return decodeEscapes(value);
}

/** `AB12` → 28. */
function readColumn(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length; at += 1) {
    const letter = (reference.charCodeAt(at) & 0xdf) - 0x40;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  if (column >= 1 && column <= MAX_SHEET_COLUMNS) return column;
  throw new FormatError(`a cell has the invalid reference ${reference}: the file is damaged`);
}

/** Writes an integer in scientific notation as plain digits: a registration number must not become 1.0036E12. */
function expandExponent(number: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?[eE]\+?(\d{1,2})$/.exec(number);
  if (parts === null) return number;
  const [, sign, whole, fraction = '', exponent] = parts;
  const zeros = Number(exponent) - fraction.length;
  if (zeros < 0) return number;
  return `${sign}${`${whole}${fraction}${'0'.repeat(zeros)}`.replace(/^0+(?=\d)/, '')}`;
}

/** A workbook writes what XML cannot hold as `_x000D_`, and a literal underscore before such text as `_x005F_`. */
function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
