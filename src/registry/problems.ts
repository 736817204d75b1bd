/** Rows rejected and values that could not be read, with the first of each to show. */
export interface Problem {
  readonly file: string;
  readonly place: number;
  readonly column: string | null;
  readonly value: string | null;
  readonly problem: string;
}

/** Past this share of bad rows the file is not what we think it is; a handful is forgiven in a small one. */
const BOUND = 0.01;
const FORGIVEN = 5;
const SHOWN = 20;

export class TooManyBadRows extends Error {}

export interface Problems {
  reject(file: string, place: number, reason: string): void;
  report(file: string, place: number, column: string, value: string, problem: string): void;
  /** A row with neither number nor id of its own: kept, and told. */
  noteWithoutNumber(file: string, place: number): void;
  /** A column or key that the register does not know: kept in `sourceData`, and told once. */
  noteUnknownColumn(column: string): void;
  /** Rows of a joined table that belong to no record: left out, and told. */
  noteUnmatched(source: string, count: number): void;
  /** Throws when too many of the rows so far are bad. */
  check(rows: number): void;
  readonly rejected: number;
  readonly unreadable: number;
  readonly withoutNumber: number;
  readonly unknownColumns: ReadonlySet<string>;
  /** By table. */
  readonly unmatched: ReadonlyMap<string, number>;
  readonly first: readonly Problem[];
}

export function createProblems(): Problems {
  const first: Problem[] = [];
  let rejected = 0;
  let unreadable = 0;
  let withoutNumber = 0;
  let lastBadRow = '';
  const unknownColumns = new Set<string>();
  const unmatched = new Map<string, number>();
  const show = (problem: Problem) => first.length < SHOWN && first.push(problem);
  return {
    reject(file, place, problem) {
      rejected++;
      show({ file, place, column: null, value: null, problem });
    },
    report(file, place, column, value, problem) {
      // Two unreadable values in one row are one bad row.
      if (lastBadRow !== `${file}:${place}`) unreadable++;
      lastBadRow = `${file}:${place}`;
      show({ file, place, column, value: value.slice(0, 80), problem });
    },
    noteWithoutNumber(file, place) {
      withoutNumber++;
      show({ file, place, column: null, value: null, problem: 'no registration number: known by name, date and form' });
    },
    noteUnknownColumn(column) {
      if (unknownColumns.size < SHOWN) unknownColumns.add(column);
    },
    unknownColumns,
    noteUnmatched(source, count) {
      unmatched.set(source, (unmatched.get(source) ?? 0) + count);
    },
    unmatched,
    check(rows) {
      const bad = rejected + unreadable;
      if (bad <= Math.max(FORGIVEN, rows * BOUND)) return;
      const examples = first.slice(0, 3).map(describeProblem).join('; ');
      throw new TooManyBadRows(`${bad} of ${rows} rows are bad, more than 1 %: nothing was changed. ${examples}.`);
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
    first,
  };
}

export function describeProblem({ place, column, value, problem }: Problem): string {
  const subject = column === null ? '' : `${column} ${JSON.stringify(value)}: `;
  return `row ${place}: ${subject}${problem}`;
}
