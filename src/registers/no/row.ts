/** Access to one entity that works for both editions. Problems are reported under the name that the edition uses. */
import type { Cell, Json, MapContext, UnknownKind } from '../contract.ts';
import { type Place, SLOT_COUNT, SLOTS } from './columns.ts';

export type JsonRecord = { readonly [key: string]: Json };

export interface Row {
  /** '' if missing. The lines of a JSON array are joined with spaces, as in the CSV. */
  text(place: Place): string;
  /** The lines of an address or the entries of a list. */
  lines(place: Place): readonly string[];
  /** The objects of a list. Only the JSON edition has objects; the CSV has a text instead. */
  objects(place: Place): readonly JsonRecord[];
  report(place: Place, value: string, problem: string): void;
  reportUnknown(kind: UnknownKind, place: Place, value: string): void;
}

/** The CSV joins the lines of an address with a slash and the letter n, not with a line feed. */
const LINE_BREAK = '/n';

export function readTableRow(cell: Cell, context: MapContext<null>): Row {
  return {
    text: (place) => cell(place.column),
    lines: (place) => cell(place.column).split(LINE_BREAK),
    objects: () => [],
    report: (place, value, problem) => context.report(place.column, value, problem),
    reportUnknown: (kind, place, value) => context.reportUnknown(kind, place.column, value),
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
    reportUnknown: (kind, place, value) => context.reportUnknown(kind, place.path, value),
  };
}

/** Two thirds of the keys are missing from a typical record, and looking up a missing key of an object is slow. */
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
