import { listIsic, parseActivities } from '../../classifications/activities.ts';
import { findMainIsic, withParents } from '../../classifications/isic.ts';
import { storedNames, summaryFields } from '../../core/entity-summary.ts';
import { ACTIVITIES_JSON, NAMED_REGISTRY } from '../store.ts';

/** Turns rows of the store into rows of ClickHouse. The columns are in the order of `entityColumns`. */
export const dumpColumns: readonly string[] = [
  ...storedNames.map((name) => summaryFields[name].column),
  // In the place of the derived fields.
  ACTIVITIES_JSON,
  ...['name_key', 'number_keys', 'legal_form_code', 'activity_keys', NAMED_REGISTRY],
];

/** The values of an entity, as JSON holds them. */
export type EntityValues = readonly unknown[];

const NAME_KEY = dumpColumns.indexOf('name_key');
const ACTIVITY_KEYS = dumpColumns.indexOf('activity_keys');
const UPDATED_AT = dumpColumns.indexOf('updated_at');
const ISIC = dumpColumns.indexOf(ACTIVITIES_JSON);
const NULL = 0xff;

/** The first two bytes of a name: rows are sorted by it, and counted by it to find a page. */
export function bucketOf(nameKey: string): number {
  const [first = 0, second = 0] = Buffer.from(nameKey);
  return first * 256 + second;
}

/** Reads a chunk of `Snapshot.dump` with `dumpColumns`. */
export function* readDump(chunk: Uint8Array): Generator<EntityValues> {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  let values: unknown[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    values.push(bytes[start] === NULL ? null : bytes.toString('utf8', start, end));
    start = end + 1;
    if (values.length < dumpColumns.length) continue;
    const keys = values[ACTIVITY_KEYS];
    values[ACTIVITY_KEYS] = keys === '' || keys === null ? [] : String(keys).split('\n');
    values[UPDATED_AT] = Number(values[UPDATED_AT]);
    const activities = parseActivities(values[ISIC] as string | null);
    values[ISIC] = findMainIsic(activities);
    values.push([...new Set(listIsic(activities).flatMap(withParents))], bucketOf(String(values[NAME_KEY])));
    yield values;
    values = [];
  }
}

/** A line of an insert. */
export const writeLine = (values: EntityValues, publication: number, sign: 1 | -1) =>
  `${JSON.stringify([...values, publication, sign])}\n`;
