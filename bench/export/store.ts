import type { Queries } from '../../src/base/db/db.ts';

/** The SQL of `bench export`: what other programs do instead of an export. */

/** Writes the entities to a file of the server's machine. Needs a superuser. */
export async function copyToFile(db: Queries, path: string): Promise<void> {
  await db.run(`COPY (SELECT * FROM entities) TO ${quote(path)} WITH (FORMAT csv, HEADER)`);
}

/** Statements for DuckDB: it reads the SQLite file and writes Parquet. Its extension for SQLite has to be installed or downloaded. */
export function writeScan(
  database: string,
  path: string,
): { readonly setUp: readonly string[]; readonly scan: string } {
  return {
    setUp: ['INSTALL sqlite', 'LOAD sqlite'],
    scan: `COPY (SELECT * FROM sqlite_scan(${quote(database)}, 'entities')) TO ${quote(path)} (FORMAT parquet, COMPRESSION zstd)`,
  };
}

/** Neither statement takes parameters. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
