import { type StoredSummary, sourceNames, summaryFields, summaryNames } from '../core/entity-summary.ts';
import { listPlaceholders, padList } from '../core/pad-list.ts';
import { describeVersion } from '../core/version.ts';
import type { Queries, Value } from '../db/db.ts';
import type { Layout } from './source-data.ts';

/** The SQL of the registry: one exported function per statement, with the database handle as its first argument. */

/** Besides the summary: what an import derives from the source row, and the row itself. */
export const importColumns = [
  'name_key',
  'number_keys',
  'activity_keys',
  'register',
  'registrations',
  'registry',
  'layout',
  'source_data',
] as const;
export type ImportColumn = (typeof importColumns)[number];

/** The columns whose values the source decides: what clients see of a record, and what it is searched by. */
export const contentColumns = [...sourceNames.map((name) => summaryFields[name].column), ...importColumns] as const;
export type ContentColumn = (typeof contentColumns)[number];

export interface ImportCounts {
  readonly rows: number;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly delisted: number;
  readonly duplicates: number;
  readonly rejected: number;
  /** Rows that the register documents as not being companies. */
  readonly skipped: number;
}

export interface ImportedFile {
  readonly id: number;
  readonly name: string;
  readonly hash: string;
}

export interface Holding {
  readonly register: string;
  readonly entities: number;
  readonly importedAt: number;
  /** 1 if the latest import was of synthetic companies. */
  readonly synthetic: number;
}

export async function raiseGeneration(db: Queries, now: number): Promise<number> {
  const sql = 'UPDATE generation SET generation = generation + 1, published_at = $1 WHERE id = 1 RETURNING generation';
  return (await db.one<{ generation: number }>(sql, [now]))?.generation ?? 0;
}

/** Reserves numbers for `count` files and returns the first. */
export async function takeFileNumbers(db: Queries, count: number): Promise<number> {
  const sql = 'UPDATE generation SET last_file = last_file + $1 WHERE id = 1 RETURNING last_file';
  const row = await db.one<{ last_file: number }>(sql, [count]);
  return (row?.last_file ?? 0) - count + 1;
}

/** The mode of the register's latest import and the hashes of its files, sorted. */
export async function readLatestFiles(
  db: Queries,
  register: string,
): Promise<{ readonly mode: string; readonly hashes: readonly string[] } | undefined> {
  const rows = await db.all<{ hash: string; mode: string }>(
    `SELECT files.hash, imports.mode FROM holdings
      JOIN files ON files.generation = holdings.generation
      JOIN imports ON imports.generation = holdings.generation
      WHERE holdings.register = $1 ORDER BY files.hash`,
    [register],
  );
  return rows[0] && { mode: rows[0].mode, hashes: rows.map((row) => row.hash) };
}

/** How many rows the register's latest full import had. */
export async function readLatestRows(db: Queries, register: string): Promise<number | undefined> {
  const sql = "SELECT row_count FROM imports WHERE register = $1 AND mode = 'full' ORDER BY generation DESC LIMIT 1";
  return (await db.one<{ row_count: number }>(sql, [register]))?.row_count;
}

export async function readHoldings(db: Queries): Promise<Holding[]> {
  return db.all<Holding>(
    `SELECT register, entities, imported_at AS "importedAt",
        CASE WHEN EXISTS (SELECT 1 FROM files WHERE files.generation = holdings.generation AND files.synthetic = 1)
          THEN 1 ELSE 0 END AS synthetic
      FROM holdings ORDER BY register`,
  );
}

export async function createSeen(tx: Queries): Promise<void> {
  await tx.run('CREATE TEMPORARY TABLE seen (id TEXT PRIMARY KEY)');
}

export async function dropSeen(tx: Queries): Promise<void> {
  await tx.run('DROP TABLE seen');
}

