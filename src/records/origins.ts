/**
 * The rows that a record was read from. The parts of an import are numbered and stored once (`parts`); a record stores
 * the number of each part it has rows of, and these rows: `0:184467;3:20-31,40` is row 184467 of part 0 and rows 20 to
 * 31 and 40 of part 3. Publishers write the rows of a company together, so a few ranges hold thousands of rows.
 */
export interface ImportedPart {
  /** Path of the file. */
  readonly file: string;
  /** Name of the archive entry or sheet; null for the file itself. */
  readonly entry: string | null;
  /** Name of the source in the register. */
  readonly table: string;
  /** Whether its rows are companies, belong to companies or are parties of companies, or whether it is a code table. */
  readonly content: PartContent;
}

export type PartContent = 'records' | 'rows' | 'parties' | 'codes';

export interface RowRange {
  readonly first: number;
  readonly last: number;
}

export interface Origin {
  readonly part: number;
  readonly rows: readonly RowRange[];
}

/** Reads what the tracer wrote, the part with the main row first. */
export function readOrigins(text: string): Origin[] {
  return text.split(';').map((origin) => {
    const [part = '', ranges = ''] = origin.split(':');
    return { part: Number(part), rows: ranges.split(',').map(readRange) };
  });
}

function readRange(text: string): RowRange {
  const [first, last = first] = text.split('-').map(Number) as [number, number?];
  return { first, last };
}
