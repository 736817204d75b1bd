import { setTimeout as sleep } from 'node:timers/promises';
import { type StoredSummary, summaryFields, summaryNames, toSummary } from '../core/entity-summary.ts';
import { fail } from '../core/errors.ts';
import { fold } from '../core/fold.ts';
import type { Log } from '../core/log.ts';
import { findActivityKeys, readNumberFragment } from '../core/search-keys.ts';
import { describeVersion } from '../core/version.ts';
import type { Db, Value } from '../db/db.ts';
import { isStopped } from '../db/postgres.ts';
import { readVersion } from '../db/version.ts';
import { readVatNumber } from '../registers/vat-numbers.ts';
import { arrangeChoices, type Choices, type CountedValue, countedFields } from './choices.ts';
import { ACTIVITIES, ORDER, ORDERED_PART, OVERSIZED_PART, prepareIndexes } from './postgres-indexes.ts';
import { NOT_READY, renderMeta, type Search, type SearchQuery } from './search.ts';
import { chooseTurnLimits, createTurns } from './turns.ts';

/**
 * The engine for data larger than memory: a query as SQL, with indexes that only this engine needs and therefore
 * creates itself (`postgres-indexes.ts`). One statement returns version, total and page, so that they come from one
 * snapshot. Timings in this file were measured with 960,000 entities of GB, NO and MD on PostgreSQL 18 and two cores.
 */
