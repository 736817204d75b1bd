/** One entity, read from either edition. What cannot be read is reported under the edition's own name for it. */
import type { Cell, Json, MapContext } from '../contract.ts';
import { type Place, SLOT_COUNT, SLOTS } from './columns.ts';

export type JsonRecord = { readonly [key: string]: Json };

export interface Row {
  /** '' when there is none; the lines of a JSON array are joined by a space, as the CSV does with running text. */
  text(place: Place): string;
  /** Lines of an address, entries of a list. */
  lines(place: Place): readonly string[];
  /** Objects of a list, which only the JSON edition has; the CSV has a text there. */
  objects(place: Place): readonly JsonRecord[];
  report(place: Place, value: string, problem: string): void;
}

/** The CSV joins the lines of an address by a slash and the letter n. */
const LINE_BREAK = '/n';

export function readTableRow(cell: Cell, context: MapContext<null>): Row {
  return {
    text: (place) => cell(place.column),
    lines: (place) => cell(place.column).split(LINE_BREAK),
    objects: () => [],
    report: (place, value, problem) => context.report(place.column, value, problem),
  };
}

export function readTreeRow(record: JsonRecord, context: MapContext<null>): Row {
  const values = layOutFlat(record);
  return {
    text: (place) => writeText(values[place.slot]),
    lines: (place) => {
      const value = values[place.slot];
      return Array.isArray(value) ? value.map(writeText) : [writeText(value)];
    },
    objects: (place) => {
      const value = values[place.slot];
      return Array.isArray(value) ? value.filter(isRecord) : [];
    },
    report: (place, value, problem) => context.report(place.path, value, problem),
  };
}

/** Two thirds of the keys are missing from a record, and asking an object for what it has not is slow. */
function layOutFlat(record: JsonRecord): readonly Json[] {
  const values: Json[] = new Array(SLOT_COUNT).fill(null);
  for (const key in record) {
    const slot = SLOTS.get(key);
    const value = record[key] ?? null;
    if (typeof slot === 'number') values[slot] = value;
    else if (slot !== undefined && isRecord(value)) {
      for (const inner in value) {
        const place = slot.get(inner);
        if (place !== undefined) values[place] = value[inner] ?? null;
      }
    }
  }
  return values;
}

export function writeText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? value.map(writeText).join(' ') : '';
}

function isRecord(value: Json): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
