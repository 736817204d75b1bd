import type { Queries, Reads, Value } from '../../base/db/db.ts';
import {
  ACTIVITIES_LENGTH,
  type StoredSummary,
  sourceNames,
  storedNames,
  summaryFields,
} from '../../base/entity-summary.ts';
import { keepBySize, listPlaceholders, padList } from '../../base/pad-list.ts';
import { describeVersion } from '../../base/version.ts';
import type { Layout } from './source-data.ts';

/** The SQL of the registry: one exported function per statement, with the database handle as its first argument. */

/** Besides the summary: what an import derives from the source row, and the row itself. */
const importColumns = [
  ...['name_key', 'number_keys', 'activity_keys', 'legal_form_code'],
  ...['registrations', 'registry', 'layout', 'source_data'],
] as const;

/** The columns whose values the source decides: what clients see of a record, and what it is searched by. */
export const contentColumns = [...sourceNames.map((name) => summaryFields[name].column), ...importColumns] as const;
export type ContentColumn = (typeof contentColumns)[number];

export interface StoredState {
  readonly id: string;
  readonly contentHash: string;
  readonly fileId: number;
}

export async function readStates(tx: Queries, ids: readonly string[], size: number): Promise<StoredState[]> {
  if (ids.length === 0) return [];
  const sql = `SELECT id, content_hash AS "contentHash", file_id AS "fileId" FROM entities WHERE id IN (${listPlaceholders(size)})`;
  return tx.all<StoredState>(sql, padList(ids, size));
}

/**
 * A record as stored; the JSON columns are JSON text. Each of `registry`, `registrations`, `sourceData` and `origins` is
 * empty if it was too long to be read.
 */
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
  /** 1 if records of other registers link to it. */
  readonly isLinked: number;
  readonly fileId: number;
  readonly place: number;
  /** The source rows, as `provenance.ts` writes them. Null if the record comes from the row `place` alone. */
  readonly origins: string | null;
  /** How many parties are named, as JSON. Null if no files of parties are imported. */
  readonly partyCounts: string | null;
}

export interface FoundEntities {
  /** The version of the data (`base/version.ts`). */
  readonly version: string;
  readonly entities: readonly StoredEntity[];
}

/** The longest text of a column, for callers that read whole records. */
export const ANY_LENGTH = 2_147_483_647;

const SUMMARY = storedNames.map((name) => `e.${summaryFields[name].column} AS "${name}"`).join(', ');

/** SQL of a column with the counts of parties (`parties/counts/`). */
export type PartyCounts = string;
export const NO_COUNTS: PartyCounts = 'NULL';

/** The texts of a record that may be long. */
const LONG_COLUMNS = {
  registry: 'e.registry',
  registrations: 'e.registrations',
  sourceData: 'e.source_data',
  origins: 'e.origins',
} as const satisfies Partial<Record<keyof StoredEntity, string>>;
export type LongText = keyof typeof LONG_COLUMNS;
export const longTexts = Object.keys(LONG_COLUMNS) as LongText[];

/** The columns of a record, in the order in which `toEntity` reads them. `read` selects one that may be long. */
export function listEntityColumns(counts: PartyCounts, read: (column: string) => string): string {
  return `${SUMMARY}, ${Object.values(LONG_COLUMNS).map(read).join(', ')}, e.legal_form_code, e.layout, CASE WHEN e.linked_numbers = '' THEN 0 ELSE 1 END, e.file_id, e.place, ${counts}`;
}

function writeFindEntities(counts: PartyCounts, size: number): string {
  const read = (column: string) => `CASE WHEN octet_length(${column}) > $${size + 1} THEN '' ELSE ${column} END`;
  return `SELECT ${listEntityColumns(counts, read)}, g.generation, g.published_at
    FROM generation g LEFT JOIN entities e ON e.id IN (${listPlaceholders(size)}) WHERE g.id = 1`;
}

const ID = storedNames.indexOf('id');
const REGISTER = storedNames.indexOf('register');
const LEGAL_FORM = storedNames.indexOf('legalForm');

