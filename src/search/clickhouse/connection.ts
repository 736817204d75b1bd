import { Pool } from 'undici';
import { Failure, fail } from '../../base/errors.ts';
import { type Deadline, millisecondsLeft } from '../../base/system/deadline.ts';
import { TOO_SLOW } from '../search.ts';

/** Where ClickHouse is, as CLICKHOUSE_URL says. */
export interface ClickhousePlace {
  /** One address per node, such as `https://node1:8443`. */
  readonly hosts: readonly string[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export type Connection = ReturnType<typeof openConnection>;

/** What ClickHouse answered. The numbers are those of its source, `src/Common/ErrorCodes.cpp`. */
class ClickhouseError extends Error {
  override name = 'ClickhouseError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const [UNKNOWN_TABLE, UNKNOWN_DATABASE, TIMEOUT] = [60, 81, 159];
/** Wrong password, unknown user, or a user without a password that needs one. */
const REFUSED = [192, 193, 194, 516];

/** For statements without a deadline: migrations and publications. */
const MAX_STATEMENT_MS = 600_000;
/** Nodes close idle connections after 10 or 30 s. Ours are closed before that, because an insert that is sent just then fails. */
const TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0, keepAliveMaxTimeout: 3_000, connect: { timeout: 1_000 } };

type Settings = Readonly<Record<string, string>>;
const FORMAT = { default_format: 'JSONCompactEachRow', output_format_json_quote_64bit_integers: '0' } as const;

/** A search is complete or fails: no shard is left out, and no replica that lacks a published row answers. */
const READING = {
  ...FORMAT,
  skip_unavailable_shards: '0',
  select_sequential_consistency: '1',
  cancel_http_readonly_queries_on_client_close: '1',
  // The ids of changed entities are part of the text.
  max_query_size: '10000000',
  // The conditions compare texts, for which compiled code is not faster, and compiling delays the first searches.
  compile_expressions: '0',
  compile_aggregate_expressions: '0',
  compile_sort_description: '0',
} as const;

/** An insert returns when all shards have the rows, and on replicas a majority. */
const WRITING = {
  async_insert: '0',
  distributed_foreground_insert: '1',
  insert_quorum: 'auto',
  insert_quorum_parallel: '0',
  // After a minute the publication fails and is repeated. ClickHouse counts a replica that was just killed as live.
  insert_quorum_timeout: '60000',
} as const;

/** Sends SQL over HTTP. All errors are `service_unavailable`, with the reason as cause, and without user name and password. */
export function openConnection(place: ClickhousePlace) {
  const { hosts, user, password, database } = place;
  const pools = hosts.map((host) => new Pool(host, { connections: 64, ...TIMEOUTS }));
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  /** Requests start with this node. It changes when the node does not answer. */
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

  /** Tries the nodes in turn, as long as they cannot be reached. */
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
    /** Returns the rows of a SELECT as arrays. If a node cannot be reached, the next one is asked. */
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
    /** Inserts rows, one JSON array per line. Never sent twice: after an error, it may have happened or not. */
    async insert(table: string, lines: string, signal: AbortSignal): Promise<void> {
      const query = `INSERT INTO ${table} FORMAT JSONCompactEachRow`;
      await sendToAny({ ...WRITING, query }, lines, AbortSignal.any([signal, AbortSignal.timeout(MAX_STATEMENT_MS)]));
    },
    /** Runs a statement on every node, one after the other, and returns the rows of each. The database need not exist. */
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

/** For clients. The log has the cause. */
export function unavailable(cause: unknown): Failure {
  const message = 'A part of the search index cannot be reached: try again shortly.';
  return fail('service_unavailable', { message, cause, retryAfter: 1 });
}

/** What ClickHouse answered, if the error is an answer. */
const readAnswer = (error: unknown) =>
  error instanceof Failure && error.cause instanceof ClickhouseError ? error.cause : undefined;

/** A node that was replaced by an empty one must not make totals too small. The error is that of a lost table: it is built again. */
export function requireRows(found = 0, published: number): void {
  if (found >= published) return;
  throw unavailable(new ClickhouseError(UNKNOWN_TABLE, `ClickHouse has only ${found} of ${published} rows`));
}

/** A node that has lost its table gets a new one. A node that cannot be reached may still have it. */
export function isLostTable(error: unknown): boolean {
  const { code = 0, message = '' } = readAnswer(error) ?? {};
  // The text is what another node says about it.
  return [UNKNOWN_TABLE, UNKNOWN_DATABASE].includes(code) || /There is no table/.test(message);
}

/** As the quoted text of a statement. */
export const quote = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
