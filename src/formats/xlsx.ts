import { basename, posix } from 'node:path';
import type { Entry } from 'yauzl';
import { formatCount } from '../base/format-count.ts';
import { decodeText } from './decode.ts';
import {
  MAX_COLUMNS,
  MAX_ENTRIES,
  MAX_ROW_LENGTH,
  MAX_SHARED_STRINGS,
  MAX_SHEET_COLUMNS,
  MAX_SHEET_ROWS,
  maxUnpacked,
} from './limits.ts';
import { BATCH, type Batches, FormatError, type SourceRow } from './rows.ts';
import { SYNTHETIC_DESCRIPTION } from './synthetic-mark.ts';
import { openZip, type ZipArchive } from './unpack.ts';
import { RecordSplitter } from './xml.ts';
import { findAttribute, scanTags, type TagVisitor, XmlError } from './xml-element.ts';

const WORKBOOK = 'xl/workbook.xml';
const PROPERTIES = 'docProps/core.xml';
/** In bytes. Real properties take less than 2 KB. */
const MAX_PROPERTIES = 65_536;

/**
 * Opens an .xlsx workbook; its sheets are read as streams. Cells are reported as in the XML: a date is a serial
 * number. Serial numbers depend on the epoch, so workbooks with the 1904 epoch are refused.
 */