/** The values of `listEntityColumns`. There may be others after them. */
export function toEntity(row: readonly Value[]): StoredEntity {
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
 * The records with these ids, and the version of the data even if there are none. One statement reads both, so that
 * they are of the same commit. Columns of more than `maxBytes` are left out: `octet_length` needs only the row's header,
 * while reading 18 MB blocks the event loop for up to 90 ms.
 */
export function createEntityFinder(counts: PartyCounts) {
  const write = keepBySize((size) => writeFindEntities(counts, size));
  return async (db: Reads, ids: readonly string[], size: number, maxBytes: number): Promise<FoundEntities> => {
    const rows = await db.rows(write(size), [...padList(ids, size), maxBytes]);
    const entities: StoredEntity[] = [];
    for (const row of rows) if (row[ID] !== null) entities.push(toEntity(row));
    return { version: readVersionOf(rows), entities };
  };
}

export const findEntities = createEntityFinder(NO_COUNTS);

/** So many bytes of a long text of a record, and the version of the data. The first byte is number 1. */
export async function findPiece(db: Reads, id: string, name: LongText, first: number, length: number) {
  const column = LONG_COLUMNS[name];
  const bytes = db.engine === 'sqlite' ? `CAST(${column} AS BLOB)` : `convert_to(${column}, 'UTF8')`;
  const sql = `SELECT substr(${bytes}, $2, $3), g.generation, g.published_at
    FROM generation g LEFT JOIN entities e ON e.id = $1 WHERE g.id = 1`;
  const rows = await db.rows(sql, [id, first, length]);
  return { version: readVersionOf(rows), piece: (rows[0]?.[0] ?? new Uint8Array()) as Uint8Array };
}

/** The version is in the last two columns of every row. */
function readVersionOf(rows: readonly Value[][]): string {
  const [generation = 0, publishedAt = null] = rows[0]?.slice(-2) ?? [];
  return describeVersion(Number(generation), publishedAt === null ? null : Number(publishedAt));
}

/** The `registry` of each given record that has the field at any depth. Leaves out those that are longer than `maxBytes`. */
export async function findRegistriesWith(
  db: Queries,
  field: string,
  ids: readonly string[],
  size: number,
  maxBytes: number,
): Promise<{ readonly id: string; readonly registry: string }[]> {
  const sql = `SELECT id, registry FROM entities
    WHERE id IN (${listPlaceholders(size)}) AND octet_length(registry) <= $${size + 1} AND registry LIKE $${size + 2}`;
  return db.all(sql, [...padList(ids, size), maxBytes, `%"${field}":%`]);
}

/** The column names of these layouts, as JSON, and the version of the data. */
export async function findLayouts(db: Reads, ids: readonly number[], size: number) {
  const rows = await db.rows(writeFindLayouts(size), padList(ids, size));
  const known = rows.filter(([id]) => id !== null) as [number, string, ...Value[]][];
  return { version: readVersionOf(rows), layouts: known.map(([id, columns]) => ({ id, columns })) };
}

const writeFindLayouts = keepBySize(
  (size) => `SELECT l.id, l.columns, g.generation, g.published_at
    FROM generation g LEFT JOIN layouts l ON l.id IN (${listPlaceholders(size)}) WHERE g.id = 1`,
);

export interface RelatedSummary extends StoredSummary {
  /** Id of the entity whose counterpart this is. */
  readonly relatedTo: string;
  readonly legalFormCode: string | null;
  /** Its registry, or the beginning of a long one. */
  readonly registry: string;
}

/** The imported entities that these ones link to and that link to these ones, and the version of the data. */
export async function findRelated(
  db: Reads,
  ids: readonly string[],
  size: number,
): Promise<{ readonly version: string; readonly related: readonly RelatedSummary[] }> {
  const rows = await db.all<RelatedSummary & Version>(writeFindRelated(size), padList(ids, size));
  const { generation = 0, publishedAt = null } = rows[0] ?? {};
  return { version: describeVersion(generation, publishedAt), related: rows.filter((row) => row.id !== null) };
}

interface Version {
  readonly generation: number;
  readonly publishedAt: number | null;
}

const writeFindRelated = keepBySize((size) => {
  const list = listPlaceholders(size);
  return `SELECT ${SUMMARY}, e.legal_form_code AS "legalFormCode", substr(e.registry, 1, ${ACTIVITIES_LENGTH}) AS registry,
      r.related_to AS "relatedTo", g.generation, g.published_at AS "publishedAt"
    FROM generation g
    LEFT JOIN (SELECT from_id AS related_to, to_id AS id FROM links WHERE from_id IN (${list})
      UNION SELECT to_id AS related_to, from_id AS id FROM links WHERE to_id IN (${list})) r ON 1 = 1
    LEFT JOIN entities e ON e.id = r.id
    WHERE g.id = 1 ORDER BY e.register, e.id`;
});

export interface FormerEntity {
  readonly id: string;
  readonly contentHash: string;
  /** The last part of its `number_keys`. */
  readonly linkedNumbers: string;
  /** The values of `contentColumns`, in their order. */
  readonly content: readonly Value[];
}

/** Deletes these entities and returns them. */
export async function deleteEntities(tx: Queries, ids: readonly string[], size: number): Promise<FormerEntity[]> {
  if (ids.length === 0) return [];
  const sql = `DELETE FROM entities WHERE id IN (${listPlaceholders(size)})
    RETURNING id, content_hash, linked_numbers, ${contentColumns.join(', ')}`;
  const rows = (await tx.rows(sql, padList(ids, size))) as [string, string, string, ...Value[]][];
  return rows.map(([id, contentHash, linkedNumbers, ...content]) => ({ id, contentHash, linkedNumbers, content }));
}

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
  await tx.bulkLoad('entities', columns, toRows(entities));
}

function* toRows(entities: Iterable<NewEntity>): Generator<readonly Value[]> {
  for (const { id, updatedAt, fileId, place, origins, contentHash, content } of entities) {
    yield [id, updatedAt, fileId, place, origins ?? null, contentHash, ...content];
  }
}

/** Whether the store has entities of the register, delisted ones included. */
export async function hasEntities(tx: Queries, register: string): Promise<boolean> {
  return (await tx.one('SELECT 1 AS found FROM entities WHERE register = $1 LIMIT 1', [register])) !== undefined;
}

/** The content hash of a delisted entity. It equals no other hash, so a later return of the entity is a change. */
export const DELISTED_HASH = '';

/** Delists the entities that the journal of this import lists from `position` on. */
export async function delistEntities(tx: Queries, batch: number, position: number, now: number): Promise<void> {
  await tx.run(
    `UPDATE entities SET status = 'delisted', updated_at = $1, content_hash = '${DELISTED_HASH}'
      WHERE id IN (SELECT entity_id FROM changes WHERE batch = $2 AND position >= $3)`,
    [now, batch, position],
  );
}