export function createPostgresSearch(db: Db, log: Log, connections = 10): Search {
  const turns = createTurns(chooseTurnLimits(connections));
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
        if (!stop.signal.aborted) log.warn({ err: error }, 'search is not ready: trying again');
      });
      if (!ready) await sleep(RETRY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  /** Without its indexes, a single search could keep a large database busy for minutes. */
  function requireIndexes(): void {
    if (!ready) throw fail('service_unavailable', NOT_READY);
  }

  /**
   * Counting reads the whole table, so it runs once per version of the data; callers meanwhile get the previous counts.
   */
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
      requireIndexes();
      return readVersion(db);
    },
    async find(query, account = '', deadline = Number.POSITIVE_INFINITY) {
      requireIndexes();
      const { sql, params } = writeStatement(query);
      // Stopped a little earlier than the request times out, so that the client learns the reason.
      const stopAt = deadline - STOP_MS;
      const read = async () =>
        db.transaction(
          async (tx) => {
            await tx.script(PLAN_BY_VALUES);
            return tx.all<FoundRow>(sql, params);
          },
          { deadline: stopAt },
        );
      const rows = await turns.run(account, stopAt, read).catch((error: unknown) => {
        throw isStopped(error) ? fail('service_unavailable', { ...TOO_SLOW, cause: error }) : error;
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
      next.catch((error: unknown) => log.warn({ err: error }, 'cannot count the values of the search filters'));
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

const RETRY_MS = 1_000;
const STOP_MS = 150;

const TOO_SLOW = {
  message: 'This search takes too long: use a longer or rarer q, more filters or an earlier page.',
  retryAfter: 1,
} as const;

/**
 * From its sixth execution on, a prepared statement may get a generic plan, which ignores the values of its parameters.
 * Without the page size, the first page of everything took 1.1 s instead of 0.05 s; without the fragment, PostgreSQL
 * looks up a common one such as 'limited' as if it were rare. Planning each time takes 1 ms, and the extra round trips
 * less. JIT compilation never pays off for a single execution.
 */
const PLAN_BY_VALUES = 'SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL jit = off';

/** An empty page is one row in which every field of the entity is null. */
type FoundRow = (StoredSummary | { readonly id: null }) & {
  readonly generation: number;
  readonly published_at: number | null;
  readonly total: number;
};

const SUMMARY = summaryNames.map((name) => `shown.${summaryFields[name].column} AS "${name}"`).join(', ');

/**
 * There are two ways to answer. What an index narrows down is collected first (`MATERIALIZED`), then counted and
 * sorted; otherwise PostgreSQL, seeing the LIMIT, would rather walk the whole order to look for a rare match.
 * Everything else is read in order, from an index that contains every column it needs, and read again to be counted:
 * collecting it would write most of the table to disk. Entities with the legal form and those with its code are read
 * from two indexes, as separate parts.
 */
export function writeStatement(query: SearchQuery): { readonly sql: string; readonly params: readonly Value[] } {
  const { country, register, status, legalForm, activity, activityType, page, pageSize } = query;
  const text = fold(query.q.toWellFormed());
  const hasTrigram = /[\p{L}\p{N}]{3}/u.test(text);
  const isNarrow = hasTrigram || activity !== undefined;

  const params: Value[] = [];
  const param = (value: Value) => `$${params.push(value)}`;
  const filters: string[] = [];
  if (country !== undefined) filters.push(`country_code = ${param(country)}`);
  if (register !== undefined) filters.push(`register = ${param(register)}`);
  if (status !== undefined) filters.push(`status = ${param(status)}`);
  if (activity !== undefined) {
    const keys = findActivityKeys(activityType, activity).map(param);
    filters.push(`${ACTIVITIES} && ARRAY[${keys.join(', ')}]`);
  }
  if (text !== '') filters.push(writeFragment(text, hasTrigram, param));
  const forms = legalForm === undefined ? ['TRUE'] : writeForms(param(legalForm));

  const parts = [ORDERED_PART, OVERSIZED_PART].flatMap((part) =>
    forms.map(
      (form) => `SELECT id, name_key, canonical_name FROM entities WHERE ${[part, form, ...filters].join(' AND ')}`,
    ),
  );
  // PostgreSQL merges the sorted output of the indexes only if each part has its own ORDER BY.
  const walk = parts.map((part) => `(${part} ORDER BY ${ORDER})`).join(' UNION ALL ');
  const all = [`(${forms.join(' OR ')})`, ...filters].join(' AND ');
  const counted = text === '' && !isNarrow ? `entities WHERE ${all}` : 'matching';
  const offset = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER);

  const sql = `
    WITH matching AS ${isNarrow ? 'MATERIALIZED' : 'NOT MATERIALIZED'} (${parts.join(' UNION ALL ')}),
    page AS MATERIALIZED (
      SELECT id FROM ${isNarrow ? 'matching' : `(${walk})`} AS ordered
      ORDER BY ${ORDER} LIMIT ${param(pageSize)} OFFSET ${param(offset)}
    ),
    shown AS (SELECT entities.* FROM page JOIN entities ON entities.id = page.id)
    SELECT generation, published_at, total, ${SUMMARY}
    FROM generation
    CROSS JOIN (SELECT count(*) AS total FROM ${counted}) AS counted
    LEFT JOIN shown ON TRUE
    WHERE generation.id = 1
    ORDER BY shown.name_key COLLATE "binary", shown.canonical_name COLLATE "binary", shown.id COLLATE "binary"`;
  return { sql, params };
}

/** The entities with this legal form, and those that have it only as a code. No entity is in both. */
function writeForms(form: string): string[] {
  return [`legal_form = ${form}`, `(legal_form_code = ${form} AND legal_form IS DISTINCT FROM ${form})`];
}

function writeFragment(text: string, hasTrigram: boolean, param: (value: Value) => string): string {
  const contains = hasTrigram
    ? (column: string, fragment: string) => `${column} LIKE ${param(toPattern(fragment))}`
    : // Without a trigram to look up, LIKE would read the whole trigram index and then the table.
      (column: string, fragment: string) => `strpos(${column}, ${param(fragment)}) > 0`;
  const number = readNumberFragment(text);
  const inNumber = contains('number_keys', number.text);
  const alternatives = [contains('name_key', text)];
  alternatives.push(number.asWritten ? `${inNumber} AND ${contains(WRITTEN_NUMBERS, number.text)}` : inNumber);
  const vat = readVatNumber(text);
  if (vat !== undefined) {
    const isWhole = `strpos(${SEPARATE_NUMBERS}, chr(10) || ${param(vat.number)} || chr(10)) > 0`;
    alternatives.push(`${contains('number_keys', vat.number)} AND country_code = ${param(vat.country)} AND ${isWhole}`);
  }
  return `(${alternatives.join(' OR ')})`;
}

/** `number_keys` without the numbers that lack their separators; and with a line break around every number. */
const WRITTEN_NUMBERS = "regexp_replace(number_keys, '\\t[^\\n]*', '', 'g')";
const SEPARATE_NUMBERS = 'chr(10) || translate(number_keys, chr(9), chr(10)) || chr(10)';

function toPattern(fragment: string): string {
  return `%${fragment.replace(/[\\%_]/g, '\\$&')}%`;
}

async function readChoices(db: Db): Promise<Choices> {
  return db.transaction(
    async (tx) => {
      const counts: CountedValue[] = [];
      for (const field of countedFields) {
        const { column } = summaryFields[field];
        counts.push(
          ...(await tx.all<CountedValue>(
            `SELECT country_code AS country, '${field}' AS field, ${column} AS value, count(*) AS entities FROM entities
              GROUP BY country_code, ${column}`,
          )),
        );
      }
      const activities = await tx.all<{ country: string; activityKey: string; entities: number }>(
        `SELECT country_code AS country, key AS "activityKey", count(*) AS entities
          FROM entities CROSS JOIN unnest(${ACTIVITIES}) AS key GROUP BY country_code, key`,
      );
      return arrangeChoices([...counts, ...activities]);
    },
    { patient: true },
  );
}
