import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import pg, { type QueryResult } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { Failure, fail } from '../errors.ts';
import type { Db, Insert, PoolState, StoreName, Transaction, TransactionOptions, Value } from './db.ts';
import { guardTransaction, listRows, MAX_LISTED_ROWS, startInsert } from './engine.ts';
import { copyOut, encodeCopy, fetchRows } from './postgres-copy.ts';

interface PostgresOptions {
  readonly schema: StoreName;
  readonly poolSize?: number;
  /** The time-out of one statement, enforced by the server and, in case the server does not respond, by this client. */
  readonly statementTimeoutMs?: number;
  /** A shorter time-out in milliseconds for a single read outside a transaction, including the wait for a connection. */
  readonly readTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** Called when an idle connection breaks. The pool replaces it. */
  readonly onIdleError?: (error: Error) => void;
}

/** Extra time for the server to report the time-out itself before we drop the connection. */
const GRACE_MS = 250;

/** The driver supports a time-out per query (0 for none), but its types do not declare it. */
type TimedQuery = pg.QueryConfig & { query_timeout: number };

export function openPostgres(url: string, options: PostgresOptions): Db {
  const { schema, poolSize = 10, statementTimeoutMs = 1_500, connectTimeoutMs = 1_500, onIdleError } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    application_name: `firmament ${schema}`,
    options: `-c search_path=${schema} -c statement_timeout=${statementTimeoutMs} -c timezone=UTC`,
    types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
  });
  pool.on('error', (error) => onIdleError?.(error));
  // A connection can break at any moment, also between becoming ready and being handed out, and an error event without a listener ends the process.
  // Its next statement fails, and the pool does not keep it.
  pool.on('connect', (client) => void client.on('error', () => undefined));

  async function withClient<T>(
    work: (client: pg.PoolClient) => Promise<T>,
    breaksConnection: (error: unknown) => boolean = isBroken,
  ): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => Promise.reject(toFailure(error)));
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      broken = breaksConnection(error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  const queries = (client: pg.PoolClient, timeoutMs: number) => {
    const query = <R extends object>(text: string, values: readonly (Value | readonly Value[])[] = [], more = {}) => {
      const config: TimedQuery = { name: nameOf(text), text, values: [...values], query_timeout: timeoutMs, ...more };
      return translated(client.query<R>(config));
    };
    return {
      engine: 'postgres' as const,
      all: async <R extends object>(sql: string, params?: readonly Value[]) => (await query<R>(sql, params)).rows,
      rows: async (sql: string, params?: readonly Value[]) =>
        (await query<Value[]>(sql, params, { rowMode: 'array' })).rows,
      one: async <R extends object>(sql: string, params?: readonly Value[]) => (await query<R>(sql, params)).rows[0],
      run: async (sql: string, params?: readonly Value[]) => (await query(sql, params)).rowCount ?? 0,
      insert: async <R extends object>(into: Insert, rows: readonly (readonly Value[])[]) => {
        if (rows.length === 0) return [];
        if (rows.length <= MAX_LISTED_ROWS) return (await query<R>(listRows(into, rows.length), rows.flat())).rows;
        const columns = Object.keys(into.columns).map((_, column) => rows.map((row) => row[column] ?? null));
        return (await query<R>(unnestRows(into), columns)).rows;
      },
    };
  };

  const timeoutMs = statementTimeoutMs + GRACE_MS;
  const readTimeoutMs = Math.min(options.readTimeoutMs ?? timeoutMs, timeoutMs);

  /** The time spent waiting for a connection counts towards the time-out. */
  function read<T>(work: (reader: ReturnType<typeof queries>) => Promise<T>): Promise<T> {
    const until = performance.now() + readTimeoutMs;
    return withClient((client) => work(queries(client, Math.max(1, Math.ceil(until - performance.now())))));
  }

  return {
    engine: 'postgres',
    all: (sql, params) => read((reader) => reader.all(sql, params)),
    rows: (sql, params) => read((reader) => reader.rows(sql, params)),
    one: (sql, params) => read((reader) => reader.one(sql, params)),
    run: (sql, params) => withClient((client) => queries(client, timeoutMs).run(sql, params)),
    write: (sql, params, { commitTimeoutMs = 0 }) =>
      withClient((client) => queries(client, timeoutMs + commitTimeoutMs).all(sql, params)),
    bulkLoad(table, columns, rows) {
      return this.transaction((tx) => tx.bulkLoad(table, columns, rows), { patient: true });
    },
    transaction<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}) {
      const { patient = false, commitTimeoutMs } = options;
      return withClient(async (client) => {
        // 0 means no time-out, for the server and for the driver.
        const limitMs = patient ? 0 : timeoutMs;
        const script = async (sql: string, scriptMs = limitMs) => {
          await translated(client.query({ text: sql, query_timeout: scriptMs } as TimedQuery));
        };
        await script(patient ? 'BEGIN; SET LOCAL statement_timeout = 0' : 'BEGIN');
        const statements = queries(client, limitMs);
        const { one } = statements;
        const guarded = guardTransaction({
          ...statements,
          script: (sql) => script(sql),
          claimSchema: () => claimSchema(client, schema),
          claim: async (name) => {
            const sql = 'SELECT pg_try_advisory_xact_lock(hashtext($1)) AS claimed';
            return (await one<{ claimed: number }>(sql, [name]))?.claimed === 1;
          },
          async hold(name, mode, onWait) {
            const lock = `advisory_xact_lock${mode === 'shared' ? '_shared' : ''}(hashtext($1))`;
            if ((await one<{ held: number }>(`SELECT pg_try_${lock} AS held`, [name]))?.held === 1) return;
            onWait?.();
            await one(`SELECT pg_${lock}`, [name]);
          },
          fill: (_table, work) => work(),
          bulkLoad: (table, columns, rows) => copyInto(client, table, columns, rows),
        });
        try {
          const result = await work(guarded.tx);
          guarded.end();
          await script('COMMIT', patient ? 0 : commitTimeoutMs);
          return result;
        } catch (error) {
          guarded.end();
          // `withClient` drops a connection that is lost or whose rollback fails.
          if (!isBroken(error)) await script('ROLLBACK').catch(() => Promise.reject(unavailable(error)));
          throw error;
        }
      });
    },
    snapshot(work) {
      // After any error, a COPY may be half read, and the connection would never answer another statement.
      const always = () => true;
      return withClient(async (client) => {
        await translated(
          client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0'),
        );
        const { engine, all, rows, one } = queries(client, 0);
        const result = await work({
          engine,
          all,
          rows,
          one,
          stream: (sql, params) => fetchRows(client, sql, params),
          dump: (table, columns, only) => copyOut(client, `SELECT ${columns.join(', ')} FROM ${table}`, only),
        });
        await translated(client.query('ROLLBACK'));
        return result;
      }, always);
    },
    async hasTable(name) {
      const found = await this.one('SELECT to_regclass($1) IS NOT NULL AS found', [`${schema}.${name}`]);
      return found?.found === 1;
    },
    shrinkLog: async () => true,
    erase: (tables) =>
      withClient(async (client) => {
        const run = (text: string) => translated(client.query({ text, query_timeout: 0 } as TimedQuery));
        await run('SET statement_timeout = 0');
        await eraseDead(run, schema, tables);
        await run('RESET statement_timeout');
      }),
    pool: (): PoolState => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      if (!pool.ending) await pool.end();
    },
  };
}

