import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import pg from 'pg';
import { systemClock } from '../../src/base/clock.ts';
import type { Db, StoreName } from '../../src/base/db/db.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import type { TimeLimits } from '../../src/base/system/time-limits.ts';
import { isDeep } from './depth.ts';
import { readLimits } from './limits.ts';

export type Engine = 'sqlite' | 'postgres';
/** Both, except with `--pg`. For the conformance tests of databases and stores, and for races. */
export const engines: readonly Engine[] =
  process.env.TEST_ENGINES === 'postgres' ? ['postgres'] : ['sqlite', 'postgres'];
/** For all other tests: SQLite in `npm test`, both in the deep run. */
export const usualEngines: readonly Engine[] = isDeep || process.env.TEST_ENGINES !== undefined ? engines : ['sqlite'];

const TEMPLATE = 'firmament_template';
/** Names the folder of the migrated SQLite files. */
const SQLITE_TEMPLATE = 'FIRMAMENT_TEST_SQLITE';
const STORES = ['registry', 'accounts'] as const;

/** The two stores of one test. */
export interface TestDatabase {
  readonly engine: Engine;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** For stores that a test opens itself. */
  readonly timeLimits?: TimeLimits;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * On PostgreSQL all migrations are applied, unless `empty`. SQLite files are created and migrated when opened, or copied
 * with `migrated`, which is faster.
 */
export async function createDatabase(engine: Engine, { empty = false, migrated = false } = {}): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firmament-test-'));
  const removeFiles = () => rmSync(dataDir, { recursive: true, force: true });
  const timeLimits = readLimits();
  if (engine === 'sqlite') {
    if (migrated) copySqliteFiles(dataDir);
    return { engine, dataDir, databaseUrl: undefined, timeLimits, [Symbol.asyncDispose]: async () => removeFiles() };
  }
  const server = serverUrl();
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copying the files takes half as long as writing them through the log.
  await execute(server, `CREATE DATABASE ${name} TEMPLATE ${empty ? 'template0' : TEMPLATE} STRATEGY FILE_COPY`);
  return {
    engine,
    dataDir,
    databaseUrl: withDatabase(server, name),
    timeLimits,
    async [Symbol.asyncDispose]() {
      removeFiles();
      await execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** The two stores on a server that the test started; the data is removed with the server. */
export function useServer({ url }: { readonly url: string }): TestDatabase {
  const dataDir = mkdtempSync(join(tmpdir(), 'firmament-test-'));
  const remove = async () => rmSync(dataDir, { recursive: true, force: true });
  return { engine: 'postgres', dataDir, databaseUrl: url, timeLimits: readLimits(), [Symbol.asyncDispose]: remove };
}

/** A database for the tests of the surrounding `describe`. It has no members before the first hook. */
export function useDatabase(engine: Engine, options?: { empty?: boolean; migrated?: boolean }): TestDatabase {
  const database = {} as TestDatabase;
  before(async () => {
    Object.assign(database, await createDatabase(engine, options));
  });
  after(() => database[Symbol.asyncDispose]?.());
  return database;
}

/**
 * A migrated store for the tests of the surrounding `describe`, opened as often as `times`, as several processes would. It has no members before
 * the first hook.
 */
export function useStore(engine: Engine, name: StoreName, times = 1) {
  const database = {} as TestDatabase;
  const dbs = Array.from({ length: times }, () => ({}) as Db);
  before(async () => {
    Object.assign(database, await createDatabase(engine, { migrated: true }));
    for (const db of dbs) Object.assign(db, openStore(name, database));
  });
  after(async () => {
    for (const db of dbs) await db.close?.();
    await database[Symbol.asyncDispose]?.();
  });
  return { db: dbs[0] as Db, dbs, database };
}

export async function createTemplates(server: string): Promise<void> {
  await execute(server, `CREATE DATABASE ${TEMPLATE}`);
  const folder = mkdtempSync(join(tmpdir(), 'firmament-sqlite-'));
  for (const databaseUrl of [withDatabase(server, TEMPLATE), undefined]) {
    for (const store of STORES) {
      const db = openStore(store, { databaseUrl, dataDir: folder, timeLimits: readLimits() });
      await migrate(db, loadMigrations(store), systemClock);
      await db.close();
    }
  }
  process.env[SQLITE_TEMPLATE] = folder;
}

/** Those of PostgreSQL are removed with the server. */
export function removeTemplates(): void {
  const folder = process.env[SQLITE_TEMPLATE];
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

function copySqliteFiles(dataDir: string): void {
  const folder = process.env[SQLITE_TEMPLATE];
  if (folder === undefined) return;
  for (const store of STORES) copyFileSync(join(folder, `${store}.db`), join(dataDir, `${store}.db`));
}

function withDatabase(server: string, name: string): string {
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
