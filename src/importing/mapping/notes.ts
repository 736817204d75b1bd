import type { ProblemSink } from './problems.ts';

/** A call of a method of `ProblemSink`, to be repeated in the thread that counts problems. */
export type Note = { [M in keyof ProblemSink]: [M, ...Parameters<ProblemSink[M]>] }[keyof ProblemSink];

export function repeatNotes(notes: readonly Note[], problems: ProblemSink): void {
  for (const [method, ...values] of notes) Reflect.apply(problems[method], problems, values);
}

/** Characters of a value that are sent. Fewer are kept; a value can be as long as a row. */
const MAX_SENT = 200;
/** More than are shown. Records of a tree can have any number of different keys. */
const MAX_COLUMNS_SENT = 100;

/** The main thread counts problems; this one only records the calls. An unknown column is sent once. */
export function recordNotes(keep: (note: Note) => void): ProblemSink {
  const sentColumns = new Set<string>();
  return {
    reject: (...values) => keep(['reject', ...values]),
    noteSkipped: (...values) => keep(['noteSkipped', ...values]),
    report: (file, place, column, value, problem) =>
      keep(['report', file, place, column, value?.slice(0, MAX_SENT) ?? null, problem]),
    reportUnknown: (file, place, kind, column, value) =>
      keep(['reportUnknown', file, place, kind, column, value.slice(0, MAX_SENT)]),
    noteWithoutNumber: (...values) => keep(['noteWithoutNumber', ...values]),
    noteUnmatched: (...values) => keep(['noteUnmatched', ...values]),
    noteSynthetic: (...values) => keep(['noteSynthetic', ...values]),
    noteCut: (...values) => keep(['noteCut', ...values]),
    noteUnknownColumn(column) {
      if (sentColumns.size === MAX_COLUMNS_SENT || sentColumns.has(column)) return;
      sentColumns.add(column);
      keep(['noteUnknownColumn', column.slice(0, MAX_SENT)]);
    },
  };
}
