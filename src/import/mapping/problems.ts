import { formatCount } from '../../base/format-count.ts';
import { FormatError } from '../../formats/rows.ts';
import type { Rejection, UnknownKind } from '../../registers/contract.ts';
import { createUnknownValues, type UnknownValue } from '../../registry/records/imports/unknown-values.ts';
import type { PlacedRow, RejectedRow } from '../rejected/rejected-rows.ts';

/** A rejected row or a value that could not be read. */
export interface Problem {
  readonly file: string;
  readonly place: number;
  readonly column: string | null;
  readonly value: string | null;
  readonly problem: string;
}

/** Above this share of bad rows the file is probably not in the format we expect. */
const MAX_BAD_SHARE = 0.01;
/** In a small file this many bad rows are allowed, whatever their share. */
const ALWAYS_ALLOWED = 5;
const MAX_SHOWN = 20;
const MAX_NAME_LENGTH = 100;

/** The import cannot continue as requested. The message has what to do. */
export class ImportRefused extends Error {}

/** Another import of the register is running. */
export class ImportBusy extends ImportRefused {}

/** Whether an import failed because of its files, so that the message of the error is for the operator. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof FormatError || error instanceof ImportRefused;
}

/** Receives problems, and what else is noticed, while rows are mapped. */
export type ProblemSink = Pick<
  Problems,
  'reject' | 'report' | 'reportUnknown' | Extract<keyof Problems, `note${string}`>
>;

/** Counts the problems of one import and keeps the first ones as examples. */
export class Problems {
  readonly first: Problem[] = [];
  rejected = 0;
  unreadable = 0;
  withoutNumber = 0;
  readonly unknownColumns = new Set<string>();
  readonly unmatched = new Map<string, number>();
  /** Rows that the register documents as not being companies, by reason. Such rows do not count as bad rows. */
  readonly skipped = new Map<string, number>();
  readonly synthetic = new Set<string>();
  readonly cut = new Map<string, number>();
  readonly #unknownValues = createUnknownValues();
  #lastBadRow = '';
  #rejectedRows: PlacedRow[] = [];

  /** `row` is the rejected row of a company. */
  reject(file: string, place: number, { rejected: problem, expected }: Rejection, row?: RejectedRow): void {
    if (expected) {
      const isListed = this.skipped.has(problem) || this.skipped.size < MAX_SHOWN;
      this.noteSkipped(isListed ? problem : 'other reasons', 1);
      return;
    }
    this.rejected++;
    if (row !== undefined) this.#rejectedRows.push({ ...row, where: `${file}, row ${place}` });
    this.#show(file, place, problem);
  }

  /** A number of rows that were not read, because such rows are not stored anyway. */
  noteSkipped(reason: string, rows: number): void {
    addTo(this.skipped, reason, rows);
  }

  /** A value that could not be read: the record is kept without it. Without a column, a problem of the whole row. */
  report(file: string, place: number, column: string | null, value: string | null, problem: string): void {
    // Two unreadable values in one row count as one bad row.
    if (this.#lastBadRow !== `${file}:${place}`) this.unreadable++;
    this.#lastBadRow = `${file}:${place}`;
    this.#show(file, place, problem, column, value);
  }

  /** A value whose meaning the register does not know. The record keeps the value. */
  reportUnknown(file: string, place: number, kind: UnknownKind, column: string, value: string): void {
    this.#unknownValues.add(kind, column, value, `${file}:${place}`);
    if (kind === 'status') this.report(file, place, column, value, 'unknown status');
  }

  /** A record without a registration number. The record is kept. */
  noteWithoutNumber(file: string, place: number): void {
    this.withoutNumber++;
    this.#show(file, place, 'no registration number: identified by name, date and legal form');
  }

  /** A column or key that the register does not know. The value is kept in `sourceData`. */
  noteUnknownColumn(column: string): void {
    // A column name can be as long as a row.
    const name = column.length > MAX_NAME_LENGTH ? `${column.slice(0, MAX_NAME_LENGTH)}…` : column;
    if (this.unknownColumns.size < MAX_SHOWN) this.unknownColumns.add(name);
  }

  /** Rows of a joined table that match no record. Such rows are skipped. */
  noteUnmatched(source: string, count: number): void {
    addTo(this.unmatched, source, count);
  }

  /** The file with this path is synthetic: its companies are invented. */
  noteSynthetic(path: string): void {
    this.synthetic.add(path);
  }

  /** The file with this path ends in the middle of a row. */
  noteCut(path: string, place: number): void {
    this.cut.set(path, place);
  }

  listUnknownValues(): UnknownValue[] {
    return this.#unknownValues.list();
  }

  /** The rejected rows of companies since the last call. */
  takeRejected(): readonly PlacedRow[] {
    const taken = this.#rejectedRows;
    this.#rejectedRows = [];
    return taken;
  }

  /** Throws when too many of the rows so far are bad. */
  check(rows: number): void {
    const bad = this.rejected + this.unreadable;
    if (bad <= Math.max(ALWAYS_ALLOWED, rows * MAX_BAD_SHARE)) return;
    const examples = this.first.slice(0, 3).map(describeProblem).join('; ');
    throw new ImportRefused(
      `${formatCount(bad)} of ${formatCount(rows)} rows are invalid, which is more than 1 %. Nothing was changed. First problems: ${examples}.`,
    );
  }

  #show(file: string, place: number, problem: string, column: string | null = null, value: string | null = null): void {
    if (this.first.length < MAX_SHOWN)
      this.first.push({ file, place, column, value: value?.slice(0, 80) ?? null, problem });
  }
}

function addTo(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

export function describeProblem({ file, place, column, value, problem }: Problem): string {
  const subject = column === null ? '' : `${column} ${JSON.stringify(value)}: `;
  return `${file}, row ${place}: ${subject}${problem}`;
}
