/** Access to an entity that works for both editions. */
import { type Cell, type Json, listColumns } from '../contract.ts';
import type { Tree } from '../parsing.ts';

/** An entity of either edition, by the columns of the CSV. A column with dots is a path of nested objects in the JSON. */
export interface Unit {
  readonly cell: Cell;
  /** Of the JSON edition: the values, each in the slot of its column. */
  readonly values?: readonly Json[];
  /** The values of a JSON array. */
  readonly list: (column: string) => readonly Json[];
}

/** Three names have different capitals in the JSON edition. */
export const SPELLED_IN_JSON: Readonly<Record<string, string>> = {
  registreringsdatoenhetsregisteret: 'registreringsdatoEnhetsregisteret',
  registrertIMvaRegisteret: 'registrertIMvaregisteret',
  registreringsdatoantallansatteNAVAaregisteret: 'registreringsdatoAntallAnsatteNAVAaregisteret',
};

/** The slot of each column in the array of a JSON record. The last two are only in the JSON edition. */
const SLOTS: ReadonlyMap<string, number> = new Map(
  [...listColumns('no', 'enheter (CSV)'), 'slettedato', 'historiskeNavn'].map((column, slot) => [column, slot]),
);
/** For each key of a JSON record, the slot of its value, or the slots of the values in its object. */
const KEYS = new Map<string, number | Map<string, number>>();
for (const [column, slot] of SLOTS) {
  const [key = '', inner] = (SPELLED_IN_JSON[column] ?? column).split('.');
  const known = KEYS.get(key);
  if (inner === undefined) KEYS.set(key, slot);
  else if (known instanceof Map) known.set(inner, slot);
  else KEYS.set(key, new Map([[inner, slot]]));
}

/** Two thirds of the keys are missing from a typical record, and looking up a missing key of an object is slow. */
export function readRecord(record: Tree): Unit {
  const values: Json[] = new Array(SLOTS.size).fill(null);
  for (const key in record) {
    const slot = KEYS.get(key);
    const value = record[key] ?? null;
    if (typeof slot === 'number') values[slot] = value;
    else if (slot !== undefined && isRecord(value)) {
      for (const inner in value) {
        const place = slot.get(inner);
        if (place !== undefined) values[place] = value[inner] ?? null;
      }
    }
  }
  const find = (column: string) => values[SLOTS.get(column) ?? -1];
  return {
    values,
    cell: (column) => writeText(find(column)),
    list: (column) => {
      const value = find(column);
      return Array.isArray(value) ? value : NO_VALUES;
    },
  };
}

/** Returns a function that reads a column. The slot of the column is looked up once. */
export function findColumn(column: string): (unit: Unit) => string {
  const slot = SLOTS.get(column) ?? -1;
  return ({ cell, values }) => (values === undefined ? cell(column) : writeText(values[slot]));
}

const NO_VALUES: readonly Json[] = [];
export const NO_LIST = () => NO_VALUES;

/** The lines of a JSON array are joined with spaces, as in the CSV. */
export function writeText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? value.map(writeText).join(' ') : '';
}

export function isRecord(value: Json): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
