import { basename } from 'node:path';
import { formatCount } from '../../base/format-count.ts';
import type { CsvDialect, Json } from '../../base/source-files.ts';
import { toStorable } from '../../base/storable.ts';
import { readCsv } from '../../formats/csv.ts';
import { readJson } from '../../formats/json.ts';
import { MAX_COLUMNS } from '../../formats/limits.ts';
import { addFileName, type Batches, FormatError } from '../../formats/rows.ts';
import { watchForMark } from '../../formats/synthetic-mark.ts';
import type { PackedFile } from '../../formats/unpack.ts';
import { readXml } from '../../formats/xml.ts';
import { type Cell, headerWriter, listPositions, type TableSource, type TreeSource } from '../../registers/contract.ts';
import type { ImportedPart } from '../../registry/records/imports/store.ts';
import { describeLayout, type Layout, padCells } from '../../registry/records/source-data.ts';

/** A part of an imported file (the file, an entry of an archive, a sheet) and the source that it was recognized as. */
export type Part = TablePart | TreePart;

interface SourcePart<Source, Row> {
  /** Path of the imported file. */
  readonly file: string;
  /** Name of the archive entry or sheet; of a plain file, its own name. */
  readonly entry: string;
  readonly source: Source;
  /** Bytes to read, for the progress bar; 0 when unknown, as for a sheet. */
  readonly size: number;
  read(onBytes: OnBytes, watch?: Watch): Batches<Row>;
}

export interface TablePart extends SourcePart<TableSource<unknown>, readonly string[]> {
  /** How a CSV is written; null for a sheet. */
  readonly dialect: CsvDialect | null;
  readonly header: Header;
}

export type TreePart = SourcePart<TreeSource<unknown>, Json>;

export type OnBytes = (count: number) => void;
/** Gets what is noticed about a file, at the latest at the end of the file: see `ProblemSink`. */
export interface Watch {
  noteSynthetic(path: string): void;
  /** Readers of JSON and XML throw instead. */
  noteCut(path: string, place: number): void;
}

/** The register cannot use this file. The message has what the file is instead, or what is missing. */
export class FileRefused extends FormatError {}

export function isTable(part: Part): part is TablePart {
  return 'header' in part;
}

/** The rows of a part, without its header. An error names the file. */
export async function* readRows<Value>(part: Part, onBytes: OnBytes, watch?: Watch): Batches<Value> {
  const headerPlace = isTable(part) ? part.header.place : 0;
  try {
    for await (const batch of part.read(onBytes, watch) as Batches<Value>) {
      const hasHeader = (batch[0]?.place ?? 0) <= headerPlace;
      yield hasHeader ? batch.filter(({ place }) => place > headerPlace) : batch;
    }
  } catch (error) {
    throw addFileName(error, basename(part.file));
  }
}

/** A source with a `map` holds companies, one per row. Other tables are joined to such tables, have parties, or are code tables. */
export function hasRecords(part: Part): boolean {
  return part.source.map !== undefined && !hasParties(part);
}

export function hasParties({ source }: Part): boolean {
  return source.parties !== undefined;
}

export function createCsvPart(
  file: string,
  packed: PackedFile,
  table: Pick<TablePart, 'source' | 'header'> & { readonly dialect: CsvDialect },
): TablePart {
  const width = table.header.texts.length;
  const read = (onBytes: OnBytes, watch?: Watch) =>
    readCsv(openMarked(file, packed, onBytes, watch), table.dialect, (place, cells) => {
      if (BLANK.test(cells.join(''))) return;
      if (cells.length < width || place > MAX_UNENDED_ROWS) watch?.noteCut(file, place);
    });
  return { ...table, file, entry: packed.name, size: packed.size, read };
}

function openMarked(file: string, packed: PackedFile, onBytes: OnBytes, watch?: Watch) {
  return watchForMark(packed.open(onBytes), () => watch?.noteSynthetic(file));
}

/**
 * A last row without a line end may have lost the end of its last cell. Publishers end every row, but a file that a person wrote may lack
 * the last line end, and such files are short.
 */
const MAX_UNENDED_ROWS = 1_000;

/** Matches spaces after the last row, or the character that ends a file on DOS. */
const BLANK = /^[\s\p{Cc}]*$/u;

export function createTreePart(file: string, packed: PackedFile, source: TreeSource<unknown>): TreePart {
  const read = (onBytes: OnBytes, watch?: Watch) => readTree(openMarked(file, packed, onBytes, watch), source);
  return { source, file, entry: packed.name, size: packed.size, read };
}

export function readTree(bytes: AsyncIterable<Uint8Array>, { format, required }: TreeSource<unknown>): Batches<Json> {
  return format.type === 'json' ? readJson(bytes, required) : readXml(bytes, format.element);
}

/** The header of a recognized table: the positions of the register's columns, and the columns that the register does not know. */
export interface Header {
  /** Row of the header in the file; 0 for a file without a header. */
  readonly place: number;
  /** The keys of `sourceData`: exactly as in the file, except that repeated names are numbered. */
  readonly texts: readonly string[];
  readonly positions: ReadonlyMap<string, number>;
  readonly unknown: readonly string[];
  readonly layout: Layout;
}

