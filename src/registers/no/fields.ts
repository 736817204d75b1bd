/**
 * Creates readers for single fields. Each reader is created once, for a column, so that the mapping is a table of
 * readers and looks up a column's place only once.
 */
import type { Json } from '../contract.ts';
import { readCount, readDate, readText } from '../parsing.ts';
import { type Column, type FieldName, locate } from './columns.ts';
import type { Row } from './row.ts';

/** Returns null if the row has no value for the field. */
export type Field<T extends Json = Json> = (row: Row) => T | null;

export function text(column: Column): Field<string> {
  const place = locate(column);
  return (row) => readText(row.text(place));
}

/** Prose. Both editions break it into lines at arbitrary positions, so line breaks become spaces. */
export function prose(column: Column): Field<string> {
  const place = locate(column);
  return (row) => readText(row.text(place).replace(LINE_BREAKS, ' '));
}

export function lines(column: Column): Field<string[]> {
  const place = locate(column);
  return (row) => {
    const found: string[] = [];
    for (const line of row.lines(place)) {
      const trimmed = line.trim();
      if (trimmed !== '') found.push(trimmed);
    }
    return found.length > 0 ? found : null;
  };
}

export function date(column: FieldName): Field<string> {
  return readOrReport(column, readDate, 'not a date');
}

export function count(column: Column): Field<number> {
  return readOrReport(column, readCount, 'not a whole number');
}

export function amount(column: Column): Field<number> {
  return readOrReport(column, (value) => (AMOUNT.test(value) ? Number(value) : null), 'not a number');
}

export function flag(column: Column): Field<boolean> {
  return readOrReport(column, (value) => FLAGS.get(value) ?? null, 'neither true nor false');
}

/** An object of fields without the empty ones; null if all are empty. */
export function group(fields: Readonly<Record<string, Field>>): Field<{ [key: string]: Json }> {
  const members = Object.entries(fields);
  return (row) => {
    let found: { [key: string]: Json } | null = null;
    for (const [name, read] of members) {
      const value = read(row);
      if (value === null) continue;
      found ??= {};
      found[name] = value;
    }
    return found;
  };
}

const LINE_BREAKS = /\s*[\r\n]+\s*/g;
// With an optional exponent, because Java programs write large amounts as `1.0E10`.
const AMOUNT = /^-?\d{1,18}(\.\d{1,18})?(E\d{1,2})?$/;
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

function readOrReport<T extends Json>(column: FieldName, read: (value: string) => T | null, problem: string): Field<T> {
  const place = locate(column);
  return (row) => {
    const written = row.text(place);
    const value = written.trim();
    if (value === '') return null;
    const result = read(value);
    if (result === null) row.report(place, written, problem);
    return result;
  };
}
