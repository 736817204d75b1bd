import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../core/clock.ts';
import { createApiKey, hashSecret, prefixOf } from '../../core/secrets.ts';
import { isReachable, preparePostgresServer } from '../../db/local-postgres.ts';
import { migrate, readMigrations } from '../../db/migrate.ts';
import { openStore } from '../../db/open.ts';
import { emptyRegistry } from '../../registry/registry.ts';
import { provideData } from '../search/data.ts';
import { holdTo } from './processes.ts';
import {
  addAccounts,
  copyEntities,
  countEntities,
  dropAccounts,
  hasUsers,
  readCharged,
  recordInvented,
} from './store.ts';

/** Where a server under test finds its data: a folder of SQLite files, or a folder for the index and a PostgreSQL. */
export interface Place {
  readonly engine: 'sqlite' | 'postgres';
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  close(): Promise<void>;
}

export async function provideSqlitePlace(
  folder: string,
  rows: number,
  onProgress: (rows: number) => void,
): Promise<Place> {
  await provideData(folder, rows, onProgress);
  const db = openStore('registry', { dataDir: folder, databaseUrl: undefined });
  await migrate(db, readMigrations('registry'), systemClock);
  await recordInvented(db, systemClock.now());
  await db.close();
  return { engine: 'sqlite', dataDir: folder, databaseUrl: undefined, close: async () => undefined };
}

export interface PostgresPlaceOptions {
  /** With the SQLite registry that the rows come from. */
  readonly folder: string;
  readonly rows: number;
  /** A server of the caller's; else one is started. */
  readonly databaseUrl: string | undefined;
  readonly cores: string | undefined;
  readonly signal: AbortSignal;
}

/** Durable as it comes; only its memory is set to what a server of this size would be given. */
const SETTINGS = { shared_buffers: '1GB', max_wal_size: '4GB' };

export async function providePostgresPlace(options: PostgresPlaceOptions): Promise<Place> {
  const { folder, rows, databaseUrl, cores, signal } = options;
  const dataDir = join(folder, 'on-postgres');
  mkdirSync(dataDir, { recursive: true });
  if (databaseUrl !== undefined) {
    await fillPostgres(folder, rows, databaseUrl);
    return { engine: 'postgres', dataDir, databaseUrl, close: async () => undefined };
  }
  const server = await preparePostgresServer({
    folder: findReachable(dataDir),
    setUp: ['--locale=C'],
    settings: SETTINGS,
  });
  signal.addEventListener('abort', () => void server.stop());
  await server.start();
  try {
    await fillPostgres(folder, rows, server.url);
    holdTo(cores, server.pid);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { engine: 'postgres', dataDir, databaseUrl: server.url, close: () => server.stop() };
}

/** Beside the other data, unless the user that the server must run as cannot go there. */
function findReachable(folder: string): string {
  const inside = join(folder, 'server');
  mkdirSync(inside, { recursive: true });
  chmodSync(inside, 0o755);
  if (isReachable(inside)) return inside;
  return join(tmpdir(), `firmament-bench-${createHash('sha256').update(inside).digest('hex').slice(0, 12)}`);
}

/** What an earlier run has loaded is used again. */
async function fillPostgres(folder: string, rows: number, databaseUrl: string): Promise<void> {
  const accounts = openStore('accounts', { dataDir: folder, databaseUrl });
  const target = openStore('registry', { dataDir: folder, databaseUrl });
  try {
    // Before anything is lost.
    if (await hasUsers(accounts))
      throw new Error('people have signed in to this database: name one made for benchmarks');
    await migrate(target, readMigrations('registry'), systemClock);
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

/** New accounts and nothing else in their store: one key each, whose secrets are returned. */
export async function replaceAccounts({ dataDir, databaseUrl }: Place, count: number): Promise<string[]> {
  if (databaseUrl === undefined) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataDir, `accounts.db${suffix}`), { force: true });
  }
  const db = openStore('accounts', { dataDir, databaseUrl });
  try {
    if (databaseUrl !== undefined) await dropAccounts(db);
    await migrate(db, readMigrations('accounts'), systemClock);
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

export async function countCharged({ dataDir, databaseUrl }: Place): Promise<number> {
  const db = openStore('accounts', { dataDir, databaseUrl });
  try {
    return await readCharged(db);
  } finally {
    await db.close();
  }
}
