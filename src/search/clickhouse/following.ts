import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, fail } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { parseVersion } from '../../core/version.ts';
import type { Db } from '../../db/db.ts';
import { createLease } from '../../db/lease.ts';
import { readVersion } from '../../db/version.ts';
import { RebuildNeeded } from '../memory/update/rebuild-needed.ts';
import { type IndexFigures, NOT_READY } from '../search.ts';
import { LostRows, requireRows } from './answer.ts';
import { type Connection, readCode, UNKNOWN_DATABASE, UNKNOWN_TABLE } from './connection.ts';
import { type Progress, type PublishOptions, publishAll, publishChanges } from './publication.ts';
import { writeCountRows } from './query.ts';
import { checkVersion, LAYOUT } from './schema.ts';
import { type Published, readPublished } from './store.ts';

/**
 * Knows what is published in ClickHouse and whether it can be searched. In the thread that supervises a server it also
 * publishes what imports have changed, under a lease: one server of a cluster does it at a time.
 */
export interface Following {
  /** What is searched now. Throws `service_unavailable` if there is nothing. */
  current(): Published;
  /** Throws why a search would fail. */
  requireHealthy(): void;
  isReady(): boolean;
  /** Brings the published data up to date. If there is some, a rebuild is left to the time after `start`. */
  refresh(): Promise<void>;
  /** Publishes all entities again, if no other process is publishing. Returns whether it did. */
  rebuild(onProgress: (progress: Progress) => void): Promise<boolean>;
  start(): void;
  readFigures(): IndexFigures | undefined;
  close(): Promise<void>;
}

export interface FollowingOptions extends Pick<PublishOptions, 'bucketSize' | 'beforePublish' | 'minVersion'> {
  readonly registryDb: Db;
  readonly accountsDb: Db;
  readonly connection: Connection;
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

export function createFollowing(options: FollowingOptions): Following {
  const { registryDb, accountsDb, connection, log, publishes, pollMs = POLL_MS, checkMs = CHECK_MS } = options;
  const stop = new AbortController();
  const lease = createLease({ db: accountsDb, name: `search index ${LAYOUT}` });
  const seconds: IndexFigures['seconds'] = {};
  let latest: Published | undefined;
  let problem: unknown;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let isChecked = false;
  /** The generation of the registry. */
  let stored = 0;
  let turn: Promise<unknown> = Promise.resolve();
  let watching: Promise<void> | undefined;

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  }

  /** Reads what is published and checks that ClickHouse has it. Throws if it cannot be searched. */
  async function look(): Promise<void> {
    const published = await readPublished(accountsDb);
    const isNew = published?.publication !== latest?.publication;
    if (isNew || problem !== undefined || performance.now() - checkedAt >= CHECK_INTERVAL_MS) {
      try {
        if (!isChecked) await checkVersion(connection, options.minVersion);
        isChecked = true;
        if (published !== undefined) await checkTable(published);
        problem = undefined;
      } catch (error) {
        isChecked = false;
        problem = error;
        throw error;
      } finally {
        checkedAt = performance.now();
      }
    }
    latest = published;
  }

  async function checkTable(published: Published): Promise<void> {
    const sql = writeCountRows(published.build);
    const [row] = await connection.read<[rows: number]>(sql, performance.now() + checkMs);
    requireRows(published, row?.[0] ?? 0);
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
    const reason = isLost ? 'its table is missing' : undefined;
    const isOurs = await lease.hold((signal) =>
      publishNext(AbortSignal.any([signal, stop.signal]), mayRebuild, reason),
    );
    if (isOurs) await look();
  }

  async function publishNext(signal: AbortSignal, mayRebuild: boolean, lost?: string): Promise<void> {
    const previous = await readPublished(accountsDb);
    const task = { ...options, signal };
    try {
      if (previous === undefined) throw new RebuildNeeded('there is no index');
      if (lost !== undefined) throw new RebuildNeeded(lost);
      if (isGrown(previous)) throw new RebuildNeeded('it has too many rows of the past');
      if (previous.version === (await readVersion(registryDb))) return;
      const result = await publishChanges(previous, task);
      if (result === undefined) return;
      seconds.update = result.seconds;
      log.info(describe(result), 'search index updated');
    } catch (error) {
      if (!(error instanceof RebuildNeeded)) throw error;
      if (mayRebuild || previous === undefined || lost !== undefined) await publishAgain(signal, error.message);
    }
  }

  async function publishAgain(signal: AbortSignal, reason: string, onProgress?: (progress: Progress) => void) {
    log.info({ reason }, 'building the search index in ClickHouse');
    const result = await publishAll({ ...options, signal, ...(onProgress && { onProgress }) });
    if (result === undefined) return;
    seconds.build = result.seconds;
    log.info({ ...describe(result), reason }, 'search index built');
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
    current() {
      if (latest === undefined) throw fail('service_unavailable', { ...NOT_READY, cause: problem });
      return latest;
    },
    requireHealthy() {
      if (problem !== undefined) throw problem;
    },
    isReady: () => latest !== undefined,
    async refresh() {
      await inTurn(() => bringUpToDate(false));
      if (latest === undefined) throw fail('service_unavailable', NOT_READY);
    },
    rebuild: (onProgress) =>
      inTurn(() =>
        lease.hold((signal) => publishAgain(AbortSignal.any([signal, stop.signal]), 'it was asked for', onProgress)),
      ),
    start() {
      watching ??= watch();
    },
    readFigures() {
      if (latest === undefined) return undefined;
      const { version, entities, rows } = latest;
      const behind = Math.max(0, stored - parseVersion(version).generation);
      return { version, entities, overlayDocuments: rows - entities, segments: 0, bytes: 0, behind, seconds };
    },
    async close() {
      stop.abort();
      await watching;
      await turn;
    },
  };
}

/** A node that has lost its table gets a new one. A node that cannot be reached may still have it. */
function isLostTable(error: unknown): boolean {
  const code = readCode(error);
  return (
    code === UNKNOWN_TABLE || code === UNKNOWN_DATABASE || (error instanceof Failure && error.cause instanceof LostRows)
  );
}

function isGrown({ rows, entities }: Published): boolean {
  return rows > entities * MAX_ROWS_PER_ENTITY + MIN_FOLDED;
}

function describe({ version, rows, entities, changed, seconds }: NonNullable<Awaited<ReturnType<typeof publishAll>>>) {
  return { version, rows, entities, changed, seconds: Math.round(seconds * 1000) / 1000 };
}
