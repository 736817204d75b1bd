import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { Failure, fail } from '../core/errors.ts';
import { decodeCopy, encodeCopy } from './copy.ts';
import type { Db, PoolState, RowSource, StoreName, Transaction, TransactionOptions, Value } from './db.ts';
import { guardTransaction } from './guard.ts';

export interface PostgresOptions {
  /** The PostgreSQL schema that holds the store's tables. */
  readonly schema: StoreName;
  readonly poolSize?: number;
  /** Bound of one statement, kept by the server and, for a server that has gone silent, by us. */
  readonly statementTimeoutMs?: number;
  /** Where that is long: bound of a single read outside a transaction, the wait for a connection included, kept by us. Those
   *  are look-ups, which a server that is well answers at once. */
  readonly readTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** Told of connections that broke while idle; the pool replaces them by itself. */
  readonly onIdleError?: (error: Error) => void;
}

/** Grace for the server to answer "statement timed out" itself before we give up on the connection. */
const GRACE_MS = 250;

/** The driver takes a time-out a query, its types do not say so. 0 is none. */
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

  async function withClient<T>(
    work: (client: pg.PoolClient) => Promise<T>,
    spoils: (error: unknown) => boolean = isUnavailable,
  ): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => Promise.reject(explain(error)));
    let broken = false;
    // A connection that breaks while checked out raises an event besides failing the query; unheard, it would end us.
    const hear = () => {
      broken = true;
    };
    client.on('error', hear);
    try {
      return await work(client);
    } catch (error) {
      broken ||= spoils(error);
      throw error;
    } finally {
      client.off('error', hear);
      client.release(broken);
    }
  }

  const queries = (client: pg.PoolClient, timeoutMs: number) => {
    async function query<R extends object>(sql: string, params: readonly Value[]) {
      const statement: TimedQuery = { name: nameOf(sql), text: sql, values: [...params], query_timeout: timeoutMs };
      return explained(client.query<R>(statement));
    }
    return {
      all: async <R extends object>(sql: string, params: readonly Value[] = []) => (await query<R>(sql, params)).rows,
      one: async <R extends object>(sql: string, params: readonly Value[] = []) =>
        (await query<R>(sql, params)).rows[0],
      run: async (sql: string, params: readonly Value[] = []) => (await query(sql, params)).rowCount ?? 0,
    };
  };

  const timeoutMs = statementTimeoutMs + GRACE_MS;
  const readTimeoutMs = Math.min(options.readTimeoutMs ?? timeoutMs, timeoutMs);

  /** What was spent waiting for a connection is no longer there for the statement. */
  function read<T>(work: (reader: ReturnType<typeof queries>) => Promise<T>): Promise<T> {
    const until = performance.now() + readTimeoutMs;
    return withClient((client) => work(queries(client, Math.max(1, Math.ceil(until - performance.now())))));
  }

  return {
    engine: 'postgres',
    all: (sql, params) => read((reader) => reader.all(sql, params)),
    one: (sql, params) => read((reader) => reader.one(sql, params)),
    run: (sql, params) => withClient((client) => queries(client, timeoutMs).run(sql, params)),
    bulkLoad(table, columns, rows) {
      return this.transaction((tx) => tx.bulkLoad(table, columns, rows), { patient: true });
    },
    transaction<T>(work: (tx: Transaction) => Promise<T>, { patient = false }: TransactionOptions = {}) {
      return withClient(async (client) => {
        const limitMs = patient ? 0 : timeoutMs;
        const script = async (sql: string) => {
          const statements: TimedQuery = { text: sql, query_timeout: limitMs };
          await explained(client.query(statements));
        };
        await script(patient ? 'BEGIN; SET LOCAL statement_timeout = 0' : 'BEGIN');
        const guarded = guardTransaction({
          ...queries(client, limitMs),
          script,
          claimSchema: () => claimSchema(client, schema),
          claim: async (name) => {
            const sql = 'SELECT pg_try_advisory_xact_lock(hashtext($1)) AS claimed';
            return (await explained(client.query<{ claimed: number }>(sql, [name]))).rows[0]?.claimed === 1;
          },
          async hold(name, how, onWait) {
            const lock = `advisory_xact_lock${how === 'shared' ? '_shared' : ''}(hashtext($1))`;
            const { one } = queries(client, limitMs);
            if ((await one<{ held: number }>(`SELECT pg_try_${lock} AS held`, [name]))?.held === 1) return;
            onWait?.();
            await one(`SELECT pg_${lock}`, [name]);
          },
          bulkLoad: (table, columns, rows) => copyInto(client, table, columns, rows),
        });
        try {
          const result = await work(guarded.tx);
          guarded.end();
          await script('COMMIT');
          return result;
        } catch (error) {
          guarded.end();
          // A lost connection is dropped by `withClient`, and so is one that cannot be rolled back.
          if (!isUnavailable(error)) await script('ROLLBACK').catch(() => Promise.reject(unavailable(error)));
          throw error;
        }
      });
    },
    snapshot(work) {
      // Whatever fails may leave a COPY half read, behind which no further statement would ever be answered.
      const spoils = () => true;
      return withClient(async (client) => {
        await explained(
          client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0'),
        );
        const { all, one } = queries(client, 0);
        const result = await work({
          all,
          one,
          dump: (table, columns) =>
            decodeCopy(client.query(copyTo(`COPY (SELECT ${columns.join(', ')} FROM ${table}) TO STDOUT`))),
        });
        await explained(client.query('ROLLBACK'));
        return result;
      }, spoils);
    },
    async hasTable(name) {
      const found = await this.one('SELECT to_regclass($1) IS NOT NULL AS found', [`${schema}.${name}`]);
      return found?.found === 1;
    },
    pool: (): PoolState => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      if (!pool.ending) await pool.end();
    },
  };
}

