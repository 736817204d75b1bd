import type { Cell, MapContext } from '../contract.ts';
import { readDay } from '../vocabulary.ts';

/** Only lines of former names carry it: the day on which the current name began. */
export function findNameStart(lines: readonly Cell[], context: MapContext<null>): string | null {
  for (const line of lines) {
    const day = readDay('Current Name Start Date', line, context);
    if (day !== null) return day;
  }
  return null;
}

/** The register repeats lines now and then. */
export function listPreviousNames(lines: readonly Cell[], current: string): string[] {
  const names = new Set(lines.map((line) => line('Company Name').trim()));
  names.delete('');
  names.delete(current);
  return [...names];
}