export async function openWorkbook(path: string) {
  const zip = await openZip(path);
  try {
    const parts = await findParts(path, zip);
    let strings: Promise<SharedStrings> | undefined;
    async function* rows(name: string, entry: Entry): Batches<readonly string[]> {
      strings ??= loadSharedStrings(zip, parts.strings);
      yield* readSheet(zip.read(entry), `sheet ${name}`, await strings, maxUnpacked(zip.size));
    }
    const sheets = parts.sheets.map(({ name, entry }) => ({ name, rows: () => rows(name, entry) }));
    return { sheets, isSynthetic: await hasSyntheticDescription(zip), close: async () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function hasSyntheticDescription(zip: ZipArchive): Promise<boolean> {
  const entry = zip.entries.get(PROPERTIES);
  if (entry === undefined || entry.uncompressedSize > MAX_PROPERTIES) return false;
  return Buffer.concat(await Array.fromAsync(zip.read(entry))).includes(SYNTHETIC_DESCRIPTION);
}

/** Finds the part of each sheet: the workbook lists sheet names with relation ids, the relations give the parts. */
async function findParts(path: string, zip: ZipArchive) {
  const file = basename(path);
  const findEntry = (part: string): Entry => {
    const entry = zip.entries.get(part);
    if (entry === undefined) throw new FormatError(`${file} is not a complete .xlsx workbook: it has no ${part}`);
    return entry;
  };
  const tags = await listTags(zip.read(findEntry(WORKBOOK)), WORKBOOK, ['sheet', 'workbookPr']);
  const settings = tags.find(({ name }) => name === 'workbookPr')?.tag ?? '';
  if (['1', 'true'].includes(findAttribute(settings, 'date1904') ?? '')) {
    throw new FormatError(`${file} uses the 1904 date system: save it again with the 1900 date system`);
  }
  const relations = 'xl/_rels/workbook.xml.rels';
  const targets = new Map<string, string>();
  let strings: string | undefined;
  for (const { tag } of await listTags(zip.read(findEntry(relations)), relations, ['Relationship'])) {
    const target = posix.resolve('/xl', findAttribute(tag, 'Target') ?? '').slice(1);
    targets.set(findAttribute(tag, 'Id') ?? '', target);
    if (findAttribute(tag, 'Type')?.endsWith('/sharedStrings')) strings = target;
  }
  const used = new Set<string>();
  const sheets = tags
    .filter(({ name }) => name === 'sheet')
    .map(({ tag }) => {
      const name = findAttribute(tag, 'name') ?? '';
      const target = targets.get(findAttribute(tag, ':id') ?? '') ?? `part for the sheet ${name}`;
      // Otherwise a small workbook could have one large sheet a thousand times.
      if (used.has(target))
        throw new FormatError(`${file}: two sheets are the same part of the workbook (${target}): it is damaged`);
      used.add(target);
      return { name, entry: findEntry(target) };
    });
  return { sheets, strings: strings === undefined ? undefined : findEntry(strings) };
}

/** A start tag; pass `tag` to `findAttribute`. */
interface Tag {
  readonly name: string;
  readonly tag: string;
}

async function listTags(bytes: AsyncIterable<Uint8Array>, part: string, names: readonly string[]): Promise<Tag[]> {
  const found: Tag[] = [];
  const open = (name: string, tag: string) => {
    if (names.includes(name) && found.push({ name, tag }) > MAX_ENTRIES)
      throw tooMany(`${part} of the workbook lists`, MAX_ENTRIES, 'parts');
    return false;
  };
  for await (const _ of scanElements(bytes, part, names, { open, text: ignore, close: ignore }));
  return found;
}

/**
 * Visits the elements with these names in a part of a workbook. Programs write them, and a part can have millions of tiny elements:
 * making objects would take about twice as long. Yields when `isFull`, called after every element, says that the caller has enough rows.
 */
async function* scanElements(
  bytes: AsyncIterable<Uint8Array>,
  part: string,
  names: readonly string[],
  on: TagVisitor & { isFull?(): boolean },
): AsyncGenerator<void> {
  try {
    for await (const batch of new RecordSplitter(names).split(decodeText(bytes, 'utf-8'))) {
      for (const { text = '' } of batch) {
        scanTags(text, on);
        if (on.isFull?.()) yield;
      }
    }
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new FormatError(`${part} of the workbook is damaged (${error.message}): download it again`);
  }
}

function ignore(): void {}

/** Joins the runs of rich text. Phonetic guides (`rPh`) are not part of the text. */
async function loadSharedStrings(zip: ZipArchive, entry: Entry | undefined): Promise<SharedStrings> {
  const strings = new SharedStrings(entry?.uncompressedSize ?? 0);
  if (entry === undefined) return strings;
  let text = '';
  let inGuide = false;
  const part = scanElements(zip.read(entry), 'the shared strings table', ['si'], {
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
  if (text.length + piece.length > MAX_ROW_LENGTH) throw tooMany(`${where}: a cell has`, MAX_ROW_LENGTH);
  return text + piece;
}

/**
 * Reads the rows of a sheet. Cells are placed by their reference, gaps are '', trailing empty cells and empty rows are
 * dropped. All cells beyond `MAX_COLUMNS` share one more column: such a row is wider than any header and is rejected,
 * and a few bytes in the last column do not become an array of 16,384 cells. The rows together have at most `limit`
 * characters, because a few bytes can refer to a long shared string.
 */
async function* readSheet(
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
  const parsed = scanElements(bytes, part, ['row'], {
    open: (name, tag) => {
      if (name === 'c') {
        const reference = findAttribute(tag, 'r');
        column = reference === undefined ? column + 1 : parseColumn(reference);
        type = findAttribute(tag, 't') ?? 'n';
        value = '';
      } else if (name === 'row') {
        place = parsePlace(findAttribute(tag, 'r'), place, part);
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
        const cell = parseCell(type, value, strings);
        if (cell === '') return;
        const index = Math.min(column - 1, MAX_COLUMNS);
        while (cells.length < index) cells.push('');
        cells[index] = cell;
        size += cell.length;
        total += cell.length;
        if (size > MAX_ROW_LENGTH) throw tooMany(`${part}, row ${place}: the row has`, MAX_ROW_LENGTH);
        if (total > limit) throw tooMany(`${part}, row ${place}: the rows so far have`, limit);
      } else if (name === 'row') {
        held += size;
        if (cells.length > 0) rows.push({ place, value: cells, size: size + cells.length });
      } else if (name === 'rPh') inGuide = false;
    },
    isFull,
  });
  for await (const _ of parsed) {
    yield rows;
    rows = [];
    held = 0;
  }
  if (rows.length > 0) yield rows;
}

function tooMany(what: string, limit: number, things = 'characters'): FormatError {
  return new FormatError(`${what} more than ${formatCount(limit)} ${things}: the file is damaged`);
}

/** Rows are numbered in ascending order. A row without a number follows the previous row. */
function parsePlace(number: string | undefined, previous: number, part: string): number {
  const place = number === undefined ? previous + 1 : Number(number);
  if (Number.isInteger(place) && place > previous && place <= MAX_SHEET_ROWS) return place;
  throw new FormatError(`${part}: row ${number ?? place} follows row ${previous}: the file is damaged`);
}

function parseCell(type: string, value: string, strings: SharedStrings): string {
  if (type === 's') return value === '' ? '' : decodeEscapes(strings.get(Number(value)));
  if (type === 'n') return value.includes('E') || value.includes('e') ? expandExponent(value) : value;
  if (type === 'b') return value === '' ? '' : value === '1' || value === 'true' ? 'TRUE' : 'FALSE';
  return decodeEscapes(value);
}

/** `AB12` → 28. */
function parseColumn(reference: string): number {
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

/**
 * The shared strings of a workbook, as UTF-8. There may be over a million: as JavaScript strings each would be an object for the garbage
 * collector, with two bytes per character as soon as one character is outside Latin-1.
 */
class SharedStrings {
  readonly #bytes: Buffer;
  readonly #ends: number[] = [];

  /** `size`: the bytes of the part of the workbook that has the strings. Decoding never makes them longer. */
  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.min(size, MAX_SHARED_STRINGS));
  }

  add(text: string): void {
    const start = this.#ends.at(-1) ?? 0;
    if (start + Buffer.byteLength(text) > this.#bytes.length)
      throw tooMany('the shared strings take', MAX_SHARED_STRINGS, 'bytes');
    this.#ends.push(start + this.#bytes.write(text, start));
  }

  get(index: number): string {
    const end = this.#ends[index];
    if (end === undefined)
      throw new FormatError(`a cell refers to shared string ${index} of ${this.#ends.length}: the file is damaged`);
    return this.#bytes.toString('utf8', this.#ends[index - 1] ?? 0, end);
  }
}
