import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, fail } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { parseVersion } from '../../core/version.ts';
import { createLease } from '../../db/lease.ts';
import { readVersion } from '../../db/version.ts';
import { RebuildNeeded } from '../memory/update/rebuild-needed.ts';
import { type IndexFigures, NOT_READY } from '../search.ts';
import { LostRows, requireRows } from './answer.ts';
import { readCode, UNKNOWN_DATABASE, UNKNOWN_TABLE } from './connection.ts';
import { type Progress, type PublishOptions, type PublishResult, publishAll, publishChanges } from './publication.ts';
import { writeCountRows } from './query.ts';
import { LAYOUT, requireVersion } from './schema.ts';
import { type Published, readPublished } from './store.ts';

export interface FollowingOptions extends Omit<PublishOptions, 'signal' | 'onProgress'> {
  readonly log: Log;
  /** Whether this thread may publish. */
  readonly publishes: boolean;
  readonly pollMs?: number | undefined;
  /** How long a check of ClickHouse may take. */
  readonly checkMs?: number | undefined;
}

const POLL_MS = 250;
const RETRY_MS = 1_000;
/** How often ClickHouse is checked while nothing changes. */
const CHECK_INTERVAL_MS = 1_000;
const CHECK_MS = 2_000;
/** A table with more rows than this per entity is rebuilt: every search reads all of them. */
const MAX_ROWS_PER_ENTITY = 1.5;
const MIN_FOLDED = 100_000;

/**
 * Knows what is published in ClickHouse and whether it can be searched. In the thread that supervises a server it also
 * publishes what imports have changed, under a lease: one server of a cluster does it at a time.
 */
