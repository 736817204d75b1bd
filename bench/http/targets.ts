import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { createApiKey, hashSecret, prefixOf } from '../../src/base/secrets.ts';
import { emptyRegistry } from '../../src/registry/registry.ts';
import { findServerFolder, preparePostgresServer } from '../local-postgres.ts';
import { provideData } from '../search/data.ts';
import { pinTo } from './processes.ts';
import {
  addAccounts,
  copyEntities,
  countEntities,
  dropAccounts,
  hasUsers,
  readCharged,
  recordInvented,
} from './store.ts';

/** The data of a server under test: a folder with SQLite files, or a PostgreSQL and a folder for the index. */
export interface Target {
  readonly engine: 'sqlite' | 'postgres';
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  close(): Promise<void>;
}

export async function provideSqliteTarget(
  folder: string,
  rows: number,
  onProgress: (rows: number) => void,
): Promise<Target> {
  await provideData(folder, rows, onProgress);
  const db = openStore('registry', { dataDir: folder, databaseUrl: undefined });
  await migrate(db, loadMigrations('registry'), systemClock);
  await recordInvented(db, systemClock.now());
  await db.close();
  return { engine: 'sqlite', dataDir: folder, databaseUrl: undefined, close: async () => undefined };
}

interface PostgresTargetOptions {
  /** Holds the SQLite registry to copy. */
  readonly folder: string;
  readonly rows: number;
  /** A server to use; a new one is started if undefined. */
  readonly databaseUrl: string | undefined;
  readonly cores: string | undefined;
  readonly signal: AbortSignal;
}

/** PostgreSQL's default durability. Only its memory is set, to what a server of this size would get. */
const SETTINGS = { shared_buffers: '1GB', max_wal_size: '4GB' };

export async function providePostgresTarget(options: PostgresTargetOptions): Promise<Target> {
  const { folder, rows, databaseUrl, cores, signal } = options;
  const dataDir = join(folder, 'on-postgres');
  mkdirSync(dataDir, { recursive: true });
  if (databaseUrl !== undefined) {
    await fillPostgres(folder, rows, databaseUrl);
    return { engine: 'postgres', dataDir, databaseUrl, close: async () => undefined };
  }
  const server = await preparePostgresServer({
    folder: findServerFolder(join(dataDir, 'server')),
    setUp: ['--locale=C'],
    settings: SETTINGS,
  });
  signal.addEventListener('abort', () => void server.stop());
  await server.start();
  try {
    await fillPostgres(folder, rows, server.url);
    pinTo(cores, server.pid);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { engine: 'postgres', dataDir, databaseUrl: server.url, close: () => server.stop() };
}

/** Reuses the data of an earlier run. */
async function fillPostgres(folder: string, rows: number, databaseUrl: string): Promise<void> {
  const accounts = openStore('accounts', { dataDir: folder, databaseUrl });
  const target = openStore('registry', { dataDir: folder, databaseUrl });
  try {
    // Checked before anything is deleted.
    if (await hasUsers(accounts)) throw new Error('this database has users: name one that was created for benchmarks');
    await migrate(target, loadMigrations('registry'), systemClock);
    if ((await countEntities(target)) === rows) return;
    await emptyRegistry(target);
    const source = openStore('registry', { dataDir: folder, databaseUrl: undefined });
    await copyEntities(source, target, rows, systemClock.now());
    await source.close();
    await recordInvented(target, systemClock.now());
  } finally {
    await accounts.close();
    await target.close();
  }
}

/** Replaces all accounts by new ones with one key each. Returns the secrets of the keys. */
export async function replaceAccounts({ dataDir, databaseUrl }: Target, count: number): Promise<string[]> {
  if (databaseUrl === undefined) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataDir, `accounts.db${suffix}`), { force: true });
  }
  const db = openStore('accounts', { dataDir, databaseUrl });
  try {
    if (databaseUrl !== undefined) await dropAccounts(db);
    await migrate(db, loadMigrations('accounts'), systemClock);
    const secrets = Array.from({ length: count }, () => createApiKey('live'));
    const keys = secrets.map((secret) => {
      return { accountId: randomUUID(), keyId: randomUUID(), prefix: prefixOf(secret), hash: hashSecret(secret) };
    });
    await addAccounts(db, keys, systemClock.now());
    return secrets;
  } finally {
    await db.close();
  }
}

export async function countCharged({ dataDir, databaseUrl }: Target): Promise<number> {
  const db = openStore('accounts', { dataDir, databaseUrl });
  try {
    return await readCharged(db);
  } finally {
    await db.close();
  }
}
