import type { Cell, MapContext } from '../contract.ts';
import { readDay } from '../parsing.ts';

/** The day the current name took effect. Only the lines of former names carry it. */
export function findNameStart(lines: readonly Cell[], context: MapContext<null>): string | null {
  for (const line of lines) {
    const day = readDay('Current Name Start Date', line, context);
    if (day !== null) return day;
  }
  return null;
}

/** Each former name once: the file repeats some lines. */
export function listPreviousNames(lines: readonly Cell[], current: string): { name: string }[] {
  const names = new Set(lines.map((line) => line('Company Name').trim()));
  names.delete('');
  names.delete(current);
  return Array.from(names, (name) => ({ name }));
}
