import type { Engine, Queries, Snapshot, Value } from '../base/db/db.ts';
import { readListed } from '../base/db/lists.ts';
import { ACTIVITIES_LENGTH } from '../base/entity-summary.ts';

/** The SQL that both engines run on the registry store. */

/** How many entities there are, from the counts that imports keep. */
export async function estimateEntities(db: Pick<Queries, 'one'>): Promise<number> {
  const row = await db.one<{ entities: number }>('SELECT coalesce(sum(entities), 0) AS entities FROM holdings');
  return Number(row?.entities ?? 0);
}

export async function hasFewer(db: Pick<Queries, 'one'>, count: number): Promise<boolean> {
  return (await db.one('SELECT id FROM entities LIMIT 1 OFFSET $1', [count - 1])) === undefined;
}

/** All entities, or only the entities with the given ids, as bytes: see `Snapshot.dump`. */
export function dumpEntities(
  view: Snapshot,
  columns: readonly string[],
  ids?: readonly string[],
): AsyncIterable<Uint8Array> {
  const read = columns.map((column) => computedColumns[column]?.[view.engine] ?? column);
  return view.dump('entities', read, ids && { column: 'id', values: ids });
}

/** Stands for `registry.activities` as JSON, or null, in a list of columns to dump. */
export const ACTIVITIES_JSON = 'activities';

/** PostgreSQL refuses to read JSON with these escapes, which no code of an activity has. The replacements are valid anywhere in JSON. */
const READABLE = "replace(replace(registry, '\\u0000', '\\u0020'), '\\ud', '\\u2')";

/**
 * `registry.activities` as JSON text, or null. Parsing the JSON of an entity takes SQLite as long as reading it, and so does `LIKE`.
 * `GLOB` takes a tenth of that if the pattern begins with a rare letter.
 */
const activitiesJson: Readonly<Record<Engine, string>> = {
  sqlite: `CASE WHEN registry GLOB '*vities":*' THEN json_extract(registry, '$.activities') END`,
  postgres: `(${READABLE}::json -> 'activities')::text`,
};

/** Stands for `namedRegistry` in a list of columns to dump. */
export const NAMED_REGISTRY = 'named_registry';

const whenNamed = (isNamed: string) =>
  `CASE WHEN ${isNamed} AND octet_length(registry) <= 200000 THEN registry ELSE '' END`;

/** The `registry` of entities with former or further names, unless it is longer than any that a register publishes. */
const namedRegistry: Readonly<Record<Engine, string>> = {
  sqlite: whenNamed(
    `registry GLOB '*Names":*' AND (registry GLOB '*"previousNames":*' OR registry GLOB '*"otherNames":*')`,
  ),
  postgres: whenNamed(`(registry LIKE '%"previousNames":%' OR registry LIKE '%"otherNames":%')`),
};

const computedColumns: Readonly<Record<string, Readonly<Record<Engine, string>>>> = {
  [ACTIVITIES_JSON]: activitiesJson,
  [NAMED_REGISTRY]: namedRegistry,
};

/** A published import: see docs/decisions/0020-journal.md. */
export interface JournalRow {
  readonly generation: number;
  readonly publishedAt: number;
  readonly batch: number;
  readonly changes: number;
  readonly loaded: number;
}

/** The imports from this generation on, in ascending order. */
export async function readJournal(view: Snapshot, generation: number): Promise<JournalRow[]> {
  return view.all<JournalRow>(
    `SELECT generation, published_at AS "publishedAt", batch, changes, loaded
      FROM journal WHERE generation >= $1 ORDER BY generation`,
    [generation],
  );
}

/** The id of the entity, and its name before the change; null if the import added the entity. */
export type ChangeRow = readonly [id: string, nameBefore: string | null];

/** The entities that an import changed. */
export function readChanges(view: Snapshot, batch: number): AsyncIterable<readonly ChangeRow[]> {
  const sql = 'SELECT entity_id, name_before FROM changes WHERE batch = $1 ORDER BY position';
  return view.stream(sql, [batch]) as AsyncIterable<Value[][]> as AsyncIterable<readonly ChangeRow[]>;
}

/** The fields of a record that searches compare. */
export interface SearchedRow {
  readonly id: string;
  readonly countryCode: string;
  readonly register: string;
  readonly jurisdiction: string | null;
  readonly status: string;
  readonly legalForm: string | null;
  readonly registeredAt: string | null;
  readonly legalFormCode: string | null;
  readonly canonicalName: string;
  readonly nameKey: string;
  readonly numberKeys: string;
  readonly activityKeys: string;
  /** The part of the record's `registry` that has its activities. */
  readonly registry: string;
  /** The whole `registry` of the record, or '' if the record has no former and further names. */
  readonly namedRegistry: string;
}

const writeSearched = (engine: Engine) => (list: string) =>
  `SELECT id, country_code AS "countryCode", register, jurisdiction, status, legal_form AS "legalForm",
      registered_at AS "registeredAt", legal_form_code AS "legalFormCode", canonical_name AS "canonicalName",
      name_key AS "nameKey", number_keys AS "numberKeys", activity_keys AS "activityKeys",
      substr(registry, 1, ${ACTIVITIES_LENGTH}) AS registry, ${namedRegistry[engine]} AS "namedRegistry"
    FROM entities WHERE id IN (${list})`;

export function readSearchedRows(db: Queries, ids: readonly string[]): Promise<SearchedRow[]> {
  return readListed(db, ids, writeSearched(db.engine));
}
