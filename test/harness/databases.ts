import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../../src/core/clock.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { isDeep } from './depth.ts';

export type Engine = 'sqlite' | 'postgres';
export const engines: readonly Engine[] = ['sqlite', 'postgres'];
/** For tests that start processes or import large files and hardly depend on the database: SQLite only in `npm test`. */
export const usualEngines: readonly Engine[] = isDeep ? engines : ['sqlite'];

const TEMPLATE = 'firmament_template';

/** The two stores of one test. */
export interface TestDatabase {
  readonly engine: Engine;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  remove(): Promise<void>;
}

/**
 * On PostgreSQL all migrations are applied, unless `empty`. SQLite files are migrated when opened, which takes
 * milliseconds.
 */
export async function createDatabase(engine: Engine, { empty = false } = {}): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firmament-test-'));
  const removeFiles = () => rmSync(dataDir, { recursive: true, force: true });
  if (engine === 'sqlite') return { engine, dataDir, databaseUrl: undefined, remove: async () => removeFiles() };
  const server = serverUrl();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${name} TEMPLATE ${empty ? 'template0' : TEMPLATE}`);
  return {
    engine,
    dataDir,
    databaseUrl: withDatabase(server, name),
    async remove() {
      removeFiles();
      await execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** The two stores on a server that the test started; the data is removed with the server. */
export function useServer({ url }: { readonly url: string }): TestDatabase {
  const dataDir = mkdtempSync(join(tmpdir(), 'firmament-test-'));
  const remove = async () => rmSync(dataDir, { recursive: true, force: true });
  return { engine: 'postgres', dataDir, databaseUrl: url, remove };
}

export async function createTemplate(server: string): Promise<void> {
  await execute(server, `CREATE DATABASE ${TEMPLATE}`);
  for (const store of ['registry', 'accounts'] as const) {
    const db = openStore(store, { databaseUrl: withDatabase(server, TEMPLATE), dataDir: '' });
    await migrate(db, readMigrations(store), systemClock);
    await db.close();
  }
}

export function withDatabase(server: string, name: string): string {
  return server.replace(/\/\w+$/, `/${name}`);
}

function serverUrl(): string {
  const url = process.env.FIRMAMENT_TEST_POSTGRES;
  if (url === undefined) {
    throw new Error('no PostgreSQL: run tests with "npm test", or one file with "npm run test:file -- <file>"');
  }
  return url;
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
