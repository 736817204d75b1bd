import type { Queries, Reads, Value } from '../../../base/db/db.ts';
import { readListed } from '../../../base/db/lists.ts';
import { defineTable } from '../../../base/db/rows.ts';
import type { UnknownValue } from './unknown-values.ts';

/** The SQL about imports: what was imported when, what was found in the files, and how much each register holds. */

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

export interface PublishedFile extends Pick<StoredFile, 'id' | 'name' | 'hash' | 'asOf' | 'url'> {
  readonly synthetic: boolean;
}

/** The parts of an import are numbered and stored once. A record stores the numbers of the parts that have its rows, and these rows. */
export interface ImportedPart {
  readonly file: string;
  /** Name of the archive entry or sheet; null for the file itself. */
  readonly entry: string | null;
  /** Name of the source in the register. */
  readonly table: string;
  /** Whether its rows are companies, belong to companies or are parties of companies, or whether it is a code table. */
  readonly content: PartContent;
}

export type PartContent = 'records' | 'rows' | 'parties' | 'codes';

interface PublishedPart extends Omit<ImportedPart, 'file'> {
  readonly fileId: number;
}

export async function raiseGeneration(db: Queries, now: number): Promise<number> {
  const sql = 'UPDATE generation SET generation = generation + 1, published_at = $1 WHERE id = 1 RETURNING generation';
  return (await db.one<{ generation: number }>(sql, [now]))?.generation ?? 0;
}

/** Reserves numbers for `count` files and returns the first number. */
export async function takeFileNumbers(db: Queries, count: number): Promise<number> {
  const sql = 'UPDATE generation SET last_file = last_file + $1 WHERE id = 1 RETURNING last_file';
  const row = await db.one<{ last_file: number }>(sql, [count]);
  return (row?.last_file ?? 0) - count + 1;
}

export interface FileModes {
  readonly register: string;
  readonly modes: string;
}

/** The modes of parties in which files of each register were imported, with the modes of the newest file last. */
export async function listFileModes(db: Reads): Promise<FileModes[]> {
  return db.all<FileModes>('SELECT register, modes FROM files GROUP BY register, modes ORDER BY max(id)');
}

/** The number of entities of the register that are not delisted. */
export async function countListed(db: Queries, register: string): Promise<number> {
  const known = await db.one<{ listed: number }>('SELECT listed FROM holdings WHERE register = $1', [register]);
  return known?.listed ?? 0;
}

export interface Holding {
  readonly register: string;
  readonly entities: number;
  readonly importedAt: number;
  /** The oldest day of the files with the companies in the latest import: files with details may be older or newer. */
  readonly asOf: string | null;
  /** 1 if the latest full import, or an import after it, had synthetic files. */
  readonly synthetic: number;
}

export type ImportDay = Readonly<Record<'day' | 'imports' | 'changes', number>>;

export function listImportDays(db: Queries, since: number): Promise<ImportDay[]> {
  const sql = `SELECT imported_at / 86400000 AS day, count(*) AS imports, CAST(sum(added + changed + delisted) AS BIGINT) AS changes
    FROM imports WHERE imported_at >= $1 GROUP BY imported_at / 86400000`;
  return db.all<ImportDay>(sql, [since * 86_400_000]);
}

export async function listHoldings(db: Reads): Promise<Holding[]> {
  return db.all<Holding>(
    `SELECT register, entities, imported_at AS "importedAt",
        (SELECT min(as_of) FROM files WHERE files.generation = holdings.generation
          AND EXISTS (SELECT 1 FROM parts WHERE parts.generation = files.generation
            AND parts.file_id = files.id AND parts.content = 'records')) AS "asOf",
        CASE WHEN EXISTS (SELECT 1 FROM files WHERE files.register = holdings.register AND files.synthetic = 1
            AND files.generation >= coalesce((SELECT max(generation) FROM imports
              WHERE imports.register = holdings.register AND mode = 'full'), 0))
          THEN 1 ELSE 0 END AS synthetic
      FROM holdings ORDER BY register`,
  );
}

/** The registers that have never had a file of their publisher: all their companies are invented. */
export async function listInvented(db: Reads): Promise<string[]> {
  const sql = 'SELECT register FROM files GROUP BY register HAVING min(synthetic) = 1';
  return (await db.all<{ register: string }>(sql)).map(({ register }) => register);
}

export interface CountryHolding {
  readonly country: string;
  readonly register: string;
  /** Delisted entities are included. */
  readonly entities: number;
}

export async function countByCountry(db: Reads): Promise<CountryHolding[]> {
  return db.all<CountryHolding>(
    'SELECT country_code AS country, register, entities FROM country_holdings WHERE entities > 0 ORDER BY country_code, register',
  );
}

