import { setTimeout as sleep } from 'node:timers/promises';
import { deriveSummary, parseActivities } from '../classifications/activities.ts';
import { toSummary } from '../core/entity-summary.ts';
import { fail } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { describeVersion } from '../core/version.ts';
import type { Db } from '../db/db.ts';
import { isStopped } from '../db/postgres.ts';
import { readVersion } from '../db/version.ts';
import { chooseTurnLimits, createAccountTurns } from '../system/account-turns.ts';
import type { Deadline } from '../system/deadline.ts';
import type { Choices } from './choices.ts';
import { countFacets } from './count-facets.ts';
import { toFacet } from './form-counts.ts';
import { ACTIVITIES, prepareIndexes } from './postgres-indexes.ts';
import { countIsic } from './postgres-isic.ts';
import { createPostgresCandidates } from './postgres-match.ts';
import {
  type FacetRow,
  type FoundRow,
  type Statement,
  writeFacets,
  writeIndustries,
  writeStatement,
} from './postgres-query.ts';
import { countWholeResults, createWholeReader } from './postgres-whole.ts';
import { NOT_READY, renderMeta, type Search, type SearchQuery, TOO_SLOW } from './search.ts';
import { type CountByCountry, readChoices } from './sql-choices.ts';
import { estimateEntities, keepPerVersion } from './store.ts';

/**
 * The engine for data larger than memory: a query as SQL, with indexes that only this engine needs and therefore
 * creates itself (`postgres-indexes.ts`). One statement returns version, total and page, so that they come from one
 * snapshot. Timings in this file were measured with 960,000 entities of GB, NO and MD on PostgreSQL 18 and two cores.
 */
export function createPostgresSearch(db: Db, log: Log, connections = 10): Search {
  const turns = createAccountTurns(chooseTurnLimits(connections));
  const readWhole = createWholeReader(db, connections);
  const stop = new AbortController();
  let ready = false;
  let starting: Promise<void> | undefined;
  let preparing: Promise<void> | undefined;
  // Counting reads the whole table.
  const choices = keepPerVersion(
    () => readVersion(db),
    () => countChoices(db),
    (error) => {
      log.warn({ err: error }, 'cannot count the values of the search filters');
    },
  );

  function prepare(): Promise<void> {
    preparing ??= prepareIndexes(db, log, stop.signal)
      .then(async () => {
        ready = !stop.signal.aborted;
        await warnIfLarge();
      })
      .finally(() => {
        preparing = undefined;
      });
    return preparing;
  }

  /** Once: `prepare` is called again only after a failure. */
  async function warnIfLarge(): Promise<void> {
    const entities = await estimateEntities(db);
    if (entities > MAX_ENTITIES) log.warn({ entities }, TOO_LARGE);
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

  async function read<Row extends object>(
    { sql, params }: Statement,
    account: string,
    deadline: Deadline,
    explain = explainStop,
  ): Promise<Row[]> {
    // Stopped a little earlier than the request times out, so that the client learns the reason.
    const stopAt = deadline - STOP_MS;
    const run = async () =>
      db.transaction(
        async (tx) => {
          await tx.script(PLAN_BY_VALUES);
          return tx.all<Row>(sql, params);
        },
        { deadline: stopAt },
      );
    return turns.run(account, stopAt, run).catch(explain);
  }

  async function countIndustries(query: SearchQuery, account: string, deadline: Deadline) {
    const rows = await read<FacetRow>(writeIndustries(query, MAX_CLASSIFIED + 1), account, deadline);
    const isWhole = rows.every(({ value, entities }) => value !== null || entities <= MAX_CLASSIFIED);
    return isWhole
      ? toFacet(
          'isic',
          rows.map(({ value, entities }) => [value, entities]),
        )
      : undefined;
  }

  const candidates = createPostgresCandidates(db, (sql, params, account, deadline) =>
    read({ sql, params }, account, deadline, explainStoppedMatch),
  );

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
      const rows = await read<FoundRow>(writeStatement(query), account, deadline);
      const { generation = 0, published_at = null, total = 0 } = rows[0] ?? {};
      const data = rows.flatMap((row) =>
        row.id === null ? [] : toSummary(row, deriveSummary(parseActivities(row.activities), row)),
      );
      const body = Buffer.from(`{"data":${JSON.stringify(data)},"meta":${renderMeta(query, total)}}`);
      return { version: describeVersion(generation, published_at), total, body };
    },
    maxWholeResults: countWholeResults(connections),
    async readAll(query, use, account = '', deadline = Number.POSITIVE_INFINITY) {
      requireIndexes();
      return readWhole(query, use, account, deadline - STOP_MS).catch(explainStop);
    },
    candidates: {
      async find(asked, requester) {
        requireIndexes();
        return candidates.find(asked, requester);
      },
    },
    async countFacets(query, account = '', deadline = Number.POSITIVE_INFINITY) {
      requireIndexes();
      return countFacets(query, async (of, names) => {
        const stored = names.filter((name) => name !== 'isic');
        const rows =
          stored.length === 0 ? [] : await read<FacetRow>(writeFacets(of, stored, MAX_COUNTED + 1), account, deadline);
        const byName = stored.map((name) => [name, rows.filter((row) => row.name === name)] as const);
        const total = byName[0]?.[1].reduce((sum, { entities }) => sum + entities, 0) ?? 0;
        if (total > MAX_COUNTED) return undefined;
        const facets = byName.map(([name, counted]) => [
          name,
          toFacet(
            name,
            counted.map(({ value, entities }) => [value, entities]),
          ),
        ]);
        const isCounted = names.includes('isic') && total <= MAX_CLASSIFIED;
        const isic = isCounted ? await countIndustries(of, account, deadline) : undefined;
        return { ...Object.fromEntries(facets), ...(isic !== undefined && { isic }) };
      });
    },
    listChoices: () => choices.read(),
    async close() {
      stop.abort();
      await choices.close();
      await starting;
      await preparing?.catch(() => undefined);
    },
  };
}

