/** Parsers for single cells, used by all tables. */
import type { Cell, MapContext } from '../contract.ts';
import { readCompactDate } from '../parsing.ts';
import type { Codes, CodeTable } from './tables.ts';

export type Context = MapContext<Codes>;

/** The text of a code, or null if its table is missing or does not list it. */
export function lookUpLabel(table: CodeTable, code: string, { codes }: Context): string | null {
  return codes.get(table)?.get(code) ?? null;
}

export function readCode(table: CodeTable, text: string, context: Context): { code: string; label?: string } | null {
  const code = text.trim();
  if (code === '') return null;
  const label = lookUpLabel(table, code, context);
  return label === null ? { code } : { code, label };
}

/** The files write `00000000` or `0` for a missing date. */
export function readDay(column: string, cell: Cell, context: Context): string | null {
  const text = cell(column).trim();
  if (/^0*$/.test(text)) return null;
  const day = readCompactDate(text);
  if (day === null) context.report(column, text, 'not a date');
  return day;
}

/** Cells are padded with spaces, also between words. */
export function readWords(text: string): string {
  const trimmed = text.trim();
  return trimmed.includes('  ') ? trimmed.replace(/ {2,}/g, ' ') : trimmed;
}