export function createFollowing(options: FollowingOptions) {
  const { registryDb, accountsDb, connection, log, publishes, pollMs = POLL_MS, checkMs = CHECK_MS } = options;
  const stop = new AbortController();
  const lease = createLease({ db: accountsDb, name: `search index ${LAYOUT}` });
  const seconds: IndexFigures['seconds'] = {};
  let latest: Published | undefined;
  let problem: unknown;
  let checkedAt = Number.NEGATIVE_INFINITY;
  /** The generation of the registry. */
  let stored = 0;
  let turn: Promise<unknown> = Promise.resolve();
  let watching: Promise<void> | undefined;

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  }

  /** Runs work that publishes, if no other process does. */
  const publishing = (work: (signal: AbortSignal) => Promise<void>) =>
    lease.hold((signal) => work(AbortSignal.any([signal, stop.signal])));

  /** Reads what is published and checks that ClickHouse has it. Throws if it cannot be searched. */
  async function look(): Promise<void> {
    const published = await readPublished(accountsDb);
    const isKnown = published?.publication === latest?.publication && problem === undefined;
    if (!isKnown || performance.now() - checkedAt >= CHECK_INTERVAL_MS) {
      try {
        await check(published);
        problem = undefined;
      } catch (error) {
        problem = error;
        throw error;
      } finally {
        checkedAt = performance.now();
      }
    }
    latest = published;
  }

  /** Any node answers for all shards: searches do not need all replicas. */
  async function check(published: Published | undefined): Promise<void> {
    const rows = published === undefined ? '0' : `(${writeCountRows(published.build)})`;
    const sql = `SELECT version(), ${rows}`;
    const [row] = await connection.read<[version: string, rows: number]>(sql, performance.now() + checkMs);
    requireVersion(row?.[0], options.minVersion);
    if (published !== undefined) requireRows(published, row?.[1]);
  }

  async function bringUpToDate(mayRebuild: boolean): Promise<void> {
    let isLost = false;
    await look().catch((error: unknown) => {
      isLost = isLostTable(error);
      if (!isLost || !publishes) throw error;
    });
    const version = await readVersion(registryDb);
    stored = parseVersion(version).generation;
    if (!publishes || (latest?.version === version && !isLost && !isGrown(latest))) return;
    if (await publishing((signal) => publishNext(signal, mayRebuild, isLost))) await look();
  }

  async function publishNext(signal: AbortSignal, mayRebuild: boolean, isLost: boolean): Promise<void> {
    const previous = await readPublished(accountsDb);
    try {
      if (previous === undefined) throw new RebuildNeeded('there is no index');
      if (isLost) throw new RebuildNeeded('its table is missing');
      if (isGrown(previous)) throw new RebuildNeeded('it has too many rows of the past');
      if (previous.version === (await readVersion(registryDb))) return;
      const result = await publishChanges(previous, { ...options, signal });
      report('update', 'search index updated', result);
    } catch (error) {
      if (!(error instanceof RebuildNeeded)) throw error;
      if (mayRebuild || previous === undefined || isLost) await publishAgain(signal, error.message);
    }
  }

  async function publishAgain(signal: AbortSignal, reason: string, onProgress?: (progress: Progress) => void) {
    log.info({ reason }, 'building the search index in ClickHouse');
    report('build', 'search index built', await publishAll({ ...options, signal, onProgress }), { reason });
  }

  function report(work: 'build' | 'update', message: string, result: PublishResult, fields = {}): void {
    if (result === undefined) return;
    const { version, rows, entities, changed } = result;
    seconds[work] = result.seconds;
    log.info(
      { version, rows, entities, changed, seconds: Math.round(result.seconds * 1000) / 1000, ...fields },
      message,
    );
  }

  async function watch(): Promise<void> {
    let complained = false;
    while (!stop.signal.aborted) {
      let pauseMs = pollMs;
      try {
        await inTurn(() => bringUpToDate(true));
        if (complained) log.info('the search index follows the data again');
        complained = false;
      } catch (error) {
        pauseMs = Math.max(pollMs, Math.min(RETRY_MS, pollMs * 4));
        if (!complained && !stop.signal.aborted)
          log.warn({ err: error }, 'cannot follow the search index: trying again');
        complained = true;
      }
      await sleep(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  return {
    /** What is searched now. Throws `service_unavailable` if there is nothing. */
    current(): Published {
      if (latest === undefined) throw fail('service_unavailable', { ...NOT_READY, cause: problem });
      return latest;
    },
    /** Throws why a search would fail. */
    requireHealthy(): void {
      if (problem !== undefined) throw problem;
    },
    isReady: () => latest !== undefined,
    /** Brings the published data up to date. If there is some, a rebuild is left to the time after `start`. */
    async refresh(): Promise<void> {
      await inTurn(() => bringUpToDate(false));
      if (latest === undefined) throw fail('service_unavailable', NOT_READY);
    },
    /** Publishes all entities again, if no other process is publishing. Returns whether it did. */
    rebuild: (onProgress: (progress: Progress) => void): Promise<boolean> =>
      inTurn(async () => {
        const isOurs = await publishing((signal) => publishAgain(signal, 'it was asked for', onProgress));
        if (isOurs) await look();
        return isOurs;
      }),
    start(): void {
      watching ??= watch();
    },
    readFigures(): IndexFigures | undefined {
      if (latest === undefined) return undefined;
      const { version, entities, rows } = latest;
      const behind = Math.max(0, stored - parseVersion(version).generation);
      return { version, entities, overlayDocuments: rows - entities, segments: 0, bytes: 0, behind, seconds };
    },
    async close(): Promise<void> {
      stop.abort();
      await watching;
      await turn;
    },
  };
}

/** A node that has lost its table gets a new one. A node that cannot be reached may still have it. */
function isLostTable(error: unknown): boolean {
  const isLost = error instanceof Failure && error.cause instanceof LostRows;
  return isLost || [UNKNOWN_TABLE, UNKNOWN_DATABASE].includes(readCode(error) ?? 0);
}

function isGrown({ rows, entities }: Published): boolean {
  return rows > entities * MAX_ROWS_PER_ENTITY + MIN_FOLDED;
}
