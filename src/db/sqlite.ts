import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail } from '../core/errors.ts';
import type { Db, PoolState, Queries, RowSource, Snapshot, Transaction, TransactionOptions, Value } from './db.ts';
import { guardTransaction } from './guard.ts';

export interface SqliteOptions {
  /** `full` survives power loss with every commit; `normal` may lose the last commits then, but never tears the file. */
  readonly durability: 'full' | 'normal';
  /** How long a writer waits for another process, counted from when it was asked to write: whoever stands behind others that
   *  wait does not begin anew. */
  readonly busyTimeoutMs?: number;
  /** Shared with other threads of this process that write to the file: whoever waits for one of them is woken by it. */
  readonly turns?: WriterTurns;
}

/** How often a writer was done, on shared memory. */
export type WriterTurns = Int32Array<SharedArrayBuffer>;

export function createWriterTurns(): WriterTurns {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

const PATIENT_MS = 10 * 60_000;

/**
 * One file, two connections: a writer, used by one caller at a time, and a read-only one, so that a long transaction
 * of ours is neither seen half-done nor waited for. `node:sqlite` is synchronous, so SQLite's own busy handler would
 * sleep on the event loop; instead a busy writer is tried again from a timer.
 */
export function openSqlite(file: string, options: SqliteOptions): Db {
  const { durability, busyTimeoutMs = 5_000, turns = createWriterTurns() } = options;
  const writer = new Connection(new DatabaseSync(file, { timeout: 0 }));
  // A new file is switched to WAL once, under a lock that a second process starting now has to wait for.
  // Pages of 16 KB, for records are 1 to 2 KB: in pages of 4 KB much of each would stay empty.
  writer.database.exec(
    'PRAGMA busy_timeout = 5000; PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 0',
  );
  // 64 MB of cache: the index of a large import is written in random order.
  writer.database.exec(`PRAGMA synchronous = ${durability}; PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536`);
  const reader = new Connection(new DatabaseSync(file, { readOnly: true, timeout: 1_000 }));

  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  /** Runs `work` when every earlier writer of this process is done. */
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

  function write<T>(statement: () => T): Promise<T> {
    const until = performance.now() + busyTimeoutMs;
    return inTurn(() => whenFree(turns, statement, until));
  }

  return {
    engine: 'sqlite',
    ...queriesOn((sql, read) => (isSelect(sql) ? attempt(() => read(reader)) : write(() => read(writer)))),
    bulkLoad(table, columns, rows) {
      return this.transaction((tx) => tx.bulkLoad(table, columns, rows), { patient: true });
    },
    transaction<T>(work: (tx: Transaction) => Promise<T>, { patient = false, onWait }: TransactionOptions = {}) {
      const until = performance.now() + (patient ? PATIENT_MS : busyTimeoutMs);
      return inTurn(async () => {
        await whenFree(turns, () => writer.database.exec('BEGIN IMMEDIATE'), until, onWait);
        const guarded = guardTransaction(transactionOn(writer));
        try {
          const result = await work(guarded.tx);
          guarded.end();
          await attempt(() => writer.database.exec('COMMIT'));
          return result;
        } catch (error) {
          guarded.end();
          // A full disk or an I/O error may have rolled back already.
          if (writer.database.isOpen && writer.database.isTransaction) writer.database.exec('ROLLBACK');
          throw error;
        }
      });
    },
    async snapshot(work) {
      const connection = new Connection(new DatabaseSync(file, { readOnly: true, timeout: 1_000 }));
      try {
        connection.database.exec('BEGIN');
        return await work(snapshotOn(connection));
      } finally {
        connection.close();
      }
    },
    hasTable: async (name) => {
      const found = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1";
      return (await attempt(() => reader.statement(found).get(name))) !== undefined;
    },
    pool: (): PoolState => ({ open: 2, idle: waiting > 0 ? 1 : 2, waiting: Math.max(0, waiting - 1) }),
    async close() {
      await turn;
      reader.close();
      writer.close();
    },
  };
}

type Dispatch = <T>(sql: string, read: (connection: Connection) => T) => Promise<T>;

function queriesOn(dispatch: Dispatch): Omit<Queries, 'bulkLoad'> {
  return {
    all: <R extends object>(sql: string, params: readonly Value[] = []) =>
      dispatch(sql, (connection) => connection.statement(sql).all(...params) as R[]),
    one: <R extends object>(sql: string, params: readonly Value[] = []) =>
      dispatch(sql, (connection) => connection.statement(sql).get(...params) as R | undefined),
    run: (sql, params = []) => dispatch(sql, (connection) => Number(connection.statement(sql).run(...params).changes)),
  };
}

function transactionOn(writer: Connection): Transaction {
  return {
    ...queriesOn((_sql, read) => attempt(() => read(writer))),
    script: (sql) => attempt(() => writer.database.exec(sql)),
    // BEGIN IMMEDIATE already holds the only write lock there is, and a file needs no schema.
    claimSchema: async () => undefined,
    claim: async () => true,
    hold: async () => undefined,
    async bulkLoad(table: string, columns: readonly string[], rows: RowSource) {
      const places = columns.map((_, index) => `$${index + 1}`);
      const insert = writer.statement(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`);
      let count = 0;
      const load = (row: readonly Value[]) => {
        runOrExplain(() => insert.run(...row));
        count++;
      };
      // Awaiting each row of a list that is there already would take longer than inserting it.
      if (Symbol.iterator in rows) for (const row of rows) load(row);
      else for await (const row of rows) load(row);
      return count;
    },
  };
}

/** Rows that SQLite joins into one value: few enough to stay small, enough to make the cost of a call vanish. */
const DUMPED_AT_ONCE = 2_000;

function snapshotOn(connection: Connection): Snapshot {
  const { all, one } = queriesOn((_sql, read) => attempt(() => read(connection)));
  return {
    all,
    one,
    async *dump(table, columns) {
      const values = columns.map((column) => `coalesce(${column}, CAST(x'ff' AS TEXT))`);
      const text = `concat_ws(char(0), ${values.join(', ')}, '')`;
      const part = `SELECT CAST(group_concat(${text}, '') AS BLOB) AS bytes FROM ${table} WHERE rowid BETWEEN $1 AND $2`;
      const { least, most } = (await one<{ least: number | null; most: number | null }>(
        `SELECT min(rowid) AS least, max(rowid) AS most FROM ${table}`,
      )) ?? { least: null, most: null };
      if (least === null || most === null) return;
      for (let first = least; first <= most; first += DUMPED_AT_ONCE) {
        const row = await one<{ bytes: Uint8Array | null }>(part, [first, first + DUMPED_AT_ONCE - 1]);
        if (row?.bytes) yield row.bytes;
      }
    },
  };
}

/** A connection with its prepared statements, which are kept: preparing costs more than running most of them. */
class Connection {
  readonly database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      // SQLite takes `$1` for a name; `?1` is its positional form.
      statement = this.database.prepare(sql.replace(/\$(\d+)/g, '?$1'));
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  close(): void {
    this.#statements.clear();
    if (this.database.isOpen) this.database.close();
  }
}

function isSelect(sql: string): boolean {
  return /^\s*select\b/i.test(sql);
}

/** Async only in form, so that both engines fail the same way: by a rejected promise. */
async function attempt<T>(statement: () => T): Promise<T> {
  return runOrExplain(statement);
}

/**
 * Tries at least once, however late it is; again when another thread is done, and now and then for other processes. Two threads
 * that only tried now and then left a third of their time unused.
 */
async function whenFree<T>(turns: WriterTurns, statement: () => T, until: number, onWait?: () => void): Promise<T> {
  for (let pause = 1; ; pause = Math.min(pause * 2, 20)) {
    const before = Atomics.load(turns, 0);
    try {
      return statement();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw explain(error);
      if (pause === 1) onWait?.();
    }
    // Random, so that two processes do not keep meeting. A timer besides, for waiting on memory keeps no process alive.
    const pauseMs = Math.ceil(Math.random() * pause);
    await Promise.race([Atomics.waitAsync(turns, 0, before, pauseMs).value, sleep(pauseMs)]);
  }
}

function runOrExplain<T>(statement: () => T): T {
  try {
    return statement();
  } catch (error) {
    throw explain(error);
  }
}

const BUSY = 5;
/** Result codes that mean "the database cannot serve now", not "the statement is wrong": busy, locked, read-only,
 *  I/O error, corrupt, full, cannot open, not a database. */
const UNAVAILABLE = new Set([BUSY, 6, 8, 10, 11, 13, 14, 26]);

function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

function explain(error: unknown): unknown {
  const code = primaryCode(error);
  const closed = error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE';
  if (closed || (code !== undefined && UNAVAILABLE.has(code))) {
    return fail('service_unavailable', { cause: error, retryAfter: 1 });
  }
  return error;
}

/** SQLite packs a more exact code into the upper bits. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}
