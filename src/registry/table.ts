import { fold } from '../core/fold.ts';
import type { Cell, TableSource } from '../registers/contract.ts';
import { describeLayout, encodeCells, type Layout } from './source-data.ts';

/** The header of a table that was recognized: where each of the register's columns stands, and what is not known. */
export interface Header {
  /** Row of the file the header stands in. */
  readonly place: number;
  /** The keys of `sourceData`: texts exactly as in the file, unless one stands there twice. */
  readonly texts: readonly string[];
  readonly positions: ReadonlyMap<string, number>;
  readonly unknown: readonly string[];
  readonly layout: Layout;
}

export function matchHeader(
  written: readonly string[],
  place: number,
  source: TableSource<unknown>,
): Header | string[] {
  const normalize = source.match === 'folded' ? fold : (text: string) => text.trim();
  const found = written.map(normalize);
  const missing = source.required.filter((column) => !found.includes(normalize(column)));
  if (missing.length > 0) return missing;
  const known = new Map(source.columns.map((column) => [normalize(column), column]));
  const positions = new Map<string, number>();
  for (const [index, text] of found.entries()) {
    const column = known.get(text);
    if (column !== undefined && !positions.has(column)) positions.set(column, index);
  }
  const texts = nameApart(written);
  const unknown = texts.filter((_, index) => !known.has(found[index] ?? ''));
  return { place, texts, positions, unknown, layout: describeLayout(texts) };
}

/** Two columns of one name would be one key: the second gets its ordinal. */
function nameApart(texts: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return texts.map((text) => {
    let name = text;
    for (let ordinal = 2; taken.has(name); ordinal++) name = `${text} (${ordinal})`;
    taken.add(name);
    return name;
  });
}

/** A table without a header: its columns by position. What the publisher added behind them is named by its place. */
export function placeColumns(first: readonly string[], { columns }: TableSource<unknown>): Header {
  const unknown = first.slice(columns.length).map((_, index) => `column ${columns.length + index + 1}`);
  const texts = [...columns, ...unknown];
  const positions = new Map(columns.map((column, index) => [column, index]));
  return { place: 0, texts, positions, unknown, layout: describeLayout(texts) };
}

/** Reads the rows of one table through one reused accessor: no object is made for a row. */
export interface RowReader {
  /** Points the reader at a row; returns what is wrong with it, if anything. */
  use(cells: readonly string[]): string | null;
  readonly cell: Cell;
  /** The row as it is stored: its cells, in column order. */
  sourceData(): string;
}

/** In a sheet trailing empty cells are not written; in a CSV every row must have all of them. */
export function createRowReader({ texts, positions }: Header, kind: 'csv' | 'sheet'): RowReader {
  let row: readonly string[] = [];
  return {
    use(cells) {
      row = cells;
      if (cells.length === texts.length || (kind === 'sheet' && cells.length < texts.length)) return null;
      return `${cells.length} columns where the header has ${texts.length}`;
    },
    cell: (column) => row[positions.get(column) ?? -1] ?? '',
    sourceData: () => encodeCells(row, texts.length),
  };
}

/** A name for every column: the register's own where it knows the column, else the header's text. */
export function nameColumns({ texts, positions }: Header): string[] {
  const names = [...texts];
  for (const [column, index] of positions) names[index] = column;
  return names;
}
