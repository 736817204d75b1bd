import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres } from '../../src/base/db/postgres.ts';
import { providePostgresTarget } from '../http/targets.ts';
import { findServerFolder } from '../local-postgres.ts';
import type { ExportStore } from './data.ts';
import { copyToFile, writeScan } from './store.ts';

/** Returns the seconds that `COPY … TO` takes for a CSV file of the same entities. The server is started for this. */
export async function timeCopy({ folder, entities }: ExportStore, signal: AbortSignal): Promise<number> {
  const target = await providePostgresTarget({
    folder,
    rows: entities,
    databaseUrl: undefined,
    cores: undefined,
    signal,
  });
  const { dataDir, databaseUrl = '' } = target;
  const path = join(findServerFolder(join(dataDir, 'server')), 'entities.csv');
  const db = openPostgres(databaseUrl, { schema: 'registry', poolSize: 1, statementTimeoutMs: 3_600_000 });
  try {
    return await time(() => copyToFile(db, path));
  } finally {
    rmSync(path, { force: true });
    await db.close();
    await target.close();
  }
}

/** The same for DuckDB, which scans the SQLite file and writes Parquet; undefined if DuckDB or its extension is not available. */
export async function timeDuck({ folder }: ExportStore): Promise<number | undefined> {
  const path = join(folder, 'duck.parquet');
  const { setUp, scan } = writeScan(join(folder, 'registry.db'), path);
  const connection = await openDuck(setUp).catch(() => undefined);
  if (connection === undefined) return undefined;
  try {
    return await time(() => connection.run(scan));
  } finally {
    connection.closeSync();
    rmSync(path, { force: true });
  }
}

/** DuckDB is a development dependency. */
async function openDuck(setUp: readonly string[]) {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect();
  for (const statement of setUp) await connection.run(statement);
  return connection;
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}
