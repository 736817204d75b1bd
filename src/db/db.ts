/**
 * The database layer: one interface, two engines (`sqlite.ts`, `postgres.ts`), migrations. It knows no table of ours.
 *
 * SQL is written once, in the dialect both engines share, and both give the same answer:
 * - parameters are `$1`, `$2`, …; one may be used twice, but only for columns of one type;
 * - text, integers (epoch milliseconds for times, 0/1 for truth, all within ±2^53), floats, bytes and null: nothing else
 *   goes in or comes out. JSON is text. A comparison in a result column is 0 or 1;
 * - columns: TEXT, BIGINT, DOUBLE PRECISION, BYTEA. Order text with `COLLATE "binary"`: by code point on both;
 * - `INSERT … ON CONFLICT … DO UPDATE … RETURNING` is how a decision is made in one statement. Do not read, compare and
 *   write: SQLite would forgive it, PostgreSQL (read committed) would not;
 * - text must not hold U+0000, which PostgreSQL cannot store: refuse it at the edge.
 *
 * A database that cannot be reached, is busy past its time-out or cannot write fails with `service_unavailable`; wrong
 * SQL and broken constraints fail with the driver's own error.
 */
export type Value = string | number | Uint8Array | null;

export type Row = Record<string, Value>;

/** What can be done inside and outside a transaction. */
export interface Queries {
  /** All rows of a statement that gives rows, `RETURNING` included. */
  all<R extends object = Row>(sql: string, params?: readonly Value[]): Promise<R[]>;
  /** The first row, if there is one. */
  one<R extends object = Row>(sql: string, params?: readonly Value[]): Promise<R | undefined>;
  /** The number of rows the statement changed. */
  run(sql: string, params?: readonly Value[]): Promise<number>;
  /** Loads many rows as fast as the engine can, all or nothing. Returns how many. */
  bulkLoad(table: string, columns: readonly string[], rows: RowSource): Promise<number>;
}

export type RowSource = AsyncIterable<readonly Value[]> | Iterable<readonly Value[]>;

export interface Transaction extends Queries {
  /** Several statements without parameters, as in a migration file. */
  script(sql: string): Promise<void>;
  /** Makes sure that the place for our tables exists and that nobody else is migrating it until this transaction ends. */
  claimSchema(): Promise<void>;
  /** Whether this transaction is the only one that holds the name, until it ends. SQLite has one writer anyway. */
  claim(name: string): Promise<boolean>;
  /**
   * Waits until nobody has the name for himself alone, or, asked for alone, until nobody has it at all. Kept until the transaction
   * ends. `onWait` is called when it has to be waited for.
   */
  hold(name: string, how: 'shared' | 'alone', onWait?: () => void): Promise<void>;
}

export interface TransactionOptions {
  /** No statement time-out and a patient wait for the write lock: for migrations and imports, never for requests. */
  readonly patient?: boolean;
  /** Called once when another writer makes us wait. */
  readonly onWait?: () => void;
}

/** The data of one commit, whatever is committed meanwhile. */
export interface Snapshot extends Pick<Queries, 'all' | 'one'> {
  /**
   * All rows of a table as bytes, whole rows a chunk, in no order: each value as UTF-8 text followed by a zero byte, null
   * as the byte FF. For who reads millions of rows: on SQLite three times as fast as getting them as strings.
   */
  dump(table: string, columns: readonly string[]): AsyncIterable<Uint8Array>;
}

export interface Db extends Queries {
  readonly engine: 'sqlite' | 'postgres';
  /** Commits when `work` returns, rolls back when it throws. Inside, use only the handle given to `work`. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Reads a snapshot, on a connection of its own. */
  snapshot<T>(work: (view: Snapshot) => Promise<T>): Promise<T>;
  hasTable(name: string): Promise<boolean>;
  /** Connections and callers waiting for one, for the metrics. */
  pool(): PoolState;
  /** Waits for transactions under way. Closing twice is fine. */
  close(): Promise<void>;
}

export interface PoolState {
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/** The two stores: bulk, rebuildable registry data and small, precious accounts data never share a write lock. */
export type StoreName = 'registry' | 'accounts';
