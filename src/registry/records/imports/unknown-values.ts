import { toStorable } from '../../../base/storable.ts';
import type { UnknownKind } from '../../../registers/contract.ts';

/** A value whose meaning its register does not know, and how many rows of an import have it. */
export interface UnknownValue {
  readonly kind: UnknownKind;
  readonly column: string;
  /** The value as in the source, cut after 200 characters. Null stands for all further values of a column with too many values. */
  readonly value: string | null;
  readonly rows: number;
}

/** Per column. Bounds memory: a column with free text instead of codes has as many values as the file has rows. */
const MAX_VALUES = 500;
const MAX_LENGTH = 200;

interface Counter extends UnknownValue {
  rows: number;
  /** The row that was counted last: a value that a row has twice counts once. */
  lastRow: string;
}

/** Counts unknown values: the first `MAX_VALUES` of each column one by one, all other values of the column together. */
export function createUnknownValues() {
  const counters = new Map<string, Counter>();
  const valuesByColumn = new Map<string, number>();
  return {
    /** `row` identifies the row within the import. */
    add(kind: UnknownKind, column: string, written: string, row: string): void {
      const value = toStorable(written.slice(0, MAX_LENGTH));
      const rest = `${kind} ${column}`;
      const known = valuesByColumn.get(rest) ?? 0;
      const single = JSON.stringify([kind, column, value]);
      const key = counters.has(single) || known < MAX_VALUES ? single : rest;
      let counter = counters.get(key);
      if (counter === undefined) {
        // A copy: a part of a string keeps the whole string, here a chunk of the file, in memory.
        const copy: string = JSON.parse(single)[2];
        counter = { kind, column, value: key === rest ? null : copy, rows: 0, lastRow: '' };
        counters.set(key, counter);
        valuesByColumn.set(rest, known + 1);
      }
      if (counter.lastRow !== row) counter.rows++;
      counter.lastRow = row;
    },
    /** The most frequent values first. */
    list: (): UnknownValue[] =>
      [...counters.values()]
        .map(({ kind, column, value, rows }) => ({ kind, column, value, rows }))
        .sort((a, b) => b.rows - a.rows || compare(a.column, b.column) || compare(a.value ?? '', b.value ?? '')),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
