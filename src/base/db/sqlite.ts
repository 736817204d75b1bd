import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, fail } from '../errors.ts';
import type {
  Db,
  DumpedRows,
  Insert,
  PoolState,
  Queries,
  Snapshot,
  Transaction,
  TransactionOptions,
  Value,
} from './db.ts';
import { guardTransaction, listRows, MAX_LISTED_ROWS } from './engine.ts';
import { Connection, type Connections, connect, type Durability, watchFile } from './sqlite-connection.ts';

interface SqliteOptions {
  readonly durability: Durability;
  /** Whether opening fails if the file is missing or empty, instead of creating a store. */
  readonly mustExist?: boolean;
  /** How long a write waits for another process, counted from the call, so that writes that queue behind a waiting write time out together. */
  readonly busyTimeoutMs?: number;
  /** Shared with other threads that write to the file, so that a finished write wakes waiting writes. */
  readonly turns?: FinishedWrites;
}

export type FinishedWrites = Int32Array<SharedArrayBuffer>;

export function createFinishedWrites(): FinishedWrites {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

const PATIENT_MS = 10 * 60_000;
/** How long shrinking the log waits for readers. The reads of requests take less than a millisecond. */
const SHRINK_MS = 300;

/**
 * Opens one file with two connections: a writer, used by one caller at a time, and a read-only one, so that readers neither see an open transaction
 * of ours nor wait for it. SQLite's own busy handler would block the event loop, so a busy write is retried from a timer. If the file is replaced while
 * it is open, for example by a backup, the new file is opened; while the file is missing or truncated, all calls fail.
 */
export function openSqlite(file: string, options: SqliteOptions): Db {
  const { durability, mustExist = false, busyTimeoutMs = 5_000, turns = createFinishedWrites() } = options;
  let open = connect(file, durability, !mustExist);
  const watch = watchFile(file);

  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let closed = false;

  /** The connections to the file that currently has the name. A running transaction keeps the connection it started on. */
  function current(purpose: 'read' | 'write'): Connections {
    if (closed || !watch.hasChanged(purpose)) return open;
    const { reader, writer } = open;
    open = connect(file, durability, false);
    watch.accept();
    reader.close();
    turn = turn.then(() => writer.close());
    return open;
  }

  /** Runs a statement. If the file is damaged, it is opened again later: the connection's cache keeps damaged pages even after a repair. */
  function use<T>(purpose: 'read' | 'write', statement: (connections: Connections) => T): T {
    try {
      return statement(current(purpose));
    } catch (error) {
      if (hasCode(error, DAMAGED)) watch.suspect();
      throw error;
    }
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    waiting++;
    const mine = turn.then(work).finally(() => {
      waiting--;
      Atomics.add(turns, 0, 1);
      Atomics.notify(turns, 0);
    });
    turn = mine.catch(() => undefined);
    return mine;
  }

  function writeInTurn<T>(statement: () => T): Promise<T> {
    const until = performance.now() + busyTimeoutMs;
    return inTurn(() => whenFree(turns, statement, until));
  }

  return {
    ...queriesOn((sql, read) =>
      isSelect(sql)
        ? attempt(() => use('read', ({ reader }) => read(reader)))
        : writeInTurn(() => use('write', ({ writer }) => read(writer))),
    ),
    write: <R extends object>(sql: string, params: readonly Value[]) =>
      writeInTurn(() => use('write', ({ writer }) => writer.statement(sql).all(...params) as R[])),
    bulkLoad(table, columns, rows) {
      return this.transaction((tx) => tx.bulkLoad(table, columns, rows), { patient: true });
    },
    transaction<T>(work: (tx: Transaction) => Promise<T>, { patient = false, onWait }: TransactionOptions = {}) {
      const until = performance.now() + (patient ? PATIENT_MS : busyTimeoutMs);
      return inTurn(async () => {
        const begin = () => {
          const { writer } = current('write');
          writer.database.exec('BEGIN IMMEDIATE');
          return writer;
        };
        const writer = await whenFree(turns, begin, until, onWait);
        const guarded = guardTransaction(transactionOn(writer));
        try {
          const result = await work(guarded.tx);
          guarded.end();
          await attempt(() => writer.database.exec('COMMIT'));
          return result;
        } catch (error) {
          guarded.end();
          if (error instanceof Failure && hasCode(error.cause, DAMAGED)) watch.suspect();
          // SQLite may have rolled back already, for example because the disk is full.
          if (writer.database.isOpen && writer.database.isTransaction) writer.database.exec('ROLLBACK');
          throw error;
        }
      });
    },
    async snapshot(work, { cacheKb = SNAPSHOT_CACHE_KB } = {}) {
      current('read');
      const connection = new Connection(new DatabaseSync(file, { readOnly: true, timeout: 1_000 }));
      try {
        connection.database.function(ALLOW_TERMINATION, () => 1);
        connection.database.exec(`PRAGMA cache_size = -${cacheKb}; PRAGMA threads = ${SORTING_THREADS}; BEGIN`);
        const { engine, all, rows, one } = queriesOn((_sql, read) => attempt(() => read(connection)));
        const stream = (sql: string, params: readonly Value[] = []) => streamRows(connection, sql, params);
        return await work({ engine, all, rows, one, stream, dump: createDump(one) });
      } finally {
        connection.close();
      }
    },
    hasTable: async (name) => {
      const found = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1";
      return (await attempt(() => use('read', ({ reader }) => reader.statement(found).get(name)))) !== undefined;
    },
    shrinkLog: ({ patient = false } = {}) =>
      inTurn(() => truncateLog(current('write').writer, patient ? PATIENT_MS : SHRINK_MS)).catch((error: unknown) =>
        Promise.reject(toFailure(error)),
      ),
    erase: () =>
      inTurn(async () => {
        const until = performance.now() + PATIENT_MS;
        const { writer } = current('write');
        await whenFree(turns, () => writer.database.exec('VACUUM'), until);
        if (!(await truncateLog(writer, PATIENT_MS)))
          throw new Error('a reader prevents that deleted data leaves the write-ahead log');
      }),
    pool: (): PoolState => ({ open: 2, idle: waiting > 0 ? 1 : 2, waiting: Math.max(0, waiting - 1) }),
    async close() {
      closed = true;
      await turn;
      open.reader.close();
      open.writer.close();
    },
  };
}

/** A snapshot reads millions of rows and sorts some of them. SQLite sorts as many rows at a time as fit into its cache. */
const SNAPSHOT_CACHE_KB = 32_000;
/** Threads that help the reading thread. They do 40 % of the sorting if the rows do not fit into the cache. */
const SORTING_THREADS = 2;
/** An SQL function, always 1. A thread can be terminated only while it runs JavaScript, so long statements of snapshots call it now and then. */
export const ALLOW_TERMINATION = 'allow_termination';
const STREAM_BATCH = 1_000;

async function* streamRows(connection: Connection, sql: string, params: readonly Value[]): AsyncGenerator<Value[][]> {
  const rows = runTranslated(() => connection.arrayStatement(sql).iterate(...params)) as Iterator<unknown>;
  for (let isDone = false; !isDone; ) {
    const batch: Value[][] = [];
    while (batch.length < STREAM_BATCH && !isDone) {
      const next = runTranslated(() => rows.next());
      if (next.done) isDone = true;
      else batch.push(next.value as Value[]);
    }
    if (batch.length > 0) yield batch;
  }
}

type Dispatch = <T>(sql: string, read: (connection: Connection) => T) => Promise<T>;

function queriesOn(dispatch: Dispatch): Omit<Queries, 'bulkLoad'> {
  return {
    engine: 'sqlite',
    all: <R extends object>(sql: string, params: readonly Value[] = []) =>
      dispatch(sql, (connection) => connection.statement(sql).all(...params) as R[]),
    rows: (sql, params = []) =>
      dispatch(sql, (connection) => connection.arrayStatement(sql).all(...params) as unknown as Value[][]),
    one: <R extends object>(sql: string, params: readonly Value[] = []) =>
      dispatch(sql, (connection) => connection.statement(sql).get(...params) as R | undefined),
    run: (sql, params = []) => dispatch(sql, (connection) => Number(connection.statement(sql).run(...params).changes)),
  };
}

function transactionOn(writer: Connection): Transaction {
  return {
    ...queriesOn((_sql, read) => attempt(() => read(writer))),
    script: (sql) => attempt(() => writer.database.exec(sql)),
    // BEGIN IMMEDIATE already holds the only write lock, and a SQLite file has no schemas.
    claimSchema: async () => undefined,
    claim: async () => true,
    hold: async () => undefined,
    async fill(table, work) {
      const indexes = runTranslated(() => takeIndexes(writer, table));
      const result = await work();
      for (const sql of indexes) await attempt(() => writer.database.exec(sql));
      return result;
    },
    insert: <R extends object>(into: Insert, rows: readonly (readonly Value[])[]) =>
      attempt(() => {
        if (rows.length === 0) return [];
        if (rows.length <= MAX_LISTED_ROWS) {
          return writer.statement(listRows(into, rows.length)).all(...rows.flat()) as R[];
        }
        // Inserting one row per statement is four times as fast as 512 rows per statement.
        const statement = writer.statement(listRows(into, 1));
        return rows.flatMap((row) => statement.all(...row) as R[]);
      }),
    async bulkLoad(table, columns, rows) {
      // The placeholders have no numbers: for each numbered parameter, `node:sqlite` searches a list of all parameters.
      const placeholders = columns.map(() => '?').join(', ');
      const insert = writer.statement(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${placeholders})`);
      let count = 0;
      runTranslated(() => {
        for (const row of rows) {
          insert.run(...row);
          count++;
        }
      });
      return count;
    },
  };
}

/** Drops the indexes of an empty table, and returns the statements that create them again. */
function takeIndexes({ database }: Connection, table: string): string[] {
  if (database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined) return [];
  const indexes = database
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL")
    .all(table);
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
  return indexes.map(({ sql }) => sql as string);
}

function isSelect(sql: string): boolean {
  return /^\s*select\b/i.test(sql);
}

/** Async only so that both engines fail with a rejected promise. */
const attempt = async <T>(statement: () => T): Promise<T> => runTranslated(statement);

/**
 * Runs the statement once the write lock is free. The statement is tried at least once, and again whenever another thread has finished a write, or after
 * a short pause, because other processes do not wake this one. With pauses alone, two threads left a third of their time unused.
 */
async function whenFree<T>(turns: FinishedWrites, statement: () => T, until: number, onWait?: () => void): Promise<T> {
  for (let pause = 1; ; pause = Math.min(pause * 2, 20)) {
    const before = Atomics.load(turns, 0);
    try {
      return statement();
    } catch (error) {
      if (!hasCode(error, [BUSY]) || performance.now() >= until) throw toFailure(error);
      if (pause === 1) onWait?.();
    }
    // The pause is random, so that two processes do not keep colliding. The timer is needed because `waitAsync` does not keep a process alive.
    const pauseMs = Math.ceil(Math.random() * pause);
    await Promise.race([Atomics.waitAsync(turns, 0, before, pauseMs).value, sleep(pauseMs)]);
  }
}

function runTranslated<T>(statement: () => T): T {
  try {
    return statement();
  } catch (error) {
    throw toFailure(error);
  }
}

/** The number of rows that SQLite joins into one value: few enough for memory, and enough to make the cost per call negligible. */
const BATCH = 2_000;

function createDump(one: Queries['one']): Snapshot['dump'] {
  return async function* dump(table, columns, only) {
    const values = columns.map((column) => `coalesce(${column}, CAST(x'ff' AS TEXT))`);
    const bytes = `CAST(group_concat(concat_ws(char(0), ${values.join(', ')}, ''), '') AS BLOB)`;
    const select = `SELECT ${bytes} AS bytes FROM ${table} WHERE`;
    const parts = only === undefined ? listRanges(one, table) : listSelected(only);
    for await (const [condition, params] of parts) {
      const row = await one<{ bytes: Uint8Array | null }>(`${select} ${condition}`, params);
      if (row?.bytes) yield row.bytes;
    }
  };
}

type Part = readonly [condition: string, params: Value[]];

async function* listRanges(one: Queries['one'], table: string): AsyncGenerator<Part> {
  const range = await one<{ min: number | null; max: number }>(
    `SELECT min(rowid) AS min, max(rowid) AS max FROM ${table}`,
  );
  if (range === undefined || range.min === null) return;
  for (let first = range.min; first <= range.max; first += BATCH) {
    yield ['rowid BETWEEN $1 AND $2', [first, first + BATCH - 1]];
  }
}

function* listSelected({ column, values }: DumpedRows): Generator<Part> {
  // The values are read in order, because neighbours share pages of the index.
  const sorted = [...values].sort();
  for (let first = 0; first < sorted.length; first += BATCH) {
    yield [`${column} IN (SELECT value FROM json_each($1))`, [JSON.stringify(sorted.slice(first, first + BATCH))]];
  }
}

const RETRY_MS = 50;

/**
 * Copies the write-ahead log into the file and empties the log, trying for a while if a reader uses it. Returns whether the log is empty. SQLite does
 * not make the log smaller while any connection is open: after an import, the log would stay as large as the data that the import has written.
 */
async function truncateLog(writer: Connection, patienceMs: number): Promise<boolean> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const result = writer.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    if (result?.busy === 0) return true;
    if (performance.now() >= until) return false;
    await sleep(RETRY_MS);
  }
}

const BUSY = 5;
/** The codes for "corrupt" and "not a database". After other I/O errors, the data that was read is still valid. */
const DAMAGED = [11, 26];
/** Result codes that mean "the database cannot serve now", not "the statement is wrong": busy, locked, read-only, I/O error, full, cannot open. */
const UNAVAILABLE = [BUSY, 6, 8, 10, 13, 14, ...DAMAGED];

/** Whether SQLite reported one of these codes. The upper bits of a code are details. */
function hasCode(error: unknown, codes: readonly number[]): boolean {
  const code = error instanceof Error ? Reflect.get(error, 'errcode') : undefined;
  return typeof code === 'number' && codes.includes(code & 0xff);
}

function toFailure(error: unknown): unknown {
  const isClosed = error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE';
  if (!isClosed && !hasCode(error, UNAVAILABLE)) return error;
  return fail('service_unavailable', { cause: error, retryAfter: 1 });
}
