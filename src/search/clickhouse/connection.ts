import { Pool } from 'undici';
import { Failure, fail } from '../../base/errors.ts';
import { type Deadline, millisecondsLeft } from '../../base/system/deadline.ts';
import { TOO_SLOW } from '../search.ts';

/** Where ClickHouse is, from CLICKHOUSE_URL. */
export interface ClickhousePlace {
  /** One address per node, such as `https://node1:8443`. */
  readonly hosts: readonly string[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export type Connection = ReturnType<typeof openConnection>;

/** An error that ClickHouse answered. The source of ClickHouse lists the codes in `src/Common/ErrorCodes.cpp`. */
class ClickhouseError extends Error {
  override name = 'ClickhouseError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const [UNKNOWN_TABLE, UNKNOWN_DATABASE, TIMEOUT] = [60, 81, 159];
/** Wrong password, unknown user, or a missing password. */
const REFUSED = [192, 193, 194, 516];

/** The limit for statements without a deadline: migrations and publications. */
const MAX_STATEMENT_MS = 600_000;
/** Nodes close idle connections after 10 or 30 s, and an insert that is sent at that moment fails. So this process closes them earlier. */
const TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0, keepAliveMaxTimeout: 3_000, connect: { timeout: 1_000 } };

type Settings = Readonly<Record<string, string>>;
const FORMAT = { default_format: 'JSONCompactEachRow', output_format_json_quote_64bit_integers: '0' } as const;

/** A search is complete or fails: no shard is left out, and no replica that lacks a published row answers. */
const READING = {
  ...FORMAT,
  skip_unavailable_shards: '0',
  select_sequential_consistency: '1',
  cancel_http_readonly_queries_on_client_close: '1',
  // The text of a query can contain the ids of thousands of changed entities.
  max_query_size: '10000000',
  // Compiled code does not compare texts faster, and compiling delays the first searches.
  compile_expressions: '0',
  compile_aggregate_expressions: '0',
  compile_sort_description: '0',
} as const;

/** An insert returns when all shards have stored the rows, and in each shard the majority of its replicas. */
const WRITING = {
  async_insert: '0',
  distributed_foreground_insert: '1',
  insert_quorum: 'auto',
  insert_quorum_parallel: '0',
  // ClickHouse counts a replica that was just killed as live. After a minute the publication fails and is repeated.
  insert_quorum_timeout: '60000',
} as const;

/** Sends SQL over HTTP. All errors are `service_unavailable` with the reason as their cause, and do not contain user name and password. */
export function openConnection(place: ClickhousePlace) {
  const { hosts, user, password, database } = place;
  const pools = hosts.map((host) => new Pool(host, { connections: 64, ...TIMEOUTS }));
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  /** The node that requests try first. When a node does not answer, the next node is preferred. */
  let preferred = 0;

  async function send(node: number, settings: Settings, body: string, signal: AbortSignal): Promise<string> {
    const path = `/?${new URLSearchParams({ database, wait_end_of_query: '1', ...settings })}`;
    const reply = await pools[node]?.request({ method: 'POST', path, headers: { authorization }, body, signal });
    const text = (await reply?.body.text()) ?? '';
    const code = Number(reply?.headers['x-clickhouse-exception-code'] ?? 0);
    if (code === 0 && Math.floor((reply?.statusCode ?? 0) / 100) === 2) return text;
    if (REFUSED.includes(code)) throw new ClickhouseError(code, 'ClickHouse refused the user name or password');
    throw new ClickhouseError(code, text.trim().slice(0, 1_000) || 'the node sent an error without a message');
  }

  /** Tries the nodes in turn until one can be reached. */
  async function sendToAny(settings: Settings, body: string, signal: AbortSignal, mayRepeat = isNotSent) {
    for (let tried = 1; ; tried++) {
      const node = preferred;
      try {
        return await send(node, settings, body, signal);
      } catch (error) {
        if (error instanceof ClickhouseError) throw unavailable(error);
        if (node === preferred) preferred = (node + 1) % hosts.length;
        if (signal.aborted || tried >= hosts.length || !mayRepeat(error)) throw unavailable(error);
      }
    }
  }

  return {
    place,
    /** Returns the rows of a SELECT as arrays. If a node cannot be reached, the next node is tried. */
    async read<Row extends readonly unknown[]>(sql: string, deadline: Deadline = Number.POSITIVE_INFINITY) {
      const ms = Math.max(1, Math.min(MAX_STATEMENT_MS, millisecondsLeft(deadline)));
      const signal = AbortSignal.timeout(Math.ceil(ms));
      const settings = { ...READING, max_execution_time: String(ms / 1000) };
      const text = await sendToAny(settings, sql, signal, () => true).catch((error: unknown) => {
        const isLate = signal.aborted || readAnswer(error)?.code === TIMEOUT;
        throw isLate ? fail('service_unavailable', { ...TOO_SLOW, cause: error }) : error;
      });
      return readRows<Row>(text);
    },
    /** Inserts rows, one JSON array per line. An insert is never repeated: after an error, the rows may be stored or not. */
    async insert(table: string, lines: string, signal: AbortSignal): Promise<void> {
      const query = `INSERT INTO ${table} FORMAT JSONCompactEachRow`;
      await sendToAny({ ...WRITING, query }, lines, AbortSignal.any([signal, AbortSignal.timeout(MAX_STATEMENT_MS)]));
    },
    /** Runs a statement on every node, one after the other, and returns the rows of each node. The database need not exist. */
    async runEverywhere<Row extends readonly unknown[]>(sql: string): Promise<Row[][]> {
      const rows: Row[][] = [];
      for (const node of hosts.keys()) {
        const sent = send(node, { ...FORMAT, database: 'system' }, sql, AbortSignal.timeout(MAX_STATEMENT_MS));
        rows.push(readRows<Row>(await sent.catch((error: unknown) => Promise.reject(unavailable(error)))));
      }
      return rows;
    },
    async close(): Promise<void> {
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}

function readRows<Row>(text: string): Row[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]));
}

const isNotSent = (error: unknown) =>
  ['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'ENOTFOUND'].includes(String((error as { code?: unknown }).code));

/** The error for clients. Only the log contains the cause. */
export function unavailable(cause: unknown): Failure {
  const message = 'A part of the search index cannot be reached: try again shortly.';
  return fail('service_unavailable', { message, cause, retryAfter: 1 });
}

/** The error that ClickHouse answered; undefined if no answer came. */
const readAnswer = (error: unknown) =>
  error instanceof Failure && error.cause instanceof ClickhouseError ? error.cause : undefined;

/** A node that was replaced by an empty node must not make totals too small. Throws the error of a lost table, so that the table is rebuilt. */
export function requireRows(found = 0, published: number): void {
  if (found >= published) return;
  throw unavailable(new ClickhouseError(UNKNOWN_TABLE, `ClickHouse has only ${found} of ${published} rows`));
}

/** Whether a node has lost its table, which is then rebuilt. A node that cannot be reached may still have its table. */
export function isLostTable(error: unknown): boolean {
  const { code = 0, message = '' } = readAnswer(error) ?? {};
  // Another node reports a lost table only in the text of its error.
  return [UNKNOWN_TABLE, UNKNOWN_DATABASE].includes(code) || /There is no table/.test(message);
}

/** Writes a text as a string literal of SQL. */
export const quote = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
