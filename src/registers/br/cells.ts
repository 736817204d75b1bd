/** Parsers for single cells, used by all tables. */
import type { Cell, MapContext } from '../contract.ts';
import { readCompactDate, readText } from '../parsing.ts';
import type { Codes } from './tables.ts';

export type Context = MapContext<Codes>;

/** The name of a code, or null if its table is missing or does not list it. */
export function lookUpName(table: string, code: string, { codes }: Context): string | null {
  return codes.get(table)?.get(code.trim()) ?? null;
}

export function readCode(table: string, text: string, context: Context): { code: string; name?: string } | null {
  const code = readText(text);
  if (code === null) return null;
  const name = lookUpName(table, code, context);
  return name === null ? { code } : { code, name };
}

/** The files write `00000000` or `0` for a missing date. */
export function readDay(column: string, cell: Cell, context: Context): string | null {
  const text = cell(column).trim();
  if (/^0*$/.test(text)) return null;
  const day = readCompactDate(text);
  if (day === null) context.report(column, text, 'not a date');
  return day;
}
