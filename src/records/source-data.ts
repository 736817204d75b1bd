import { hash } from 'node:crypto';
import { findEndOfString } from '../core/json/json-reader.ts';

/**
 * How a source row is stored. A table's column names are the same for millions of rows, so they are stored once, as a
 * layout, and a row holds only its cells: a third of the bytes, and a third of the time to write them. Reading a record
 * restores the object with every cell under its exact column name, in column order. A record made of several tables has
 * one key per table: the row of the main table, and a list of rows for each of the others.
 */
export interface Layout {
  /** A hash of the columns: the same on every installation. */
  readonly id: number;
  /** JSON array of the column names, exactly as in the file. For several tables, an object of such arrays. */
  readonly columns: string;
}

export function describeLayout(columns: readonly string[]): Layout {
  return identify(JSON.stringify(columns));
}

/** Several tables, the main one first. If its name is empty, its columns are keys at the top level. */
export function describeTables(tables: Iterable<readonly [name: string, columns: readonly string[]]>): Layout {
  return identify(JSON.stringify(Object.fromEntries(tables)));
}

function identify(text: string): Layout {
  // 48 bits fit a number exactly, and are enough that two layouts do not collide.
  return { id: Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16), columns: text };
}

/** The cells as a JSON array, padded to the number of columns: a sheet omits trailing empty cells. */
export function encodeCells(cells: readonly string[], count: number): string {
  if (cells.length === count) return JSON.stringify(cells);
  return JSON.stringify(Array.from({ length: count }, (_, index) => cells[index] ?? ''));
}

/** Returns a record's `sourceData` as JSON, from its stored cells. */
export type WriteSourceData = (cells: string) => string;

/** Copies every cell as it is behind the key of its column: a third of the time of parsing and writing it again. */
export function createSourceDataWriter(columns: string): WriteSourceData {
  const names: readonly string[] | Readonly<Record<string, readonly string[]>> = JSON.parse(columns);
  if (isFlat(names)) {
    const keys = writeKeys(names);
    return (cells) => copyRow({ text: cells, at: 0 }, keys);
  }
  const tables = Object.entries(names).map(([name, columns]) => ({ name, keys: writeKeys(columns) }));
  return (cells) => {
    const source = { text: cells, at: 1 };
    const texts = tables.map(({ name, keys }, index) => {
      if (index > 0) source.at++;
      if (index > 0) return `${JSON.stringify(name)}:${copyRows(source, keys)}`;
      const row = copyRow(source, keys);
      return name === '' ? row.slice(1, -1) : `${JSON.stringify(name)}:${row}`;
    });
    return `{${texts.join(',')}}`;
  };
}

function isFlat(names: readonly string[] | Readonly<Record<string, readonly string[]>>): names is readonly string[] {
  return Array.isArray(names);
}

/** The keys of a table. */
interface Keys {
  readonly count: number;
  /** The keys from one column to another, all but the last one with an empty cell. */
  join(from: number, to: number): string;
}

/** `"name":` for the first column, `,"name":` for the others. Half of the cells of many registers are empty, so such texts are kept. */
function writeKeys(names: readonly string[]): Keys {
  const keys = names.map((name, index) => `${index === 0 ? '' : ','}${JSON.stringify(name)}:`);
  const joined: string[][] = keys.map(() => []);
  return {
    count: keys.length,
    join(from, to) {
      const kept = joined[from] as string[];
      kept[to - from] ??= keys.slice(from, to + 1).join('""');
      return kept[to - from] as string;
    },
  };
}

/** Bounds the memory of the texts that are kept. */
const MAX_JOINED = 32;

/** Stored cells, and how far they are copied. */
interface Source {
  readonly text: string;
  at: number;
}

const [QUOTE, COMMA, OPEN, CLOSE] = [0x22, 0x2c, 0x5b, 0x5d];

function copyRows(source: Source, keys: Keys): string {
  const { text } = source;
  let rows = '';
  source.at++;
  while (text.charCodeAt(source.at) === OPEN) {
    rows += copyRow(source, keys);
    if (text.charCodeAt(source.at) !== COMMA) break;
    rows += ',';
    source.at++;
  }
  source.at++;
  return `[${rows}]`;
}

function copyRow(source: Source, keys: Keys): string {
  const { text } = source;
  let { at } = source;
  let row = '{';
  /** The first column that is not yet in `row`. */
  let from = 0;
  for (let column = 0; column < keys.count; column++) {
    // Skips the bracket or comma before the cell.
    const start = at + 1;
    const isEmpty = text.charCodeAt(start + 1) === QUOTE;
    at = isEmpty ? start + 2 : findEndOfString(text, start);
    if (isEmpty && column - from < MAX_JOINED && column < keys.count - 1) continue;
    row += keys.join(from, column);
    row += isEmpty ? '""' : text.slice(start, at);
    from = column + 1;
  }
  if (keys.count === 0) at++;
  if (text.charCodeAt(at) !== CLOSE) throw new Error('a stored row has more or fewer cells than its table has columns');
  source.at = at + 1;
  return `${row}}`;
}
