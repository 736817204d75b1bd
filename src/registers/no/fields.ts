/** Creates readers for single fields, once per column, so that the place of a column is looked up only once. */
import { readCount, readDate, readText } from '../parsing.ts';
import { type Column, type FieldName, locate } from './columns.ts';
import type { Row } from './row.ts';

/** Returns null if the row has no value for the field. */
export type Field<T> = (row: Row) => T | null;

/** A list of the values of one or more columns, without empty ones. */
export function list(...columns: readonly Column[]): Field<string[]> {
  const places = columns.map(locate);
  return (row) => {
    const found: string[] = [];
    for (const place of places) {
      const value = readText(row.text(place));
      if (value !== null && !found.includes(value)) found.push(value);
    }
    return found.length > 0 ? found : null;
  };
}

/** A code that has to look like `pattern`. Anything else is reported. */
export function code(column: Column, pattern: RegExp): Field<string> {
  return readOrReport(column, (value) => (pattern.test(value) ? value : null), 'not a valid code');
}

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
      const trimmed = line.replace(COMMA_AT_END, '').trim();
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

type Group<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] extends Field<infer Value> ? Value : never };

/** An object of fields without the empty ones; null if all are empty. */
export function group<Fields extends Readonly<Record<string, Field<unknown>>>>(fields: Fields): Field<Group<Fields>> {
  const members = Object.entries(fields);
  return (row) => {
    let found: Record<string, unknown> | null = null;
    for (const [name, read] of members) {
      const value = read(row);
      if (value === null) continue;
      found ??= {};
      found[name] = value;
    }
    return found as Group<Fields> | null;
  };
}

/** Lines are joined with commas, and some have one already. */
const COMMA_AT_END = /[\s,]+$/;
const LINE_BREAKS = /\s*[\r\n]+\s*/g;
// With an optional exponent, because Java programs write large amounts as `1.0E10`.
const AMOUNT = /^-?\d{1,18}(\.\d{1,18})?(E\d{1,2})?$/;
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

function readOrReport<T>(column: FieldName, read: (value: string) => T | null, problem: string): Field<T> {
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
