import { formatCount } from '../../base/format-count.ts';
import { FormatError } from '../../formats/rows.ts';
import type { Rejection, UnknownKind } from '../../registers/contract.ts';
import { createUnknownValues } from '../../registry/records/imports/unknown-values.ts';
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
const OTHER_REASONS = 'other reasons';

/** The import cannot continue as requested. The message has what to do. */
export class ImportRefused extends Error {}

/** Another import of the register is running. */
export class ImportBusy extends ImportRefused {}

/** Whether an import failed because of its files, so that the message of the error is for the operator. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof FormatError || error instanceof ImportRefused;
}

/** Receives problems, and what else is noticed, while rows are mapped. */
export interface ProblemSink {
  /** `row` is the rejected row of a company. */
  reject(file: string, place: number, rejection: Rejection, row?: RejectedRow): void;
  /** A number of rows that were not read, because such rows are not stored anyway. */
  noteSkipped(reason: string, rows: number): void;
  /** A value that could not be read: the record is kept without it. Without a column, a problem of the whole row. */
  report(file: string, place: number, column: string | null, value: string | null, problem: string): void;
  /** A value whose meaning the register does not know. The record keeps the value. */
  reportUnknown(file: string, place: number, kind: UnknownKind, column: string, value: string): void;
  /** A record without a registration number. The record is kept. */
  noteWithoutNumber(file: string, place: number): void;
  /** A column or key that the register does not know. The value is kept in `sourceData`. */
  noteUnknownColumn(column: string): void;
  /** Rows of a joined table that match no record. Such rows are skipped. */
  noteUnmatched(source: string, count: number): void;
  /** The file with this path is synthetic: its companies are invented. */
  noteSynthetic(path: string): void;
  /** The file with this path ends in the middle of a row. */
  noteCut(path: string, place: number): void;
}

export type Problems = ReturnType<typeof createProblems>;

/** Counts the problems of one import and keeps the first ones as examples. */
export function createProblems() {
  const first: Problem[] = [];
  let rejected = 0;
  let unreadable = 0;
  let withoutNumber = 0;
  let lastBadRow = '';
  let rejectedRows: PlacedRow[] = [];
  const unknownColumns = new Set<string>();
  /** Number of rows by table. */
  const unmatched = new Map<string, number>();
  /** Rows that the register documents as not being companies, by reason. Such rows do not count as bad rows. */
  const skipped = new Map<string, number>();
  /** Paths of synthetic files. */
  const synthetic = new Set<string>();
  /** The row in whose middle a file ends, by the path of the file. */
  const cut = new Map<string, number>();
  const unknownValues = createUnknownValues();
  const show = (problem: Problem) => first.length < MAX_SHOWN && first.push(problem);
  const sink: ProblemSink = {
    reject(file, place, { rejected: problem, expected }, row) {
      if (expected)
        return addTo(skipped, skipped.has(problem) || skipped.size < MAX_SHOWN ? problem : OTHER_REASONS, 1);
      rejected++;
      if (row !== undefined) rejectedRows.push({ ...row, where: `${file}, row ${place}` });
      show({ file, place, column: null, value: null, problem });
    },
    noteSkipped: (reason, rows) => addTo(skipped, reason, rows),
    report(file, place, column, value, problem) {
      // Two unreadable values in one row count as one bad row.
      if (lastBadRow !== `${file}:${place}`) unreadable++;
      lastBadRow = `${file}:${place}`;
      show({ file, place, column, value: value?.slice(0, 80) ?? null, problem });
    },
    reportUnknown(file, place, kind, column, value) {
      unknownValues.add(kind, column, value, `${file}:${place}`);
      if (kind === 'status') this.report(file, place, column, value, 'unknown status');
    },
    noteWithoutNumber(file, place) {
      withoutNumber++;
      const problem = 'no registration number: identified by name, date and legal form';
      show({ file, place, column: null, value: null, problem });
    },
    noteUnknownColumn(column) {
      if (unknownColumns.size < MAX_SHOWN) unknownColumns.add(shorten(column));
    },
    noteUnmatched: (source, count) => addTo(unmatched, source, count),
    noteSynthetic: (path) => synthetic.add(path),
    noteCut: (path, place) => cut.set(path, place),
  };
  return {
    ...sink,
    ...{ first, unknownColumns, unmatched, skipped, synthetic, cut },
    listUnknownValues: unknownValues.list,
    /** The rejected rows of companies since the last call. */
    takeRejected(): readonly PlacedRow[] {
      const taken = rejectedRows;
      rejectedRows = [];
      return taken;
    },
    /** Throws when too many of the rows so far are bad. */
    check(rows: number): void {
      const bad = rejected + unreadable;
      if (bad <= Math.max(ALWAYS_ALLOWED, rows * MAX_BAD_SHARE)) return;
      const examples = first.slice(0, 3).map(describeProblem).join('; ');
      throw new ImportRefused(
        `${formatCount(bad)} of ${formatCount(rows)} rows are invalid, which is more than 1 %. Nothing was changed. First problems: ${examples}.`,
      );
    },
    get rejected() {
      return rejected;
    },
    get unreadable() {
      return unreadable;
    },
    get withoutNumber() {
      return withoutNumber;
    },
  };
}

/** A column name can be as long as a row. */
function shorten(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
}

function addTo(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

export function describeProblem({ file, place, column, value, problem }: Problem): string {
  const subject = column === null ? '' : `${column} ${JSON.stringify(value)}: `;
  return `${file}, row ${place}: ${subject}${problem}`;
}