async function claimSchema(client: pg.PoolClient, schema: StoreName): Promise<void> {
  // The lock comes first: CREATE … IF NOT EXISTS by two sessions at once fails in one of them.
  await explained(client.query(`SELECT pg_advisory_xact_lock(hashtext('firmament ${schema}'))`));
  await explained(client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`));
  await explained(client.query(`CREATE COLLATION IF NOT EXISTS ${schema}."binary" FROM "C"`));
}

async function copyInto(client: pg.PoolClient, table: string, columns: readonly string[], rows: RowSource) {
  const copy = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`));
  await explained(pipeline(encodeCopy(rows), copy));
  return copy.rowCount;
}

/** Named statements are parsed once a connection; the name is the same text's, whoever sends it. */
const names = new Map<string, string>();

function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `f${names.size}`;
    names.set(sql, name);
  }
  return name;
}

const { BOOL, BYTEA, INT8, JSON: JSON_TYPE, JSONB, NUMERIC } = pg.types.builtins;

/** The values of `db.ts` and no others: what SQLite would give for the same column. */
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
    throw new RangeError(`the database returned ${text}, an integer JavaScript cannot hold exactly`);
  }
  return number;
}

/** SQLSTATE classes and codes that mean "the server cannot serve now": connection, resources, shutdown and time-outs,
 *  a lock not had, a deadlock, a primary that became a read-only standby, an I/O error. */
const UNAVAILABLE = /^(08|40|53|57|58)|^(55P03|25006)$/;

function isUnavailable(error: unknown): boolean {
  return error instanceof Failure && error.code === 'service_unavailable';
}

/** Errors of the driver that are not the server's answer (refused, reset, timed out) mean that there is no server. */
function explain(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && !UNAVAILABLE.test(error.code ?? '')) return error;
  if (error instanceof TypeError || error instanceof RangeError) return error;
  return unavailable(error);
}

function unavailable(cause: unknown): Failure {
  return fail('service_unavailable', { cause, retryAfter: 1 });
}

async function explained<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    throw explain(error);
  }
}
