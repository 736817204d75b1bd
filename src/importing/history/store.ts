import type { Queries } from '../../db/db.ts';

/** The SQL about what was imported of a register before. */
interface ImportedFile {
  readonly hash: string;
  /** The date of the file according to its publisher, `YYYY-MM-DD`. */
  readonly asOf: string | null;
}

/** The files of the register's latest full import and of the imports after it. */
export async function readCurrentFiles(db: Queries, register: string): Promise<ImportedFile[]> {
  return db.all<ImportedFile>(
    `SELECT hash, as_of AS "asOf" FROM files WHERE register = $1 AND generation >= coalesce(
        (SELECT max(generation) FROM imports WHERE imports.register = $1 AND mode = 'full'), 0)
      ORDER BY id`,
    [register],
  );
}

export interface PastImport {
  readonly generation: number;
  readonly mode: string;
  readonly program: string;
  readonly importedAt: number;
  readonly hash: string;
}

/** The imports with this file, one row for each of their files, the latest import first. */
export async function readImportsWith(db: Queries, register: string, hash: string): Promise<PastImport[]> {
  return db.all<PastImport>(
    `SELECT i.generation, i.mode, i.program, i.imported_at AS "importedAt", f.hash
      FROM imports i JOIN files f ON f.generation = i.generation
      WHERE i.register = $1 AND i.generation IN (SELECT generation FROM files WHERE register = $1 AND hash = $2)
      ORDER BY i.generation DESC`,
    [register, hash],
  );
}

/** The numbers of the register's latest import and of its latest full one; null if there is none. */
export async function readLatest(
  db: Queries,
  register: string,
): Promise<{ readonly any: number | null; readonly full: number | null } | undefined> {
  return db.one(
    `SELECT max(generation) AS "any", max(CASE WHEN mode = 'full' THEN generation END) AS "full"
      FROM imports WHERE register = $1`,
    [register],
  );
}

/** A full import that brought companies or delisted some. */
export interface PastUpdate {
  readonly importedAt: number;
  readonly delisted: number;
  /** The companies that the store held before. */
  readonly held: number;
}

/** Since a time, in their order. Imports that read the same files again are no updates. */
export async function readPastUpdates(db: Queries, register: string, since: number): Promise<PastUpdate[]> {
  return db.all<PastUpdate>(
    `SELECT imported_at AS "importedAt", delisted, changed + unchanged + delisted AS held FROM imports
      WHERE register = $1 AND mode = 'full' AND added + delisted > 0 AND imported_at >= $2 ORDER BY generation`,
    [register, since],
  );
}

export interface CurrentFile extends ImportedFile {
  readonly register: string;
  readonly file: string;
  /** 1 if its companies are invented. */
  readonly synthetic: number;
}

/** The files of the latest import of each register. */
export async function readLatestFiles(db: Queries): Promise<CurrentFile[]> {
  return db.all<CurrentFile>(
    `SELECT f.register, f.name AS file, f.hash, f.as_of AS "asOf", f.synthetic
      FROM holdings h JOIN files f ON f.register = h.register AND f.generation = h.generation
      ORDER BY f.register, f.id`,
  );
}
