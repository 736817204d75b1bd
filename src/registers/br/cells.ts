/** Readings of single cells that all tables share. */
import type { Cell, MapContext } from '../contract.ts';
import { readCompactDate, readText } from '../vocabulary.ts';
import type { Codes } from './tables.ts';

export type Context = MapContext<Codes>;

/** What a code means, if its table was given. */
export function nameCode(table: string, code: string, { codes }: Context): string | null {
  return codes.get(table)?.get(code.trim()) ?? null;
}

export function readCode(table: string, text: string, context: Context): { code: string; name?: string } | null {
  const code = readText(text);
  if (code === null) return null;
  const name = nameCode(table, code, context);
  return name === null ? { code } : { code, name };
}

/** `00000000` and `0` are none. */
export function readDay(column: string, cell: Cell, context: Context): string | null {
  const text = cell(column).trim();
  if (/^0*$/.test(text)) return null;
  const day = readCompactDate(text);
  if (day === null) context.report(column, text, 'not a date');
  return day;
}
