/** Readers of single fields, made once from the name of a column, so that the mapping is a table of them. */
import type { Json } from '../contract.ts';
import { readCount, readDate, readText } from '../vocabulary.ts';
import { type Column, locate, type PlaceName } from './columns.ts';
import type { Row } from './row.ts';

/** Null when the row has nothing to say. */
export type Field<T extends Json = Json> = (row: Row) => T | null;

export function text(column: Column): Field<string> {
  const place = locate(column);
  return (row) => readText(row.text(place));
}

/** Running text, which either edition breaks into lines at no meaningful place. */
export function prose(column: Column): Field<string> {
  const place = locate(column);
  return (row) => readText(row.text(place).replace(LINE_BREAKS, ' '));
}

export function lines(column: Column): Field<string[]> {
  const place = locate(column);
  return (row) => {
    const said: string[] = [];
    for (const line of row.lines(place)) {
      const trimmed = line.trim();
      if (trimmed !== '') said.push(trimmed);
    }
    return said.length > 0 ? said : null;
  };
}

export function date(column: PlaceName): Field<string> {
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

/** An object of fields without those that say nothing; null when none does. */
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
// The exponent: large amounts as a Java program may write them.
const AMOUNT = /^-?\d{1,18}(\.\d{1,18})?(E\d{1,2})?$/;
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

function readOrReport<T extends Json>(column: PlaceName, read: (value: string) => T | null, problem: string): Field<T> {
  const place = locate(column);
  return (row) => {
    const written = row.text(place);
    const value = written.trim();
    if (value === '') return null;
    const understood = read(value);
    if (understood === null) row.report(place, written, problem);
    return understood;
  };
}
