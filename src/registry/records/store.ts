import type { Engine, Queries, Reads, Snapshot, Value } from '../../base/db/db.ts';
import { readListed, readListedRows, writeListed } from '../../base/db/lists.ts';
import { ALLOW_TERMINATION } from '../../base/db/sqlite.ts';
import { findWithVersion, selectWithVersion, versionOf } from '../../base/db/version.ts';
import {
  ACTIVITIES_LENGTH,
  type StoredSummary,
  sourceNames,
  storedNames,
  summaryFields,
} from '../../base/entity-summary.ts';
import type { Layout } from './source-data.ts';

/** The SQL of the registry: one exported function per statement, with the database handle as its first argument. */

/** The columns besides the summary: values that an import derives from the source row, and the row itself. */
const importColumns = [
  ...['name_key', 'number_keys', 'activity_keys', 'legal_form_code'],
  ...['registrations', 'registry', 'layout', 'source_data'],
] as const;

/** The columns whose values the source decides: what clients see of a record, and what a search of the record uses. */
export const contentColumns = [...sourceNames.map((name) => summaryFields[name].column), ...importColumns] as const;
export type ContentColumn = (typeof contentColumns)[number];

export interface StoredState {
  readonly id: string;
  readonly contentHash: string;
  readonly fileId: number;
}

/** Returns a function that finds the states of rows of a table by their ids. */
export function createStateFinder(table: 'entities' | 'parties') {
  const write = (list: string) =>
    `SELECT id, content_hash AS "contentHash", file_id AS "fileId" FROM ${table} WHERE id IN (${list})`;
  return (tx: Reads, ids: readonly string[]) => readListed<StoredState>(tx, ids, write);
}

export const findStates = createStateFinder('entities');

/** A record as stored, with JSON as text. Each of the texts that may be long is empty if its column was too long to be read. */
export interface StoredEntity {
  readonly id: string;
  readonly register: string;
  /** Starts with the values of the summary (`base/entity-summary.ts`). */
  readonly summary: readonly (string | number | null)[];
  readonly legalForm: string | null;
  readonly legalFormCode: string | null;
  readonly registry: string;
  readonly registrations: string;
  readonly sourceData: string;
  /** Null if the source is a tree. */
  readonly layout: number | null;
  /** 1 if records of other registers link to this record. */
  readonly isLinked: number;
  readonly fileId: number;
  readonly place: number;
  /** The source rows, as `parseOrigins` reads them. Null if the record comes from the row `place` alone. */
  readonly origins: string | null;
  /** How many parties are named, as JSON. Null if no files of parties are imported. */
  readonly partyCounts: string | null;
}

export interface FoundEntities {
  readonly version: string;
  readonly entities: readonly StoredEntity[];
}

/** The longest text of a column, for callers that read whole records. */
export const ANY_LENGTH = 2_147_483_647;

/** The longest column that is rendered on the event loop. One official record in ten thousand has a longer column. */
export const MAX_INLINE_BYTES = 32 * 1024;

const SUMMARY = storedNames.map((name) => `e.${summaryFields[name].column} AS "${name}"`).join(', ');

const LONG_COLUMNS = {
  registry: 'e.registry',
  registrations: 'e.registrations',
  sourceData: 'e.source_data',
  origins: 'e.origins',
} as const satisfies Partial<Record<keyof StoredEntity, string>>;
export type LongText = keyof typeof LONG_COLUMNS;
export const longTexts = Object.keys(LONG_COLUMNS) as LongText[];

/** The columns that `toEntity` reads. `counts` is the SQL of `writePartyCounts`, and `select` writes a column that may be long. */
function listEntityColumns(counts: string, select: (column: string) => string): string {
  return `${SUMMARY}, ${Object.values(LONG_COLUMNS).map(select).join(', ')}, e.legal_form_code, e.layout, CASE WHEN e.linked_numbers = '' THEN 0 ELSE 1 END, e.file_id, e.place, ${counts}`;
}

const ID = storedNames.indexOf('id');
const REGISTER = storedNames.indexOf('register');
const LEGAL_FORM = storedNames.indexOf('legalForm');

/** Reads the values of `listEntityColumns`. The row may have further values after these. */
function toEntity(row: readonly Value[]): StoredEntity {
  const at = storedNames.length;
  return {
    id: row[ID] as string,
    register: row[REGISTER] as string,
    summary: row as StoredEntity['summary'],
    registry: row[at] as string,
    registrations: row[at + 1] as string,
    sourceData: row[at + 2] as string,
    origins: row[at + 3] as string | null,
    legalForm: row[LEGAL_FORM] as string | null,
    legalFormCode: row[at + 4] as string | null,
    layout: row[at + 5] as number | null,
    isLinked: row[at + 6] as number,
    fileId: row[at + 7] as number,
    place: row[at + 8] as number,
    partyCounts: row[at + 9] as string | null,
  };
}

