/**
 * The database layer: one interface, two engines (`sqlite.ts`, `postgres.ts`), migrations and backups. This folder knows nothing about our tables.
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
 * If the database cannot be reached, is busy beyond its time-out or cannot write, calls fail with `service_unavailable`. Invalid SQL and violated
 * constraints fail with the driver's own error.
 */
export type Value = string | number | Uint8Array | null;

export type Row = Record<string, Value>;

export interface Queries {
  readonly engine: Engine;
  /** Returns all rows, including those of a `RETURNING` clause. */
  all<R extends object = Row>(sql: string, params?: readonly Value[]): Promise<R[]>;
  /** Returns all rows as arrays, in the order of the columns. Arrays cost less than objects, so this is for frequent reads. */
  rows(sql: string, params?: readonly Value[]): Promise<Value[][]>;
  one<R extends object = Row>(sql: string, params?: readonly Value[]): Promise<R | undefined>;
  run(sql: string, params?: readonly Value[]): Promise<number>;
  /** Loads many rows as fast as the engine can, all or none. Returns their number. */
  bulkLoad(table: string, columns: readonly string[], rows: Iterable<readonly Value[]>): Promise<number>;
}

/**
 * An insert whose SQL text does not depend on the number of rows. Each text is prepared once and kept until its connection closes, so texts of many
 * lengths would fill the memory, here and on the server. Define each insert once, as a constant.
 */
export interface Insert {
  readonly table: string;
  readonly columns: Readonly<Record<string, 'TEXT' | 'BIGINT'>>;
  /** The SQL after the rows: `ON CONFLICT …`, `RETURNING …`. */
  readonly rest: string;
}

export interface Transaction extends Queries {
  /** Inserts any number of rows, in this order, and returns what `RETURNING` selects. */
  insert<R extends object = Row>(into: Insert, rows: readonly (readonly Value[])[]): Promise<R[]>;
  /** Runs several statements without parameters, such as a migration file. */
  script(sql: string): Promise<void>;
  /** Creates the schema for our tables if needed. Until this transaction ends, no other process can migrate the schema. */
  claimSchema(): Promise<void>;
  /** Tries to take a named lock until the transaction ends. Returns whether the lock was taken, which in SQLite is always true. */
  claim(name: string): Promise<boolean>;
  /**
   * Runs `work`, which fills the table. If the table is empty, SQLite creates its indexes afterwards, except those of keys: adding millions of entries in
   * random order takes longer. PostgreSQL keeps all indexes, because without them others could not read the table until the commit.
   */
  fill<T>(table: string, work: () => Promise<T>): Promise<T>;
  /** Takes a named lock until the transaction ends, and calls `onWait` before it has to wait for the lock. */
  hold(name: string, mode: 'shared' | 'exclusive', onWait?: () => void): Promise<void>;
}

export interface TransactionOptions {
  /** No statement time-out and a long wait for the write lock: for migrations and imports, never for requests. */
  readonly patient?: boolean;
  readonly onWait?: () => void;
  /** PostgreSQL: replaces the time-out of the COMMIT. A COMMIT that times out may or may not have been applied. */
  readonly commitTimeoutMs?: number;
}

export type Reads = Pick<Queries, 'engine' | 'all' | 'rows' | 'one'>;

export interface SnapshotOptions {
  /** SQLite: the cache of the connection. The default suits sorting millions of rows. */
  readonly cacheKb?: number;
}

export interface Snapshot extends Reads {
  /** Returns the rows of a long result as arrays, in order and in batches, so that memory does not depend on the number of rows. */
  stream(sql: string, params?: readonly Value[]): AsyncIterable<Value[][]>;
  /**
   * Returns all rows of a table, or the rows of `only`, as bytes, in no particular order; a chunk contains complete rows. Each value is UTF-8 text
   * followed by a zero byte, null is the byte FF. Made for millions of rows: on SQLite it is three times as fast as reading strings.
   */
  dump(table: string, columns: readonly string[], only?: DumpedRows): AsyncIterable<Uint8Array>;
}

/** The rows whose value in `column`, which must be indexed, is in the list. The values must be distinct; some may have no row. */
export interface DumpedRows {
  readonly column: string;
  readonly values: readonly string[];
}

export type Engine = 'sqlite' | 'postgres';

export interface Db extends Queries {
  /** Commits when `work` returns, rolls back when it throws. Inside, use only the handle given to `work`. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs one statement that writes, in a transaction of its own, and returns its rows. `commitTimeoutMs` is the time that its commit may take in
   * addition to the statement: after a time-out, the commit may or may not have been applied.
   */
  write<R extends object = Row>(
    sql: string,
    params: readonly Value[],
    options: Pick<TransactionOptions, 'commitTimeoutMs'>,
  ): Promise<R[]>;
  snapshot<T>(work: (view: Snapshot) => Promise<T>, options?: SnapshotOptions): Promise<T>;
  hasTable(name: string): Promise<boolean>;
  /**
   * Makes the write-ahead log small again after a large write. Returns false if a reader prevented it, for example a snapshot. The copy of the log may
   * block this thread. A patient call waits minutes for readers. PostgreSQL limits its log by itself.
   */
  shrinkLog(options?: { readonly patient?: boolean }): Promise<boolean>;
  /**
   * Rewrites tables, so that neither the files of the database nor the write-ahead log of SQLite contain bytes of deleted rows. SQLite rewrites the
   * whole file, and needs as much free space. PostgreSQL locks each table meanwhile. Both may take minutes, and SQLite blocks this thread.
   */
  erase(tables: readonly string[]): Promise<void>;
  /** The number of connections, and of callers that wait for a connection, for the metrics. */
  pool(): PoolState;
  close(): Promise<void>;
}

export type PoolState = Readonly<Record<'open' | 'idle' | 'waiting', number>>;

/** Registry data is large and can be rebuilt; accounts data is small and cannot be rebuilt. The two stores never share a write lock. */
export type StoreName = 'registry' | 'accounts';
