import { hash } from 'node:crypto';

/**
 * How a source row is kept. A table's column names are the same for millions of rows, so they are stored once, as a
 * layout, and a row holds only its cells: a third of the bytes, and of the time to write them. Whoever reads a record
 * gets the object with every cell under its exact column name, in column order.
 */
export interface Layout {
  /** The same for the same columns, on every installation. */
  readonly id: number;
  /** JSON array of the column names, exactly as in the file. */
  readonly columns: string;
}

export function describeLayout(columns: readonly string[]): Layout {
  const text = JSON.stringify(columns);
  // 48 bits: exact as a number, and too many for two layouts ever to meet.
  return { id: Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16), columns: text };
}

/** The cells as a JSON array, as many as there are columns: in a sheet trailing empty ones are not written. */
export function encodeCells(cells: readonly string[], count: number): string {
  if (cells.length === count) return JSON.stringify(cells);
  return JSON.stringify(Array.from({ length: count }, (_, index) => cells[index] ?? ''));
}

/** The record's `sourceData` as JSON text: cells under their columns, or a tree as it is. */
export function renderSourceData(stored: string, columns: string | null): string {
  if (columns === null) return stored;
  const cells: string[] = JSON.parse(stored);
  const names: string[] = JSON.parse(columns);
  return `{${names.map((name, index) => `${JSON.stringify(name)}:${JSON.stringify(cells[index] ?? '')}`).join(',')}}`;
}
