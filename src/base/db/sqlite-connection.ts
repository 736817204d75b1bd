import { type Stats, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { fail } from '../errors.ts';

/** After a power failure, `full` keeps every commit; `normal` may lose the latest commits, but the file stays intact. */
export type Durability = 'full' | 'normal';

export interface Connections {
  readonly writer: Connection;
  readonly reader: Connection;
}

/** The size to which SQLite shrinks the log. SQLite copies the log into the file at 1,000 pages, so the log rarely gets larger than this. */
const MAX_IDLE_LOG_BYTES = 16 * 1024 * 1024;

/** Page sizes of new files. Each small commit of a durable file writes whole pages; large records would leave much of a 4 KB page empty. */
const PAGE_BYTES: Readonly<Record<Durability, number>> = { full: 4_096, normal: 16_384 };

/**
 * The cache of the read-only connection. The inner pages of both trees of a large table must fit into it, or each lookup reads an inner page again:
 * with 1 M records and 2 MB, SQLite's default, a lookup reads 2.7 pages instead of 2.1. With more than 16 MB, lookups get slower again, because the
 * pages do not fit the processor's cache.
 */
const READ_CACHE_KB: Readonly<Record<Durability, number>> = { full: 2_000, normal: 16_000 };

/** `mayCreate`: whether a missing file is created. If not, an empty file is rejected too, because SQLite would make a new store of it. */
export function connect(file: string, durability: Durability, mayCreate: boolean): Connections {
  if (!mayCreate && !statSync(file, { throwIfNoEntry: false })?.size) {
    throw fail('service_unavailable', { cause: new Error(`${file} is missing or empty`), retryAfter: 1 });
  }
  const address = mayCreate ? file : `${pathToFileURL(file).href}?mode=rw`;
  const writer = new Connection(new DatabaseSync(address, { timeout: 0 }));
  try {
    // Switching a new file to WAL takes a lock, which a second process that starts at the same time has to wait for. The cache has 64 MB, because a
    // large import writes its index in random order. When SQLite starts the log again, the limit releases the space of a large transaction.
    writer.database.exec(`
      PRAGMA busy_timeout = 5000; PRAGMA page_size = ${PAGE_BYTES[durability]}; PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 0;
      PRAGMA synchronous = ${durability}; PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536;
      PRAGMA journal_size_limit = ${MAX_IDLE_LOG_BYTES}`);
    const reader = new Connection(new DatabaseSync(file, { readOnly: true, timeout: 1_000 }));
    reader.database.exec(`PRAGMA cache_size = -${READ_CACHE_KB[durability]}`);
    return { writer, reader };
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** A connection and its prepared statements, which are kept because preparing most of them costs more than running them. */
export class Connection {
  readonly database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #arrayStatements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  statement(sql: string): StatementSync {
    return this.#find(this.#statements, sql, false);
  }

  arrayStatement(sql: string): StatementSync {
    return this.#find(this.#arrayStatements, sql, true);
  }

  #find(statements: Map<string, StatementSync>, sql: string, returnArrays: boolean): StatementSync {
    let statement = statements.get(sql);
    if (statement === undefined) {
      // In SQLite, `$1` is a named parameter; `?1` is the positional form.
      statement = this.database.prepare(sql.replace(/\$(\d+)/g, '?$1'), { returnArrays });
      statements.set(sql, statement);
    }
    return statement;
  }

  close(): void {
    this.#statements.clear();
    this.#arrayStatements.clear();
    if (this.database.isOpen) this.database.close();
  }
}

/**
 * Notices that a SQLite file was removed, replaced or truncated while it is open. SQLite does not notice: it keeps reading and writing the file it
 * has opened, even if that file was deleted, and answers from its cache. Charges would be lost without an error.
 */
export function watchFile(file: string) {
  let known = statSync(file);
  let changed = false;
  let problem: string | undefined;
  let checkAt = 0;
  /** The file's state when it was last examined and found truncated. */
  let truncated: Stats | undefined;

  function findProblem(): string | undefined {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return 'is missing';
    // When SQLite opens an empty file, it deletes the write-ahead log of that file, so this file is not opened.
    if (found.size === 0) return 'is empty';
    if (found.ino !== known.ino || found.dev !== known.dev) {
      changed = true;
      return undefined;
    }
    const isKnown = found.size === truncated?.size && found.mtimeMs === truncated.mtimeMs;
    if (found.size < known.size && (isKnown || !isComplete(file, found.size))) {
      truncated = found;
      return 'is truncated';
    }
    known = found;
    return undefined;
  }

  return {
    /**
     * Whether the file has to be opened again. Throws `service_unavailable` while it is missing or truncated. Before a write, the file is always
     * examined: a write to a truncated file would damage more than the part that was cut off.
     */
    hasChanged(purpose: 'read' | 'write'): boolean {
      const now = performance.now();
      if (purpose === 'write' || now >= checkAt) {
        checkAt = now + CHECK_MS;
        try {
          problem = findProblem();
        } catch (error) {
          problem = `cannot be examined: ${error}`;
        }
        // The connections may have cached pages of the damaged file.
        changed ||= problem !== undefined;
      }
      if (problem === undefined) return changed;
      throw fail('service_unavailable', { cause: new Error(`${file} ${problem}`), retryAfter: 1 });
    },
    /** Call this when damaged data was read: the file has to be opened again, because the connections have cached its pages. */
    suspect(): void {
      changed = true;
      checkAt = 0;
    },
    accept(): void {
      known = statSync(file);
      changed = false;
    },
  };
}

/** The minimum time between two checks of the file for reads. A check takes a few microseconds. */
const CHECK_MS = 200;

/** Checking every page of a larger file would block the process for too long. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

/** Whether a file that got smaller is complete, as after a VACUUM: all its pages are in the file or in the write-ahead log. */
function isComplete(file: string, size: number): boolean {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const read = (pragma: string) => Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
    if (Number(read('page_count')) * Number(read('page_size')) <= size) return true;
    return size <= MAX_CHECKED_BYTES && read('quick_check(1)') === 'ok';
  } catch {
    return false;
  } finally {
    database.close();
  }
}
