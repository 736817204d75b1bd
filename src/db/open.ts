import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Db, StoreName } from './db.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite, type WriterTurns } from './sqlite.ts';

export interface Location {
  /** PostgreSQL, or SQLite files in `dataDir` when undefined. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  /** Connections to PostgreSQL. */
  readonly poolSize?: number;
  /** Of SQLite files, where several threads of this process write to them. */
  readonly turns?: WriterTurns;
  /** Told of PostgreSQL connections that broke while idle. */
  readonly onIdleError?: (error: Error) => void;
}

/** Opens one store: a SQLite file of its own, or a schema of the PostgreSQL database. PostgreSQL need not be up yet. */
export function openStore(store: StoreName, location: Location): Db {
  const { databaseUrl, dataDir, poolSize, turns, onIdleError } = location;
  if (databaseUrl !== undefined) {
    // Requests must be answered within two seconds even when the server is silent; only a search may take longer.
    const bounds =
      store === 'accounts'
        ? { statementTimeoutMs: 1_500, readTimeoutMs: 1_500 }
        : { statementTimeoutMs: 10_000, readTimeoutMs: 1_200, connectTimeoutMs: 1_200 };
    const optional = { ...(poolSize && { poolSize }), ...(onIdleError && { onIdleError }) };
    return openPostgres(databaseUrl, { schema: store, ...bounds, ...optional });
  }
  mkdirSync(dataDir, { recursive: true });
  // Registry data can be imported again; what accounts were charged cannot, and requests wait for it.
  const options =
    store === 'accounts'
      ? ({ durability: 'full', busyTimeoutMs: 1_500 } as const)
      : ({ durability: 'normal' } as const);
  return openSqlite(join(dataDir, `${store}.db`), { ...options, ...(turns && { turns }) });
}

/**
 * Opens a replica of the registry. The primary stands behind it, so little patience is enough: what a request has waited
 * here in vain it waits for the primary besides.
 */
export function openReplica(url: string, options: Pick<Location, 'poolSize' | 'onIdleError'>): Db {
  const bounds = { statementTimeoutMs: REPLICA_MS, readTimeoutMs: REPLICA_MS, connectTimeoutMs: REPLICA_MS };
  return openPostgres(url, { schema: 'registry', ...bounds, ...options });
}

const REPLICA_MS = 300;
