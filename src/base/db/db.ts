/**
 * The database layer: one interface, two engines (`sqlite.ts`, `postgres.ts`), migrations and backups. It knows nothing
 * about our tables.
 *
 * SQL is written once, in the dialect that both engines share, and both return the same result:
 * - parameters are `$1`, `$2`, …; one may be used twice, but only for columns of one type;
 * - values are text, integers within ±2^53, floats, bytes and null. Times are epoch milliseconds, booleans 0 or 1 (also
 *   a comparison in a result column), JSON is text;
 * - columns: TEXT, BIGINT, DOUBLE PRECISION, BYTEA. Order text with `COLLATE "binary"`: by code point on both;
 * - decide and write in one statement: `INSERT … ON CONFLICT … DO UPDATE … RETURNING`. Do not read, compare and then
 *   write: that is safe on SQLite, but not on PostgreSQL (read committed);
 * - text must not contain U+0000, which PostgreSQL cannot store: reject it at the edge.
 *
 * If the database cannot be reached, is busy beyond its time-out or cannot write, calls fail with
 * `service_unavailable`. Invalid SQL and violated constraints fail with the driver's own error.
 */
export type Value = string | number | Uint8Array | null;

export type Row = Record<string, Value>;

/** The statements available inside and outside a transaction. */
export interface Queries {
  readonly engine: Engine;
  /** Returns all rows, also of a statement with `RETURNING`. */
  all<R extends object = Row>(sql: string, params?: readonly Value[]): Promise<R[]>;
  /** Returns all rows as arrays, in the order of the columns. This costs less than objects, so it is for frequent reads. */
  rows(sql: string, params?: readonly Value[]): Promise<Value[][]>;
  /** Returns the first row, if there is one. */
  one<R extends object = Row>(sql: string, params?: readonly Value[]): Promise<R | undefined>;
  /** Returns the number of changed rows. */
  run(sql: string, params?: readonly Value[]): Promise<number>;
  /** Loads many rows as fast as the engine can, all or none. Returns their number. */
  bulkLoad(table: string, columns: readonly string[], rows: Iterable<readonly Value[]>): Promise<number>;
}

/**
 * An insert whose SQL text does not depend on the number of rows. Each text is prepared once and kept until its connection
 * closes, so texts of many lengths would fill the memory, here and on the server. Define it once, as a constant.
 */
export interface Insert {
  readonly table: string;
  readonly columns: Readonly<Record<string, 'TEXT' | 'BIGINT'>>;
  /** What follows the rows: `ON CONFLICT …`, `RETURNING …`. */
  readonly rest: string;
}

export interface Transaction extends Queries {
  /** Inserts any number of rows, in this order, and returns what `RETURNING` selects. */
  insert<R extends object = Row>(into: Insert, rows: readonly (readonly Value[])[]): Promise<R[]>;
  /** Runs several statements without parameters, such as a migration file. */
  script(sql: string): Promise<void>;
  /** Creates the schema for our tables if needed. Until this transaction ends, no other process can migrate it. */
  claimSchema(): Promise<void>;
  /** Tries to take a named lock until the transaction ends; returns whether it did. Always true in SQLite. */
  claim(name: string): Promise<boolean>;
  /**
   * Runs `work`, which fills the table. If the table is empty, SQLite creates its indexes afterwards, except for those of its keys: adding
   * millions of entries in random order takes longer. PostgreSQL keeps them, because others could not read the table until the commit.
   * If `work` fails, so must the transaction.
   */
  fill<T>(table: string, work: () => Promise<T>): Promise<T>;
  /** Takes a named lock until the transaction ends, and calls `onWait` before it has to wait for the lock. */
  hold(name: string, mode: 'shared' | 'exclusive', onWait?: () => void): Promise<void>;
}

export interface TransactionOptions {
  /** No statement time-out and a long wait for the write lock: for migrations and imports, never for requests. */
  readonly patient?: boolean;
  /** Called once if another writer holds the lock. */
  readonly onWait?: () => void;
  /** PostgreSQL: replaces the time-out of the COMMIT. A COMMIT that times out may have happened or not. */
  readonly commitTimeoutMs?: number;
}

/** The statements that only read. */
export type Reads = Pick<Queries, 'engine' | 'all' | 'rows' | 'one'>;

export interface SnapshotOptions {
  /** SQLite: the cache of the connection. The default is made for sorting millions of rows. */
  readonly cacheKb?: number;
}

/** A consistent view of one commit, unaffected by later commits. */
export interface Snapshot extends Reads {
  /** Returns the rows of a long result as arrays, in its order and in batches, so that memory does not depend on its length. */
  stream(sql: string, params?: readonly Value[]): AsyncIterable<Value[][]>;
  /**
   * Returns all rows of a table, or only some, as bytes, in no particular order; a chunk contains complete rows. Each value is UTF-8
   * text followed by a zero byte, null is the byte FF. Made for millions of rows: on SQLite it is three times as fast
   * as reading strings.
   */
  dump(table: string, columns: readonly string[], only?: DumpedRows): AsyncIterable<Uint8Array>;
}

/** The rows whose column, which must be indexed, has one of these values. The values must be distinct; some may have no row. */
export interface DumpedRows {
  readonly column: string;
  readonly values: readonly string[];
}

export type Engine = 'sqlite' | 'postgres';

export interface Db extends Queries {
  /** Commits when `work` returns, rolls back when it throws. Inside, use only the handle given to `work`. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs one statement that writes, in a transaction of its own, and returns its rows. `commitTimeoutMs` is the time that its commit
   * may take in addition to the statement: after a time-out, it may have happened or not.
   */
  write<R extends object = Row>(
    sql: string,
    params: readonly Value[],
    options: Pick<TransactionOptions, 'commitTimeoutMs'>,
  ): Promise<R[]>;
  /** Reads a snapshot, on a separate connection. */
  snapshot<T>(work: (view: Snapshot) => Promise<T>, options?: SnapshotOptions): Promise<T>;
  hasTable(name: string): Promise<boolean>;
  /**
   * Makes the write-ahead log small again after a large write. Returns false if a reader prevented it, for example a snapshot.
   * It may block this thread while the log is copied, so call it where that does not delay requests. PostgreSQL limits its log
   * by itself.
   */
  shrinkLog(): Promise<boolean>;
  /**
   * Rewrites tables, so that the files of the database have no bytes of deleted rows, nor has the write-ahead log of SQLite. SQLite
   * rewrites the whole file, and needs as much free space. PostgreSQL locks each table meanwhile. Both may take minutes, and
   * SQLite blocks this thread.
   */
  erase(tables: readonly string[]): Promise<void>;
  /** The number of connections and of callers waiting for one, for the metrics. */
  pool(): PoolState;
  /** Waits for running transactions. Can be called more than once. */
  close(): Promise<void>;
}

export interface PoolState {
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Registry data is large and can be rebuilt, accounts data is small and cannot. They never share a write lock. */
export type StoreName = 'registry' | 'accounts';