/** Records the ids of unchanged entities and returns how many of them were new; the others are duplicates. */
export async function markSeen(tx: Queries, ids: readonly string[], size: number): Promise<number> {
  if (ids.length === 0) return 0;
  const rows = Array.from({ length: size }, (_, index) => `($${index + 1})`).join(', ');
  return tx.run(`INSERT INTO seen (id) VALUES ${rows} ON CONFLICT (id) DO NOTHING`, padList(ids, size));
}

export async function findSeen(tx: Queries, ids: readonly string[], size: number): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.all<{ id: string }>(
    `SELECT id FROM seen WHERE id IN (${listPlaceholders(size)})`,
    padList(ids, size),
  );
  return rows.map((row) => row.id);
}

export interface StoredState {
  readonly id: string;
  readonly contentHash: string;
  readonly fileId: number;
}

/** The content hash and file of the entities with these ids. */
export async function readStates(tx: Queries, ids: readonly string[], size: number): Promise<StoredState[]> {
  if (ids.length === 0) return [];
  const sql = `SELECT id, content_hash AS "contentHash", file_id AS "fileId" FROM entities WHERE id IN (${listPlaceholders(size)})`;
  return tx.all<StoredState>(sql, padList(ids, size));
}

/** A record with everything it refers to, as stored; the JSON columns are JSON text. */
export interface StoredEntity extends StoredSummary {
  readonly registry: string;
  readonly registrations: string;
  readonly sourceData: string;
  /** Null if the source is a tree. */
  readonly columns: string | null;
  readonly register: string;
  readonly place: number;
  readonly fileName: string | null;
  readonly fileHash: string | null;
  readonly fileImportedAt: number | null;
  readonly fileSynthetic: number | null;
}

export interface FoundEntities {
  /** The version of the data (`core/version.ts`). */
  readonly version: string;
  readonly entities: readonly StoredEntity[];
}

/**
 * The records with these ids, and the version of the data even if there are none. One statement reads both, so that
 * they are of the same commit.
 */
export async function findEntities(db: Queries, ids: readonly string[], size: number): Promise<FoundEntities> {
  const sql = `SELECT ${SUMMARY}, e.registry, e.registrations, e.source_data AS "sourceData", l.columns, e.register, e.place,
      f.name AS "fileName", f.hash AS "fileHash", f.imported_at AS "fileImportedAt", f.synthetic AS "fileSynthetic",
      g.generation, g.published_at AS "publishedAt"
    FROM generation g
    LEFT JOIN entities e ON e.id IN (${listPlaceholders(size)})
    LEFT JOIN files f ON f.id = e.file_id
    LEFT JOIN layouts l ON l.id = e.layout
    WHERE g.id = 1`;
  const rows = await db.all<FoundRow>(sql, padList(ids, size));
  const { generation = 0, publishedAt = null } = rows[0] ?? {};
  return { version: describeVersion(generation, publishedAt), entities: rows.filter((row) => row.id !== null) };
}

const SUMMARY = summaryNames.map((name) => `e.${summaryFields[name].column} AS "${name}"`).join(', ');

interface FoundRow extends StoredEntity {
  readonly generation: number;
  readonly publishedAt: number | null;
}

export async function deleteEntities(tx: Queries, ids: readonly string[], size: number): Promise<void> {
  if (ids.length > 0) await tx.run(`DELETE FROM entities WHERE id IN (${listPlaceholders(size)})`, padList(ids, size));
}

export async function keepLayout(tx: Queries, { id, columns }: Layout): Promise<void> {
  await tx.run('INSERT INTO layouts (id, columns) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING', [id, columns]);
}

export interface NewEntity {
  readonly id: string;
  readonly updatedAt: number;
  readonly fileId: number;
  readonly place: number;
  readonly contentHash: string;
  /** The values of `contentColumns`, in their order. */
  readonly content: readonly Value[];
}