const RETRY_MS = 1_000;
const STOP_MS = 150;
/** A common fragment takes one second of processor time per 1 to 1.5 million entities, which is all that a request has. */
const MAX_ENTITIES = 1_500_000;
const TOO_LARGE =
  'SEARCH_ENGINE=postgres is too slow for so many companies: searches for common fragments will be stopped. Use memory or clickhouse';
/** The values of filters are counted in so many results. Reading more takes longer than the search itself. */
const MAX_COUNTED = 10_000;
/** Finding the industries of a result reads its whole record. */
const MAX_CLASSIFIED = 200;

const explainStop = explainAs(TOO_SLOW.message);
const explainStoppedMatch = explainAs('This name takes too long to match: add a country, or leave common words out.');

function explainAs(message: string): (cause: unknown) => never {
  return (cause) => {
    if (!isStopped(cause)) throw cause;
    throw fail('service_unavailable', { message, retryAfter: 1, cause });
  };
}

/**
 * From its sixth execution on, a prepared statement may get a generic plan, which ignores the values of its parameters.
 * Without the page size, the first page of everything took 1.1 s instead of 0.05 s; without the fragment, PostgreSQL
 * looks up a common one such as 'limited' as if it were rare. Planning each time takes 1 ms, and the extra round trips
 * less. JIT compilation never pays off for a single execution.
 */
const PLAN_BY_VALUES = 'SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL jit = off';

async function countChoices(db: Db): Promise<Choices> {
  const isic = await countIsic(db);
  return db.transaction(
    (tx) => {
      const count: CountByCountry = (expression) =>
        tx.all(
          `SELECT country_code AS country, ${expression} AS value, count(*) AS entities FROM entities GROUP BY 1, 2`,
        );
      return readChoices(count, `unnest(${ACTIVITIES})`, isic);
    },
    { patient: true },
  );
}