export interface StoredUnknownValue extends UnknownValue {
  readonly register: string;
  readonly importedAt: number;
}

/** The unknown values of every register's latest full import and of the imports after it, the latest import last. */
export async function listUnknownValues(db: Queries): Promise<StoredUnknownValue[]> {
  return db.all<StoredUnknownValue>(
    `SELECT i.register, i.imported_at AS "importedAt", u.kind, u.column_name AS "column", u.value, u.row_count AS rows
      FROM unknown_values u JOIN imports i ON i.generation = u.generation
      WHERE i.generation >= coalesce((SELECT max(f.generation) FROM imports f
        WHERE f.register = i.register AND f.mode = 'full'), 0)
      ORDER BY i.register, i.generation, u.position`,
  );
}

/** A part of an import, with its file. */
export interface StoredPart extends ImportedPart, Pick<StoredFile, 'hash' | 'url' | 'synthetic'> {
  readonly fileId: number;
}

export interface StoredFile {
  readonly id: number;
  /** The import of the file. */
  readonly generation: number;
  readonly register: string;
  readonly name: string;
  readonly hash: string;
  readonly importedAt: number;
  readonly synthetic: number;
  readonly asOf: string | null;
  /** The address that it was downloaded from, if we downloaded it. */
  readonly url: string | null;
  /** The modes of parties in which the file was imported, as JSON. */
  readonly modes: string;
}

export function listFiles(db: Reads, ids: readonly number[]): Promise<StoredFile[]> {
  const write = (list: string) =>
    `SELECT id, generation, register, name, hash, imported_at AS "importedAt", synthetic, as_of AS "asOf", url, modes
      FROM files WHERE id IN (${list})`;
  return readListed<StoredFile>(db, ids, write);
}

export function listParts(db: Reads, generations: readonly number[]) {
  const write = (list: string) =>
    `SELECT p.generation, p.file_id AS "fileId", f.name AS "file", f.hash, f.url, f.synthetic, p.entry,
        p.table_name AS "table", p.content
      FROM parts p JOIN files f ON f.id = p.file_id WHERE p.generation IN (${list}) ORDER BY p.generation, p.part`;
  return readListed<StoredPart & { readonly generation: number }>(db, generations, write);
}

interface Publication {
  readonly generation: number;
  readonly register: string;
  readonly mode: 'full' | 'partial';
  readonly importedAt: number;
  readonly program: string;
  readonly files: readonly PublishedFile[];
  /** The modes of parties, as `base/party-modes.ts` writes them. */
  readonly modes: string;
  readonly parts: readonly PublishedPart[];
  readonly counts: ImportCounts;
  /** The entities of the register that are not delisted. Null if the import had no companies. */
  readonly listed: number | null;
  readonly addedByCountry: ReadonlyMap<string, number>;
  readonly unknownValues: readonly UnknownValue[];
}

const importTable = defineTable<Record<string, Value>>('imports');
const fileTable = defineTable<StoredFile>('files');

export async function recordImport(tx: Queries, publication: Publication): Promise<void> {
  const { generation, register, mode, importedAt, program, files, modes, parts, counts } = publication;
  const { rows: rowCount, ...numbers } = counts;
  await importTable.insert(tx, { generation, register, mode, importedAt, program, rowCount, ...numbers });
  for (const { id, name, hash, synthetic, asOf, url } of files) {
    const file = { id, name, hash, synthetic: synthetic ? 1 : 0, asOf, url };
    await fileTable.insert(tx, { ...file, generation, register, importedAt, modes });
  }
  const partRows = parts.map(({ fileId, entry, table, content }, part) => [
    ...[generation, part, fileId, entry, table, content],
  ]);
  await tx.bulkLoad('parts', ['generation', 'part', 'file_id', 'entry', 'table_name', 'content'], partRows);
  const unknownRows = publication.unknownValues.map(({ kind, column, value, rows }, position) => [
    ...[generation, position, kind, column, value, rows],
  ]);
  const unknownColumns = ['generation', 'position', 'kind', 'column_name', 'value', 'row_count'];
  await tx.bulkLoad('unknown_values', unknownColumns, unknownRows);
  if (publication.listed !== null) await recordHoldings(tx, publication);
}