/**
 * Finds the records with given ids, and the version of the data even if no record is found, in one statement, so that both are of the same commit.
 * Columns of more than `maxBytes` are left out: reading 18 MB blocks the event loop for up to 90 ms.
 */
export function createEntityFinder(maxBytes: number, counts = 'NULL') {
  const select = (column: string) => `CASE WHEN octet_length(${column}) > $1 THEN '' ELSE ${column} END`;
  const columns = listEntityColumns(counts, select);
  const write = (list: string) => selectWithVersion(columns, `entities e ON e.id IN (${list})`);
  return async (db: Reads, ids: readonly string[]): Promise<FoundEntities> => {
    const rows = await db.rows(...writeListed(write, ids, [maxBytes]));
    const entities: StoredEntity[] = [];
    for (const row of rows) if (row[ID] !== null) entities.push(toEntity(row));
    return { version: versionOf(rows), entities };
  };
}

/** Finds `length` bytes of a long text of a record, and the version of the data. The first byte is number 1. */
export async function findPiece(db: Reads, id: string, name: LongText, first: number, length: number) {
  const column = LONG_COLUMNS[name];
  const bytes = db.engine === 'sqlite' ? `CAST(${column} AS BLOB)` : `convert_to(${column}, 'UTF8')`;
  const sql = selectWithVersion(`substr(${bytes}, $2, $3)`, 'entities e ON e.id = $1');
  const rows = await db.rows(sql, [id, first, length]);
  return { version: versionOf(rows), piece: (rows[0]?.[0] ?? new Uint8Array()) as Uint8Array };
}

/** The `registry` of each given record that has the field at any depth. A `registry` of more than `maxBytes` is left out. */
export function findRegistriesWith(db: Reads, field: string, ids: readonly string[], maxBytes: number) {
  return readListed<{ id: string; registry: string }>(db, ids, FIND_REGISTRIES, [maxBytes, `%"${field}":%`]);
}

const FIND_REGISTRIES = (list: string) =>
  `SELECT id, registry FROM entities WHERE id IN (${list}) AND octet_length(registry) <= $1 AND registry LIKE $2`;

export function listLayouts(db: Reads, ids: readonly number[]): Promise<Layout[]> {
  return readListed<Layout>(db, ids, (list) => `SELECT id, columns FROM layouts WHERE id IN (${list})`);
}

export interface RelatedSummary extends StoredSummary {
  /** Id of the entity whose counterpart this record is. */
  readonly relatedTo: string;
  readonly legalFormCode: string | null;
  /** The registry of the record, or the beginning of a long registry. */
  readonly registry: string;
}

/** The imported entities that are linked with the given entities in either direction, and the version of the data. */
export function findRelated(db: Reads, ids: readonly string[]) {
  return findWithVersion<RelatedSummary>(db, ids, FIND_RELATED, 'id');
}

const FIND_RELATED = (list: string) =>
  selectWithVersion(
    `${SUMMARY}, e.legal_form_code AS "legalFormCode", substr(e.registry, 1, ${ACTIVITIES_LENGTH}) AS registry,
      r.related_to AS "relatedTo"`,
    `(SELECT from_id AS related_to, to_id AS id FROM links WHERE from_id IN (${list})
      UNION SELECT to_id AS related_to, from_id AS id FROM links WHERE to_id IN (${list})) r ON 1 = 1
    LEFT JOIN entities e ON e.id = r.id`,
    'ORDER BY e.register, e.id',
  );

export interface FormerEntity extends Pick<NewEntity, 'id' | 'contentHash' | 'content'> {
  /** The last part of the entity's `number_keys`. */
  readonly linkedNumbers: string;
}

/** Deletes the entities with these ids and returns what was stored. */
export async function deleteEntities(tx: Queries, ids: readonly string[]): Promise<FormerEntity[]> {
  const rows = (await readListedRows(tx, ids, DELETE)) as [string, string, string, ...Value[]][];
  return rows.map(([id, contentHash, linkedNumbers, ...content]) => ({ id, contentHash, linkedNumbers, content }));
}

const DELETE = (list: string) =>
  `DELETE FROM entities WHERE id IN (${list}) RETURNING id, content_hash, linked_numbers, ${contentColumns.join(', ')}`;

export async function keepLayout(tx: Queries, { id, columns }: Layout): Promise<void> {
  await tx.run('INSERT INTO layouts (id, columns) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING', [id, columns]);
}

export interface NewEntity {
  readonly id: string;
  readonly updatedAt: number;
  readonly fileId: number;
  readonly place: number;
  readonly origins?: string | undefined;
  readonly contentHash: string;
  /** The values of `contentColumns`, in their order. */
  readonly content: readonly Value[];
}

export async function insertEntities(tx: Queries, entities: Iterable<NewEntity>): Promise<void> {
  const columns = ['id', 'updated_at', 'file_id', 'place', 'origins', 'content_hash', ...contentColumns];
  const rows = Iterator.from(entities).map(({ id, updatedAt, fileId, place, origins, contentHash, content }) => {
    return [id, updatedAt, fileId, place, origins ?? null, contentHash, ...content];
  });
  await tx.bulkLoad('entities', columns, rows);
}

