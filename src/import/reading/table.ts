import { formatCount } from '../../base/format-count.ts';
import { MAX_COLUMNS } from '../../formats/limits.ts';
import { FormatError } from '../../formats/rows.ts';
import { type Cell, headerWriter, type TableSource } from '../../registers/contract.ts';
import { describeLayout, type Layout, padCells } from '../../registry/records/source-data.ts';

/** The header of a recognized table: the positions of the register's columns, and the columns it does not know. */
export interface Header {
  /** Row of the header in the file; 0 when it has none. */
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
 * The header of a table without one: columns are known by position. An older layout has only the first of them. Extra columns are named by
 * their number.
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
  return {
    /** Points the reader at a row. Returns what is wrong with the row, or null. */
    use(cells: readonly string[]): string | null {
      row = cells;
      if (cells.length === texts.length || (kind === 'sheet' && cells.length < texts.length)) return null;
      const count = cells.length > MAX_COLUMNS ? `more than ${formatCount(MAX_COLUMNS)}` : cells.length;
      return `${count} columns, but the header has ${texts.length}`;
    },
    cell: ((column) => row[positions.get(column) ?? -1] ?? '') satisfies Cell,
    /** The row as it is stored: its cells in column order. */
    sourceData: () => padCells(row, texts.length),
  };
}

/** The name of every column: the register's name for it if it knows the column, else the header text. */
export function nameColumns({ texts, positions }: Header): string[] {
  const names = [...texts];
  for (const [column, index] of positions) names[index] = column;
  return names;
}
