import { join } from 'node:path';
import { patiently } from '../core/patience.ts';
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
}

/**
 * Opens one store: a SQLite file, or a schema of the PostgreSQL database. PostgreSQL does not have to be running yet.
 */
export function openStore(store: StoreName, location: Location): Db {
  return open(store, location, false);
}

/**
 * For threads and processes that read what another one has opened. If somebody moves a SQLite file away, they must not put an empty
 * one in its place, which would be served.
 */
export function openExistingStore(store: StoreName, location: Location): Db {
  return open(store, location, true);
}

function open(store: StoreName, location: Location, mustExist: boolean): Db {
  const { databaseUrl, dataDir, poolSize, turns, onIdleError } = location;
  if (databaseUrl !== undefined) {
    // Requests must be answered within two seconds even if the server does not respond; only a search may take longer.
    const bounds =
      store === 'accounts'
        ? { statementTimeoutMs: patiently(1_500), readTimeoutMs: patiently(1_500), connectTimeoutMs: patiently(1_500) }
        : { statementTimeoutMs: 10_000, readTimeoutMs: patiently(1_200), connectTimeoutMs: patiently(1_200) };
    const optional = { ...(poolSize && { poolSize }), ...(onIdleError && { onIdleError }) };
    return openPostgres(databaseUrl, { schema: store, ...bounds, ...optional });
  }
  if (!mustExist) preparePrivateFolder(dataDir);
  // Registry data can be imported again; what accounts were charged cannot. Requests wait for this lock, so not for
  // long.
  const options =
    store === 'accounts'
      ? ({ durability: 'full', busyTimeoutMs: patiently(1_500) } as const)
      : ({ durability: 'normal' } as const);
  const file = join(dataDir, `${store}.db`);
  if (!mustExist) preparePrivateFile(file);
  return openSqlite(file, { ...options, mustExist, ...(turns && { turns }) });
}

/**
 * Opens a replica of the registry. Its time-outs are short because a request that fails here is repeated on the
 * primary, and both together must stay within two seconds.
 */
export function openReplica(url: string, options: Pick<Location, 'poolSize' | 'onIdleError'>): Db {
  const ms = patiently(REPLICA_MS);
  const bounds = { statementTimeoutMs: ms, readTimeoutMs: ms, connectTimeoutMs: ms };
  return openPostgres(url, { schema: 'registry', ...bounds, ...options });
}

const REPLICA_MS = 300;