/** Whether the store has entities of the register, delisted entities included. */
export async function hasEntities(tx: Queries, register: string): Promise<boolean> {
  return (await tx.one('SELECT 1 AS found FROM entities WHERE register = $1 LIMIT 1', [register])) !== undefined;
}

/** The content hash of a delisted entity. This hash equals no other hash, so a later return of the entity is a change. */
export const DELISTED_HASH = '';

/** Delists the entities that the journal of this import lists from `position` on. */
export async function delistEntities(tx: Queries, batch: number, position: number, now: number): Promise<void> {
  await tx.run(
    `UPDATE entities SET status = 'delisted', updated_at = $1, content_hash = '${DELISTED_HASH}'
      WHERE id IN (SELECT entity_id FROM changes WHERE batch = $2 AND position >= $3)`,
    [now, batch, position],
  );
}

export interface Selection {
  /** Codes of countries; undefined for all. */
  readonly countries: readonly string[] | undefined;
  readonly registers: readonly string[];
}

/** What finds an entity or a party within a snapshot. */
export type RowKey = string | number;

/** The key of a row, the folder of an export that the row belongs to (a country, or the register of a party), and its register. */
export type BulkKey = readonly [key: RowKey, folder: string, register: string];

/** Changes when row numbers may have changed: VACUUM, which may give rows other numbers, also increases the version of the schema. */
export async function findNumbering(view: Snapshot): Promise<number> {
  if (view.engine !== 'sqlite') return 0;
  return (await view.one<{ schema_version: number }>('PRAGMA schema_version'))?.schema_version ?? 0;
}

/** In SQLite, an id leads to the row number, and the row number to the row: with row numbers, a lookup reads half as many pages. */
const KEYS: Readonly<Record<Engine, string>> = { sqlite: 'rowid', postgres: 'id' };

/** SQLite reads this many rows in a few milliseconds. A power of two. */
const ROWS_BETWEEN_CALLS = 4_096;

interface SortedRows {
  readonly table: 'entities' | 'parties';
  readonly folder: string;
  readonly filters: readonly string[];
  readonly order: string;
}

/** The keys of the rows that pass the filters, in an order. The first key takes as long as sorting all keys. */
export function streamRows(view: Snapshot, { table, folder, filters, order }: SortedRows, params: readonly Value[]) {
  const isInterruptible = `(rowid & ${ROWS_BETWEEN_CALLS - 1} <> 0 OR ${ALLOW_TERMINATION}())`;
  const all = view.engine === 'sqlite' ? [...filters, isInterruptible] : filters;
  const sql = `SELECT ${KEYS[view.engine]}, ${folder}, register FROM ${table} WHERE ${all.join(' AND ')} ORDER BY ${order}`;
  return view.stream(sql, params) as AsyncIterable<never[]>;
}

/** Returns a function that finds rows in the order of given keys. `write` returns the statement for a list of keys; its last column is the key. */
export function createRowFinder(view: Snapshot, write: (key: string, list: string) => string) {
  const key = KEYS[view.engine];
  const statement = (list: string) => write(key, list);
  return async (keys: readonly RowKey[]): Promise<Value[][]> => {
    const rows = await view.rows(...writeListed(statement, keys));
    const found = new Map(rows.map((row) => [row.at(-1), row]));
    return keys.map((key) => {
      const row = found.get(key);
      if (row === undefined) throw new Error(`the snapshot has no row ${key}`);
      return row;
    });
  };
}

/** The keys of the selected entities by country, in the order of search results. */
export function streamKeys(view: Snapshot, { countries, registers }: Selection): AsyncIterable<BulkKey[]> {
  const params: Value[] = [];
  const list = (values: readonly string[]) => values.map((value) => `$${params.push(value)}`).join(', ');
  const filters = [`register IN (${list(registers)})`];
  if (countries !== undefined) filters.push(`country_code IN (${list(countries)})`);
  // No index has this order, and rows are wide: only the keys are sorted. Country and name are one text, because SQLite compares records
  // with equal first columns slowly. No country code is the start of another one, and a space comes before all letters.
  const order = `(country_code || ' ' || name_key) COLLATE "binary", canonical_name COLLATE "binary", id COLLATE "binary"`;
  return streamRows(view, { table: 'entities', folder: 'country_code', filters, order }, params);
}

/** Returns a function that finds the entities with given keys, in the order of the keys. */
export function createKeyFinder(view: Snapshot, counts: string) {
  const columns = listEntityColumns(counts, (column) => column);
  const write = (key: string, list: string) =>
    `SELECT ${columns}, e.${key} FROM entities e WHERE e.${key} IN (${list})`;
  const find = createRowFinder(view, write);
  return async (keys: readonly RowKey[]): Promise<StoredEntity[]> => (await find(keys)).map(toEntity);
}
