import { basename } from 'node:path';
import { toStorable } from '../../base/storable.ts';
import type { ImportedPart } from '../../registry/records/imports/store.ts';
import { hasParties, hasRecords, isTable, type Part } from '../reading/part.ts';

export function describePart(part: Part): ImportedPart {
  const { file, entry, source } = part;
  const isFile = entry === basename(file) || entry === basename(file).replace(/\.gz(ip)?$/i, '');
  return { file, entry: isFile ? null : toStorable(entry), table: source.name, content: nameContent(part) };
}

function nameContent(part: Part): ImportedPart['content'] {
  if (hasRecords(part)) return 'records';
  if (hasParties(part)) return 'parties';
  return isTable(part) && part.source.joins !== undefined ? 'rows' : 'codes';
}

interface TracedRow {
  readonly part: number;
  readonly place: number;
}

export type Tracer = ReturnType<typeof createTracer>;

/**
 * Writes the origins of records. A row of a file that has only one part with records needs no origins, because its `place` is enough:
 * they are undefined. Rows name their part by its index in `parts`.
 */
export function createTracer(parts: readonly Part[], imported: readonly ImportedPart[]) {
  const described = parts.map(describePart);
  const numbers = described.map(({ file, entry }) =>
    imported.findIndex((part) => part.file === file && part.entry === entry),
  );
  const isAlone = described.map(
    ({ file }) => imported.filter((part) => part.file === file && part.content === 'records').length === 1,
  );
  const traceRow = (part: number, place: number) => (isAlone[part] ? undefined : `${numbers[part]}:${place}`);
  return {
    traceRow,
    traceRows(main: TracedRow, others: Iterable<readonly TracedRow[]>): string | undefined {
      const places = new Map<number, number[]>([[main.part, [main.place]]]);
      for (const rows of others) {
        for (const { part, place } of rows) {
          const known = places.get(part);
          if (known === undefined) places.set(part, [place]);
          else known.push(place);
        }
      }
      if (places.size === 1 && places.get(main.part)?.length === 1) return traceRow(main.part, main.place);
      return Array.from(places, ([part, rows]) => `${numbers[part]}:${writeRanges(rows)}`).join(';');
    },
  };
}

function writeRanges(places: number[]): string {
  places.sort((one, other) => one - other);
  let text = '';
  for (let start = 0, end = 0; start < places.length; start = end + 1) {
    const first = places[start] as number;
    for (end = start; places[end + 1] === first + (end + 1 - start); ) end++;
    text += `${text === '' ? '' : ','}${first}${end > start ? `-${places[end]}` : ''}`;
  }
  return text;
}