async function claimSchema(client: pg.PoolClient, schema: StoreName): Promise<void> {
  // The lock comes first: if two sessions run CREATE … IF NOT EXISTS at the same time, one of them fails.
  await translated(client.query(`SELECT pg_advisory_xact_lock(hashtext('firmament ${schema}'))`));
  await translated(client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`));
  await translated(client.query(`CREATE COLLATION IF NOT EXISTS ${schema}."binary" FROM "C"`));
}

async function copyInto(
  client: pg.PoolClient,
  table: string,
  columns: readonly string[],
  rows: Iterable<readonly Value[]>,
) {
  const copy = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`));
  await translated(pipeline(encodeCopy(rows), copy));
  return copy.rowCount;
}

/** Named statements are parsed once per connection. Each SQL text has one name in the whole process. */
const names = new Map<string, string>();

function nameOf(sql: string): string {
  return names.getOrInsertComputed(sql, () => `f${names.size}`);
}

function unnestRows(into: Insert): string {
  const arrays = Object.values(into.columns).map((type, index) => `$${index + 1}::${type}[]`);
  return `${startInsert(into)} SELECT * FROM unnest(${arrays.join(', ')}) ${into.rest}`;
}

const { BOOL, BYTEA, INT8, JSON: JSON_TYPE, JSONB, NUMERIC } = pg.types.builtins;