async function recordHoldings(tx: Queries, publication: Publication): Promise<void> {
  const { generation, register, importedAt, counts, listed, addedByCountry } = publication;
  await tx.run(
    `INSERT INTO holdings (register, entities, listed, generation, imported_at) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (register) DO UPDATE
        SET entities = holdings.entities + $2, listed = $3, generation = $4, imported_at = $5`,
    [register, counts.added, listed, generation, importedAt],
  );
  for (const [country, entities] of addedByCountry) {
    await tx.run(
      `INSERT INTO country_holdings (register, country_code, entities) VALUES ($1, $2, $3)
        ON CONFLICT (register, country_code) DO UPDATE SET entities = country_holdings.entities + $3`,
      [register, country, entities],
    );
  }
}

const TABLES =
  'entities links parties party_sets holdings country_holdings unknown_values parts files imports journal changes'.split(
    ' ',
  );

/** Deletes all data. The journal then starts at the current generation, as in a new store. */
export async function deleteAll(db: Queries): Promise<void> {
  for (const table of TABLES) await db.run(`DELETE FROM ${table}`);
  await db.run(
    `INSERT INTO journal (generation, published_at, register, batch, changes, loaded, mixed)
      SELECT generation, coalesce(published_at, 0), '', 0, 0, 0, 0 FROM generation`,
  );
}

export interface PastFile {
  readonly generation: number;
  readonly mode: string;
  readonly program: string;
  readonly importedAt: number;
  readonly added: number;
  readonly delisted: number;
  /** The companies that the store held before the import. */
  readonly held: number;
  /** 1 if the import had files of companies. */
  readonly hasRecords: number;
  /** How parties were imported; null if the import had no parties, or if all sets of these parties were imported again since. */
  readonly partyMode: string | null;
  readonly hash: string;
  /** The date of the file according to its publisher, `YYYY-MM-DD`. */
  readonly asOf: string | null;
}

/** The files of all imports of the register, in the order of the imports. */
export async function listPastFiles(db: Queries, register: string): Promise<PastFile[]> {
  return db.all<PastFile>(
    `SELECT i.generation, i.mode, i.program, i.imported_at AS "importedAt", i.added, i.delisted,
        i.changed + i.unchanged + i.delisted AS held, f.hash, f.as_of AS "asOf",
        CASE WHEN EXISTS (SELECT 1 FROM parts p WHERE p.generation = i.generation AND p.content = 'records') THEN 1 ELSE 0 END AS "hasRecords",
        (SELECT max(s.mode) FROM party_sets s WHERE s.generation = i.generation) AS "partyMode"
      FROM imports i JOIN files f ON f.generation = i.generation WHERE i.register = $1 ORDER BY f.id`,
    [register],
  );
}

export interface CurrentFile extends Pick<PastFile, 'hash' | 'asOf'> {
  readonly register: string;
  readonly file: string;
  /** 1 if the companies of the file are invented. */
  readonly synthetic: number;
}

export async function listLatestFiles(db: Queries): Promise<CurrentFile[]> {
  return db.all<CurrentFile>(
    `SELECT f.register, f.name AS file, f.hash, f.as_of AS "asOf", f.synthetic
      FROM holdings h JOIN files f ON f.register = h.register AND f.generation = h.generation
      ORDER BY f.register, f.id`,
  );
}

/** When each register was last compared with its publisher's files, and what failed since. All machines of a cluster share this list. */
export interface SourceCheck {
  readonly register: string;
  readonly attemptedAt: number;
  /** When the last successful check of the publisher's files was. */
  readonly checkedAt: number | null;
  /** Failed attempts since `checkedAt`. */
  readonly failures: number;
  /** What the last attempt failed with, and what to do; null if it succeeded. */
  readonly problem: string | null;
}

/** Registers that were never checked are not in the list. */
export async function listChecks(db: Queries): Promise<SourceCheck[]> {
  return db.all<SourceCheck>(
    `SELECT register, attempted_at AS "attemptedAt", checked_at AS "checkedAt", failures, problem
      FROM source_checks ORDER BY register`,
  );
}

export async function recordSuccess(db: Queries, register: string, now: number): Promise<void> {
  await db.run(
    `INSERT INTO source_checks (register, attempted_at, checked_at, failures, problem) VALUES ($1, $2, $2, 0, NULL)
      ON CONFLICT (register) DO UPDATE SET attempted_at = $2, checked_at = $2, failures = 0, problem = NULL`,
    [register, now],
  );
}

/** `problem` is one sentence: what happened, and what to do. */
export async function recordFailure(db: Queries, register: string, problem: string, now: number): Promise<void> {
  await db.run(
    `INSERT INTO source_checks (register, attempted_at, checked_at, failures, problem) VALUES ($1, $2, NULL, 1, $3)
      ON CONFLICT (register) DO UPDATE SET attempted_at = $2, failures = source_checks.failures + 1, problem = $3`,
    [register, now, problem],
  );
}
