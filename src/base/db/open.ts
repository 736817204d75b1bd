import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { type TimeLimits, timeLimits } from '../system/time-limits.ts';
import type { Db, StoreName } from './db.ts';
import { openPostgres } from './postgres.ts';
import { type FinishedWrites, openSqlite } from './sqlite.ts';

export interface Location {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly poolSize?: number;
  /** For SQLite files that several threads of this process write to. */
  readonly turns?: FinishedWrites;
  readonly onIdleError?: (error: Error) => void;
  readonly timeLimits?: TimeLimits;
}

/** The part of a location that a thread needs to open a store that its process has opened. */
export type StorePlace = Pick<Location, 'databaseUrl' | 'dataDir' | 'timeLimits'>;

/** Opens a store: a SQLite file, or a schema of the PostgreSQL database, which does not have to be running yet. */
export function openStore(store: StoreName, location: Location, mustExist = false): Db {
  const { databaseUrl, dataDir, turns, timeLimits: limits = timeLimits, ...options } = location;
  const { accountsMs, registryMs } = limits;
  if (databaseUrl !== undefined) {
    // Requests must be answered within two seconds even if the server does not respond.
    const limitMs = store === 'accounts' ? accountsMs : registryMs;
    const statementTimeoutMs = store === 'accounts' ? accountsMs : MAX_STATEMENT_MS;
    const bounds = { statementTimeoutMs, readTimeoutMs: limitMs, connectTimeoutMs: limitMs };
    return openPostgres(databaseUrl, { schema: store, ...bounds, ...options });
  }
  const file = join(dataDir, `${store}.db`);
  if (!mustExist) {
    preparePrivateFolder(dataDir);
    preparePrivateFile(file);
  }
  const shared = { mustExist, ...(turns && { turns }) };
  // Registry data can be imported again; charges cannot, so their commits are durable. Requests wait for this lock, so the wait is short.
  if (store === 'accounts') return openSqlite(file, { durability: 'full', busyTimeoutMs: accountsMs, ...shared });
  return openSqlite(file, { durability: 'normal', ...shared });
}

/** Opens a store that another process has created: if the file was moved away, no empty store is created and served. */
export function openExistingStore(store: StoreName, location: Location): Db {
  return openStore(store, location, true);
}

export function openReplica(
  url: string,
  { timeLimits: { replicaMs } = timeLimits, ...options }: Pick<Location, 'poolSize' | 'onIdleError' | 'timeLimits'>,
): Db {
  const bounds = { statementTimeoutMs: replicaMs, readTimeoutMs: replicaMs, connectTimeoutMs: replicaMs };
  return openPostgres(url, { schema: 'registry', ...bounds, ...options });
}

const MAX_STATEMENT_MS = 10_000;

/** Creates the folder. An existing folder becomes private if it is empty or contains a store: `/tmp` must stay unchanged. */
export function preparePrivateFolder(folder: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    if ((fs.statSync(folder).mode & STICKY) !== 0) return;
    const names = fs.readdirSync(folder);
    if (names.length === 0 || names.some((name) => /^(accounts|registry)\.db$/.test(name)))
      closeToOthers(folder, 0o700);
  } catch {
    // A folder that this user cannot list belongs to someone else.
  }
}

/** Creates the file if it is missing. SQLite gives its `-wal` and `-shm` files the mode of the database. */
function preparePrivateFile(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, 'ax', 0o600));
  } catch {
    // Either the file already exists, or it cannot be created, which SQLite reports when it opens the file.
  }
  for (const each of [file, `${file}-wal`, `${file}-shm`]) closeToOthers(each, 0o600);
}

const OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Keeps other users of the machine away from the data: the stores contain hashes of keys, e-mail addresses and payments. A mode that cannot be
 * changed, for example on a file system without modes, never prevents the service from starting.
 */
function closeToOthers(path: string, mode: number): void {
  const found = fs.statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & OTHERS) === 0 || found.uid !== process.getuid?.()) return;
  try {
    fs.chmodSync(path, mode);
  } catch {
    // Some file systems do not allow even the owner to change the mode.
  }
}

/**
 * Copies a SQLite file as of one commit while other connections read and write it. Returns the size in bytes. All pages are copied in one step, which
 * blocks no writers: a backup in several steps starts again whenever somebody writes in between. The target gets its name only when it is complete and
 * on disk.
 */
export async function backUpSqlite(file: string, target: string): Promise<number> {
  if (!fs.existsSync(file)) throw new Error(`${file} does not exist`);
  const partial = `${target}.partial`;
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    fs.rmSync(partial, { force: true });
    preparePrivateFile(partial);
    await backup(database, partial, { rate: ALL_PAGES });
    flushToDisk(partial);
    fs.renameSync(partial, target);
    flushToDisk(dirname(target));
  } finally {
    database.close();
    for (const left of [partial, `${partial}-journal`]) fs.rmSync(left, { force: true });
  }
  return fs.statSync(target).size;
}

const ALL_PAGES = 2 ** 31 - 1;

function flushToDisk(path: string): void {
  const handle = fs.openSync(path, 'r');
  fs.fsyncSync(handle);
  fs.closeSync(handle);
}