/** Returns a parser for the types that `db.ts` promises, which are those that SQLite returns for the column. */
function parserOf(oid: number, format: 'text' | 'binary' = 'text'): (text: string) => unknown {
  switch (oid) {
    case INT8:
    case NUMERIC:
      return parseExactNumber;
    case BOOL:
      return (text) => (text === 't' ? 1 : 0);
    case JSON_TYPE:
    case JSONB:
      return (text) => text;
    case BYTEA:
      return (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex'));
    default:
      return pg.types.getTypeParser(oid, format as 'text');
  }
}

function parseExactNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    throw new RangeError(`the database returned ${text}, an integer that JavaScript cannot represent exactly`);
  }
  return number;
}

/**
 * SQLSTATE classes and codes that mean "the server cannot serve now": lost connection, deadlock, resources, shutdown
 * and time-out, I/O error, lock timeout, and a primary that became a read-only standby.
 */
const UNAVAILABLE = /^(08|40|53|57|58)|^(55P03|25006)$/;

/** Whether the connection cannot be used again. It can after the server has stopped a statement (57014), at its time-out or on request. */
function isBroken(error: unknown): boolean {
  if (!(error instanceof Failure) || error.code !== 'service_unavailable') return false;
  return !(error.cause instanceof pg.DatabaseError && error.cause.code === '57014');
}

/** Errors that do not come from the server (connection refused, reset, timed out) mean that it cannot be reached. */
function toFailure(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && !UNAVAILABLE.test(error.code ?? '')) return error;
  if (error instanceof TypeError || error instanceof RangeError) return error;
  return unavailable(error);
}

function unavailable(cause: unknown): Failure {
  return fail('service_unavailable', { cause, retryAfter: 1 });
}

async function translated<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    throw toFailure(error);
  }
}

type Run = (text: string) => Promise<QueryResult>;

const MAX_WAIT_MS = 10 * 60_000;

/** Rewrites the tables and the planner's statistics without deleted rows, so that no file of the database contains them any more. */
async function eraseDead(run: Run, schema: StoreName, tables: readonly string[]): Promise<void> {
  await waitForOlder(run);
  for (const table of tables) {
    await run(`VACUUM (FULL, ANALYZE) ${schema}.${table}`);
    await forgetIfEmpty(run, `${schema}.${table}`);
  }
  await waitForOlder(run);
  await run('VACUUM (FULL) pg_catalog.pg_statistic');
}

/** ANALYZE keeps the statistics of a table that has become empty. Setting the type of a column deletes them, even if the type does not change. */
async function forgetIfEmpty(run: Run, table: string): Promise<void> {
  const { rows } = await run(
    `SELECT string_agg(format('ALTER COLUMN %I TYPE text', attname), ', ') AS columns FROM pg_attribute
      WHERE attrelid = '${table}'::regclass AND atttypid = 'text'::regtype AND attcollation = '"default"'::regcollation
        AND NOT EXISTS (SELECT 1 FROM ${table})`,
  );
  if (rows[0]?.columns) await run(`ALTER TABLE ${table} ${rows[0].columns}`);
}

/**
 * Waits until no transaction is older than this moment, because VACUUM keeps the deleted rows that an older transaction can see. Transactions of
 * other databases count too: while one of them is open, a query that starts in this database sees equally old rows.
 */
async function waitForOlder(run: Run): Promise<void> {
  const now = (await run('SELECT pg_current_xact_id()::text AS now')).rows[0]?.now;
  const isOlder = (xmin: string) => `age(${xmin}) > age('${now}'::xid8::xid)`;
  const older = `SELECT 1 WHERE pg_snapshot_xmin(pg_current_snapshot()) <= '${now}'::xid8
    UNION ALL SELECT 1 FROM pg_replication_slots WHERE ${isOlder('xmin')}
    UNION ALL SELECT 1 FROM pg_stat_activity WHERE ${isOlder('backend_xmin')} AND pid <> pg_backend_pid()
      AND coalesce(datname, current_database()) = current_database() LIMIT 1`;
  const end = performance.now() + MAX_WAIT_MS;
  while ((await run(older)).rows.length > 0) {
    if (performance.now() > end)
      throw new Error(
        'a transaction of this PostgreSQL server, of any database, has been open for ten minutes: ' +
          'find it in pg_stat_activity, pg_prepared_xacts or pg_replication_slots, end it, and start again',
      );
    await setTimeout(100);
  }
}
