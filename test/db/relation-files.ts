import { existsSync, readFileSync } from 'node:fs';
import type pg from 'pg';

/** The tables and indexes of a database, those of PostgreSQL included, whose files on disk contain something. */
export async function findRelations(client: pg.Client, contain: (file: Buffer) => boolean): Promise<string[]> {
  await client.query('CHECKPOINT');
  const { rows } = await client.query(
    `SELECT relname, current_setting('data_directory') || '/' || pg_relation_filepath(oid) AS path FROM pg_class
      WHERE relkind IN ('r', 't', 'i', 'm') AND pg_relation_filepath(oid) IS NOT NULL`,
  );
  if (rows.length < 50) throw new Error(`only ${rows.length} relations were found`);
  return rows.filter(({ path }) => existsSync(path) && contain(readFileSync(path))).map(({ relname }) => relname);
}