export async function insertEntities(tx: Queries, entities: Iterable<NewEntity>): Promise<void> {
  const columns = ['id', 'updated_at', 'file_id', 'place', 'content_hash', ...contentColumns];
  await tx.bulkLoad('entities', columns, toRows(entities));
}

function* toRows(entities: Iterable<NewEntity>): Generator<readonly Value[]> {
  for (const { id, updatedAt, fileId, place, contentHash, content } of entities) {
    yield [id, updatedAt, fileId, place, contentHash, ...content];
  }
}

/** Delists what a full import did not contain. The empty hash makes a later return count as a change. */
export async function delistMissing(tx: Queries, register: string, firstFile: number, now: number): Promise<number> {
  return tx.run(
    `UPDATE entities SET status = 'delisted', updated_at = $1, content_hash = ''
      WHERE register = $2 AND file_id < $3 AND status <> 'delisted'
        AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.id = entities.id)`,
    [now, register, firstFile],
  );
}

export async function hasLinks(tx: Queries): Promise<boolean> {
  return (await tx.one('SELECT 1 AS found FROM links LIMIT 1')) !== undefined;
}

/** Deletes the links of these entities and returns the ids they linked to. */
export async function deleteLinks(tx: Queries, fromIds: readonly string[], size: number): Promise<string[]> {
  if (fromIds.length === 0) return [];
  const sql = `DELETE FROM links WHERE from_id IN (${listPlaceholders(size)}) RETURNING to_id AS id`;
  return (await tx.all<{ id: string }>(sql, padList(fromIds, size))).map(({ id }) => id);
}

export async function insertLinks(tx: Queries, rows: Iterable<readonly Value[]>): Promise<void> {
  await tx.bulkLoad('links', ['from_id', 'to_id', 'numbers'], rows);
}

/** Makes these entities searchable by the numbers of all entities that link to them now, besides their own numbers. */
export async function linkNumbers(tx: Queries, ids: readonly string[], size: number): Promise<void> {
  if (ids.length === 0) return;
  const between = `$${size + 1}`;
  const linked = `coalesce((SELECT ${between} || string_agg(numbers, ${between} ORDER BY from_id) FROM links WHERE to_id = entities.id), '')`;
  await tx.run(
    `UPDATE entities SET linked_numbers = ${linked},
        number_keys = substr(number_keys, 1, length(number_keys) - length(linked_numbers)) || ${linked}
      WHERE id IN (${listPlaceholders(size)}) AND linked_numbers <> ${linked}`,
    [...padList(ids, size), '\n'],
  );
}

export interface Publication {
  readonly generation: number;
  readonly register: string;
  readonly mode: 'full' | 'partial';
  readonly importedAt: number;
  readonly synthetic: boolean;
  readonly files: readonly ImportedFile[];
  readonly counts: ImportCounts;
}

export async function recordImport(tx: Queries, publication: Publication): Promise<void> {
  const { generation, register, mode, importedAt, synthetic, files, counts } = publication;
  const { rows, added, changed, unchanged, delisted, duplicates, rejected } = counts;
  await tx.run(
    `INSERT INTO imports (generation, register, mode, imported_at, row_count, added, changed, unchanged, delisted,
      duplicates, rejected) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [generation, register, mode, importedAt, rows, added, changed, unchanged, delisted, duplicates, rejected],
  );
  for (const { id, name, hash } of files) {
    await tx.run(
      `INSERT INTO files (id, generation, register, name, hash, imported_at, synthetic)
        VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [id, generation, register, name, hash, importedAt, synthetic ? 1 : 0],
    );
  }
  await tx.run(
    `INSERT INTO holdings (register, entities, generation, imported_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (register) DO UPDATE SET entities = holdings.entities + $2, generation = $3, imported_at = $4`,
    [register, added, generation, importedAt],
  );
}

export async function deleteAll(db: Queries): Promise<void> {
  for (const table of ['entities', 'links', 'holdings', 'files', 'imports']) await db.run(`DELETE FROM ${table}`);
}