/** Returns the header, or the required columns that are missing. */
export function matchHeader(
  written: readonly string[],
  place: number,
  source: TableSource<unknown>,
): Header | string[] {
  const normalize = headerWriter(source.match);
  const found = written.slice(0, MAX_COLUMNS).map(normalize);
  const missing = source.required.filter((column) => !found.includes(normalize(column)));
  if (missing.length > 0) return missing;
  requireColumns(written, place);
  const known = new Map(source.columns.map((column) => [normalize(column), column]));
  const positions = new Map<string, number>();
  for (const [index, text] of found.entries()) {
    const column = known.get(text);
    if (column !== undefined && !positions.has(column)) positions.set(column, index);
  }
  const texts = numberRepeated(written);
  const unknown = texts.filter((_, index) => !known.has(found[index] ?? ''));
  return { place, texts, positions, unknown, layout: describeLayout(texts) };
}

function requireColumns({ length }: readonly string[], place: number): void {
  if (length <= MAX_COLUMNS) return;
  throw new FormatError(
    `row ${place}: the header has more than ${formatCount(MAX_COLUMNS)} columns: the file is damaged`,
  );
}

/** Two columns of the same name would be one key, so the second becomes `name (2)`. */
function numberRepeated(texts: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return texts.map((text) => {
    let name = text;
    for (let ordinal = 2; taken.has(name); ordinal++) name = `${text} (${ordinal})`;
    taken.add(name);
    return name;
  });
}

/**
 * Makes the header of a table without a header row: columns are known by position. An older layout has only the first columns. Extra columns
 * are named by their number.
 */
export function numberColumns(first: readonly string[], { columns }: TableSource<unknown>): Header {
  requireColumns(first, 1);
  const unknown = first.slice(columns.length).map((_, index) => `column ${columns.length + index + 1}`);
  const known = columns.slice(0, first.length);
  const texts = [...known, ...unknown];
  const positions = new Map(known.map((column, index) => [column, index]));
  return { place: 0, texts, positions, unknown, layout: describeLayout(texts) };
}

/** Reads rows through one reused accessor. A sheet omits trailing empty cells; a row of a CSV must have all cells. */
export function createRowReader({ texts, positions }: Header, kind: 'csv' | 'sheet') {
  let row: readonly string[] = [];
  const positionOf = listPositions(positions, MISSING);
  const cell: Cell = (column) => row[positions.get(column) ?? MISSING] ?? '';
  const at: Cell['at'] = (number, column) => {
    const position = positionOf[number];
    return position === undefined ? cell(column) : (row[position] ?? '');
  };
  return {
    /** Points the reader at a row. Returns what is wrong with the row, or null. */
    use(cells: readonly string[]): string | null {
      row = cells;
      if (cells.length === texts.length || (kind === 'sheet' && cells.length < texts.length)) return null;
      const count = cells.length > MAX_COLUMNS ? `more than ${formatCount(MAX_COLUMNS)}` : cells.length;
      return `${count} columns, but the header has ${texts.length}`;
    },
    cell: Object.assign(cell, { at }),
    /** The row as it is stored: its cells in column order. */
    sourceData: () => padCells(row, texts.length),
  };
}

/** The position of a column that a row lacks. With a negative position, reading the other columns would be slower, too. */
export const MISSING = MAX_COLUMNS + 1;

/** The name of every column: the register's name if the register knows the column, or else the header text. */
export function nameColumns({ texts, positions }: Header): string[] {
  const names = [...texts];
  for (const [column, index] of positions) names[index] = column;
  return names;
}

export function describePart(part: Part): ImportedPart {
  const { file, entry, source } = part;
  const isFile = entry === basename(file) || entry === basename(file).replace(/\.gz(ip)?$/i, '');
  return { file, entry: isFile ? null : toStorable(entry), table: source.name, content: nameContent(part) };
}

function nameContent(part: Part): ImportedPart['content'] {
  if (hasRecords(part)) return 'records';
  if (hasParties(part)) return 'parties';
  return isTable(part) && part.source.joins !== undefined ? 'rows' : 'codes';
}

interface TracedRow {
  readonly part: number;
  readonly place: number;
}

/**
 * Writes the origins of records. A row of a file that has only one part with records needs no origins, because its `place` is enough:
 * such origins are undefined. Rows name their part by its index in `parts`.
 */
export function createTracer(parts: readonly Part[], imported: readonly ImportedPart[]) {
  const described = parts.map(describePart).map(({ file, entry }) => ({
    number: imported.findIndex((part) => part.file === file && part.entry === entry),
    isAlone: imported.filter((part) => part.file === file && part.content === 'records').length === 1,
  }));
  const traceRow = (part: number, place: number) =>
    described[part]?.isAlone ? undefined : `${described[part]?.number}:${place}`;
  return {
    traceRow,
    traceRows(main: TracedRow, others: Iterable<readonly TracedRow[]>): string | undefined {
      const places = new Map([[main.part, [main.place]]]);
      for (const rows of others) {
        for (const { part, place } of rows) places.getOrInsertComputed(part, () => []).push(place);
      }
      if (places.size === 1 && places.get(main.part)?.length === 1) return traceRow(main.part, main.place);
      return Array.from(places, ([part, rows]) => `${described[part]?.number}:${writeRanges(rows)}`).join(';');
    },
  };
}

function writeRanges(places: number[]): string {
  places.sort((one, other) => one - other);
  let text = '';
  for (let start = 0, end = 0; start < places.length; start = end + 1) {
    const first = places[start] as number;
    for (end = start; places[end + 1] === first + (end + 1 - start); ) end++;
    text += `${text === '' ? '' : ','}${first}${end > start ? `-${places[end]}` : ''}`;
  }
  return text;
}
