import { join } from 'node:path';
import { type TimeLimits, timeLimits } from '../system/time-limits.ts';
import type { Db, StoreName } from './db.ts';
import { openPostgres } from './postgres.ts';
import { preparePrivateFile, preparePrivateFolder } from './private-files.ts';
import { openSqlite, type WriterTurns } from './sqlite.ts';

export interface Location {
  /** PostgreSQL; if undefined, SQLite files in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  /** The maximum number of connections to PostgreSQL. */
  readonly poolSize?: number;
  /** For SQLite files that several threads of this process write to. */
  readonly turns?: WriterTurns;
  /** Called when an idle PostgreSQL connection breaks. */
  readonly onIdleError?: (error: Error) => void;
  readonly timeLimits?: TimeLimits;
}

/** What a thread needs to open a store that its process has opened. */
export type StorePlace = Pick<Location, 'databaseUrl' | 'dataDir' | 'timeLimits'>;

/** Opens a store: a SQLite file, or a schema of the PostgreSQL database, which does not have to be running yet. */
export function openStore(store: StoreName, location: Location): Db {
  return open(store, location, false);
}

/** For readers of what another process opened: if the file was moved away, no empty one is created and served. */
export function openExistingStore(store: StoreName, location: Location): Db {
  return open(store, location, true);
}

function open(store: StoreName, location: Location, mustExist: boolean): Db {
  const { databaseUrl, dataDir, poolSize, turns, onIdleError, timeLimits: limits = timeLimits } = location;
  const { accountsMs, registryMs } = limits;
  if (databaseUrl !== undefined) {
    // Requests must be answered within two seconds even if the server does not respond.
    const bounds =
      store === 'accounts'
        ? { statementTimeoutMs: accountsMs, readTimeoutMs: accountsMs, connectTimeoutMs: accountsMs }
        : { statementTimeoutMs: MAX_STATEMENT_MS, readTimeoutMs: registryMs, connectTimeoutMs: registryMs };
    const optional = { ...(poolSize && { poolSize }), ...(onIdleError && { onIdleError }) };
    return openPostgres(databaseUrl, { schema: store, ...bounds, ...optional });
  }
  if (!mustExist) preparePrivateFolder(dataDir);
  // Registry data can be imported again; what accounts were charged cannot. Requests wait for this lock, so not for
  // long.
  const options =
    store === 'accounts'
      ? ({ durability: 'full', busyTimeoutMs: accountsMs } as const)
      : ({ durability: 'normal' } as const);
  const file = join(dataDir, `${store}.db`);
  if (!mustExist) preparePrivateFile(file);
  return openSqlite(file, { ...options, mustExist, ...(turns && { turns }) });
}

/** Opens a replica of the registry. */
export function openReplica(
  url: string,
  { timeLimits: { replicaMs } = timeLimits, ...options }: Pick<Location, 'poolSize' | 'onIdleError' | 'timeLimits'>,
): Db {
  const bounds = { statementTimeoutMs: replicaMs, readTimeoutMs: replicaMs, connectTimeoutMs: replicaMs };
  return openPostgres(url, { schema: 'registry', ...bounds, ...options });
}

const MAX_STATEMENT_MS = 10_000;
