import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, fail } from '../core/errors.ts';
import { fold } from '../core/fold.ts';
import type { Log } from '../core/log.ts';
import { activityKey, numberFragment } from '../core/search-keys.ts';
import { describeVersion } from '../core/version.ts';
import type { Db, Transaction, Value } from '../db/db.ts';
import { readVersion } from '../db/version.ts';
import { arrangeChoices, type Choices } from './choices.ts';
import { renderMeta, type Search, type SearchQuery } from './search.ts';

/**
 * The engine for data larger than memory: the meaning of a query in SQL, with indexes that only this engine needs and
 * therefore makes itself. One statement gives version, total and page, so that they are of one snapshot. Measured with
 * 960 000 entities of GB, NO and MD on PostgreSQL 18, two cores.
 */
export function createPostgresSearch(db: Db, log: Log): Search {
  const stop = new AbortController();
  let ready = false;
  let starting: Promise<void> | undefined;
  let preparing: Promise<void> | undefined;
  let counted: { readonly version: string; readonly choices: Choices } | undefined;
  let counting: Promise<Choices> | undefined;

  function prepare(): Promise<void> {
    preparing ??= prepareIndexes(db, log, stop.signal)
      .then(() => {
        ready = !stop.signal.aborted;
      })
      .finally(() => {
        preparing = undefined;
      });
    return preparing;
  }

  async function keepPreparing(): Promise<void> {
    while (!ready && !stop.signal.aborted) {
      await prepare().catch((error: unknown) => {
        if (!stop.signal.aborted) log.warn({ err: error }, 'search is not ready');
      });
      if (!ready) await sleep(LOOK_AGAIN_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  /** Without its indexes, a single search could keep a large database busy for minutes. */
  function requireReady(): void {
    if (!ready) throw fail('service_unavailable', { message: NOT_YET, retryAfter: 1 });
  }

  /** Reads the whole table: once for each state of the data, while everybody else is shown the one before. */
  function count(version: string): Promise<Choices> {
    counting ??= readChoices(db)
      .then((choices) => {
        counted = { version, choices };
        return choices;
      })
      .finally(() => {
        counting = undefined;
      });
    return counting;
  }

  return {
    start() {
      starting ??= keepPreparing();
    },
    refresh: prepare,
    isReady: () => ready,
    async version() {
      requireReady();
      return readVersion(db);
    },
    async find(query) {
      requireReady();
      const { sql, params } = writeStatement(query);
      const rows = await db.transaction(async (tx) => {
        await tx.script(PLAN_BY_VALUES);
        return tx.all<FoundRow>(sql, params);
      });
      const { generation = 0, published_at = null, total = 0 } = rows[0] ?? {};
      const data = rows.flatMap((row) => (row.id === null ? [] : toSummary(row)));
      const body = Buffer.from(`{"data":${JSON.stringify(data)},"meta":${renderMeta(query, total)}}`);
      return { version: describeVersion(generation, published_at), body };
    },
    async listChoices() {
      const version = await readVersion(db);
      if (counted?.version === version) return counted.choices;
      const next = count(version);
      if (counted === undefined) return next;
      next.catch((error: unknown) => log.warn({ err: error }, 'the values of the filters could not be counted'));
      return counted.choices;
    },
    async close() {
      stop.abort();
      await counting?.catch(() => undefined);
      await starting;
      await preparing?.catch(() => undefined);
    },
  };
}

const NOT_YET = 'The search indexes are being built: try again shortly.';
const LOOK_AGAIN_MS = 1_000;

/**
 * From its sixth run on, a prepared statement may get a plan that is blind to its values. Blind to the size of a page, it
 * took 1.1 s for the first page of everything instead of 0.05 s; blind to the fragment, it looks up 'limited' like a rare
 * one. Planning afresh takes 1 ms, the extra round trips less. Compiling to machine code never pays for a single run.
 */
const PLAN_BY_VALUES = 'SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL jit = off';

/** A page without entities is one row, with null for all that belongs to an entity. */
interface FoundRow {
  readonly generation: number;
  readonly published_at: number | null;
  readonly total: number;
  readonly id: string | null;
  readonly country_code: string;
  readonly canonical_name: string;
  readonly status: string;
  readonly legal_form: string | null;
  readonly registered_at: string | null;
  readonly updated_at: number;
}

function toSummary(row: FoundRow) {
  return {
    id: row.id,
    countryCode: row.country_code,
    canonicalName: row.canonical_name,
    status: row.status,
    legalForm: row.legal_form,
    registeredAt: row.registered_at,
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}

const ORDER = 'name_key COLLATE "binary", canonical_name COLLATE "binary", id COLLATE "binary"';

/**
 * An entry of a B-tree has at most 2 704 bytes, and one text too long would fail an import. So entities whose texts are
 * longer than any honest name stand apart, outside the indexes that hold the order.
 */
const SIZE =
  'octet_length(name_key) + octet_length(canonical_name) + octet_length(number_keys) + coalesce(octet_length(legal_form), 0)';
const ORDERED_PART = `${SIZE} < 2000`;
const OVERSIZED_PART = `${SIZE} >= 2000`;

const ACTIVITIES = 'string_to_array(activity_keys, chr(10))';

/**
 * Two ways to answer, 24 texts in all. What an index narrows down is put aside (`MATERIALIZED`), counted and sorted: seeing
 * the LIMIT, PostgreSQL would rather walk the whole order in search of what is rare. Everything else is walked in order, in
 * an index that holds all it takes, and once more to be counted: putting it aside would write most of the table to disk.
 */
export function writeStatement(query: SearchQuery): { readonly sql: string; readonly params: readonly Value[] } {
  const { country, legalForm, activity, activityType, page, pageSize } = query;
  const text = fold(query.q.toWellFormed());
  const hasTrigram = /[\p{L}\p{N}]{3}/u.test(text);
  const isNarrow = hasTrigram || activity !== undefined;

  const params: Value[] = [];
  const place = (value: Value) => `$${params.push(value)}`;
  const filters: string[] = [];
  if (country !== undefined) filters.push(`country_code = ${place(country)}`);
  if (legalForm !== undefined) filters.push(`legal_form = ${place(legalForm)}`);
  if (activity !== undefined) filters.push(`${ACTIVITIES} @> ARRAY[${place(activityKey(activityType, activity))}]`);
  if (text !== '') {
    const holds = hasTrigram
      ? (column: string, fragment: string) => `${column} LIKE ${place(toPattern(fragment))}`
      : // Where there is no trigram to look up, LIKE would read the whole trigram index and then the table.
        (column: string, fragment: string) => `strpos(${column}, ${place(fragment)}) > 0`;
    filters.push(`(${holds('name_key', text)} OR ${holds('number_keys', numberFragment(text))})`);
  }

  const where = (conditions: readonly string[]) => (conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '');
  const parts = [ORDERED_PART, OVERSIZED_PART].map(
    (part) => `SELECT id, name_key, canonical_name FROM entities ${where([part, ...filters])}`,
  );
  // PostgreSQL merges the parts as they come from the index only if each is asked for in order.
  const walk = parts.map((part) => `(${part} ORDER BY ${ORDER})`).join(' UNION ALL ');
  const counted = text === '' && !isNarrow ? `entities ${where(filters)}` : 'matching';
  const offset = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER);

  const sql = `
    WITH matching AS ${isNarrow ? 'MATERIALIZED' : 'NOT MATERIALIZED'} (${parts.join(' UNION ALL ')}),
    page AS MATERIALIZED (
      SELECT id FROM ${isNarrow ? 'matching' : `(${walk})`} AS ordered
      ORDER BY ${ORDER} LIMIT ${place(pageSize)} OFFSET ${place(offset)}
    ),
    shown AS (SELECT entities.* FROM page JOIN entities ON entities.id = page.id)
    SELECT generation, published_at, total,
      shown.id, country_code, canonical_name, status, legal_form, registered_at, updated_at
    FROM generation
    CROSS JOIN (SELECT count(*) AS total FROM ${counted}) AS counted
    LEFT JOIN shown ON TRUE
    WHERE generation.id = 1
    ORDER BY name_key COLLATE "binary", canonical_name COLLATE "binary", shown.id COLLATE "binary"`;
  return { sql, params };
}

function toPattern(fragment: string): string {
  return `%${fragment.replace(/[\\%_]/g, '\\$&')}%`;
}

async function readChoices(db: Db): Promise<Choices> {
  return db.transaction(
    async (tx) => {
      const forms = await tx.all<{ country: string; legalForm: string | null; entities: number }>(
        `SELECT country_code AS country, legal_form AS "legalForm", count(*) AS entities FROM entities
          GROUP BY country_code, legal_form`,
      );
      const activities = await tx.all<{ country: string; activityKey: string; entities: number }>(
        `SELECT country_code AS country, key AS "activityKey", count(*) AS entities
          FROM entities CROSS JOIN unnest(${ACTIVITIES}) AS key GROUP BY country_code, key`,
      );
      return arrangeChoices([...forms, ...activities]);
    },
    { patient: true },
  );
}

/**
 * By name; a changed definition needs a new name. `trigrams` is pg_trgm's operator class. `entities_country_form` is for
 * counting: it is a twentieth of the others. `entities_size` finds the oversized and tells the planner how few they are.
 */
const INDEXES: Readonly<Record<string, (trigrams: string) => string>> = {
  entities_order: () => `(${ORDER}) INCLUDE (number_keys) WHERE ${ORDERED_PART}`,
  entities_country_order: () => `(country_code, ${ORDER}) INCLUDE (number_keys) WHERE ${ORDERED_PART}`,
  entities_form_order: () => `(legal_form, ${ORDER}) INCLUDE (number_keys, country_code) WHERE ${ORDERED_PART}`,
  entities_country_form: () => '(country_code, legal_form)',
  entities_size: () => `((${SIZE}))`,
  entities_activities: () => `USING gin (${ACTIVITIES})`,
  entities_name_trigrams: (trigrams) => `USING gin (name_key ${trigrams})`,
  entities_number_trigrams: (trigrams) => `USING gin (number_keys ${trigrams})`,
};

/**
 * One transaction an index, so that a restart loses one at most; of several processes one does it. Imports wait meanwhile,
 * searches do not. Where all indexes exist nothing is written: a replica will do, or a role that may only read.
 */
async function prepareIndexes(db: Db, log: Log, signal: AbortSignal): Promise<void> {
  let built = false;
  while (!signal.aborted) {
    const name = await findMissing(db);
    if (name === undefined) break;
    const isOurs = await db.transaction(
      async (tx) => {
        if (!(await tx.claim('firmament search indexes'))) return false;
        log.info({ index: name }, 'building a search index');
        await cancelOnAbort(db, tx, signal, () => createIndex(tx, name));
        return true;
      },
      { patient: true },
    );
    built ||= isOurs;
    if (!isOurs) await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
  // Without statistics on the indexed expressions the planner takes a third of all entities for oversized.
  if (built && !signal.aborted) await db.transaction((tx) => tx.script('ANALYZE entities'), { patient: true });
}

async function findMissing(db: Db): Promise<string | undefined> {
  const rows = await db.all<{ name: string; valid: number }>(
    `SELECT relname AS name, indisvalid AS valid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE indrelid = 'entities'::regclass`,
  );
  const valid = new Map(rows.map((row) => [row.name, row.valid === 1]));
  const name = Object.keys(INDEXES).find((index) => !valid.get(index));
  if (name === undefined || !valid.has(name)) return name;
  throw new Error(`the index ${name} is not valid: wait until it is built, or drop it`);
}

async function createIndex(tx: Transaction, name: string): Promise<void> {
  const trigrams = `"${await provideTrigrams(tx)}".gin_trgm_ops`;
  const create = tx.script(`CREATE INDEX IF NOT EXISTS ${name} ON entities ${INDEXES[name]?.(trigrams)}`);
  await explained(create, 'start once as the role that owns the tables');
}

/** The schema that holds pg_trgm, which need not be on our search path. Ours gets it if none does. */
async function provideTrigrams(tx: Transaction): Promise<string> {
  const find = () =>
    tx.one<{ schema: string }>(
      `SELECT nspname AS schema FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
        WHERE extname = 'pg_trgm'`,
    );
  const found = await find();
  if (found !== undefined) return found.schema;
  await explained(tx.script('CREATE EXTENSION pg_trgm'), 'have an administrator run CREATE EXTENSION pg_trgm');
  return (await find())?.schema ?? '';
}

async function explained(work: Promise<void>, mend: string): Promise<void> {
  await work.catch((error: unknown) => {
    if (error instanceof Failure) throw error;
    throw new Error(`SEARCH_ENGINE=postgres: ${error instanceof Error ? error.message : error}: ${mend}`, {
      cause: error,
    });
  });
}

/** Building may take minutes, which nobody who stops the service wants to wait for. */
async function cancelOnAbort(db: Db, tx: Transaction, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const backend = await tx.one<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const cancel = () => void db.run('SELECT pg_cancel_backend($1)', [backend?.pid ?? 0]).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    await work();
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
