import { fail } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { parseVersion } from '../../core/version.ts';
import { createLease } from '../../db/lease.ts';
import { readVersion } from '../../db/version.ts';
import { createBackgroundWork } from '../../system/background-work.ts';
import { createOrder } from '../../system/turns.ts';
import { RebuildNeeded } from '../memory/update/rebuild-needed.ts';
import { type IndexFigures, NOT_READY } from '../search.ts';
import { isLostTable, requireRows } from './connection.ts';
import { type OnProgress, type PublishOptions, type PublishResult, publishAll, publishChanges } from './publication.ts';
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

const [POLL_MS, CHECK_MS] = [500, 2_000];
/** A table with more rows than this per entity is rebuilt: every search reads all of them. */
const [MAX_ROWS_PER_ENTITY, MIN_FOLDED] = [1.5, 100_000];
/** The longest pause after a publication that failed. Each attempt may leave rows behind, as on a shard with a full disk beside others. */
const MAX_PAUSE_MS = 30_000;
const NOT_FAILED = { error: undefined as unknown, pauseMs: POLL_MS, until: 0 };

/**
 * Knows what is published in ClickHouse and whether it can be searched. In the thread that supervises a server it also
 * publishes what imports have changed, under a lease: one server of a cluster does it at a time.
 */
export function createFollowing(options: FollowingOptions) {
  const { registryDb, accountsDb, connection, log, publishes, pollMs = POLL_MS, checkMs = CHECK_MS } = options;
  const stop = new AbortController();
  const lease = createLease({ db: accountsDb, name: `search index ${LAYOUT}` });
  const seconds: IndexFigures['seconds'] = {};
  const inTurn = createOrder();
  let latest: Published | undefined;
  let problem: unknown;
  /** The generation of the registry. */
  let stored = 0;
  /** The last publication, if it failed. */
  let failed = NOT_FAILED;

  /** Reads what is published and checks that ClickHouse has it. Any node answers for all shards. Throws if it cannot be searched. */
  async function look(): Promise<void> {
    const published = await readPublished(accountsDb);
    try {
      const sql = `SELECT version(), ${published === undefined ? '0' : writeCountRows(published.build)}`;
      const [row] = await connection.read<[version: string, rows: number]>(sql, performance.now() + checkMs);
      requireVersion(row?.[0]);
      requireRows(row?.[1], published?.rows ?? 0);
      problem = undefined;
    } catch (error) {
      problem = error;
      throw error;
    }
    latest = published;
  }

  async function bringUpToDate(mayRebuild: boolean): Promise<void> {
    const version = await readVersion(registryDb);
    stored = parseVersion(version).generation;
    let isLost = false;
    await look().catch((error: unknown) => {
      isLost = publishes && isLostTable(error);
      if (!isLost) throw error;
    });
    if (!publishes || (latest?.version === version && !isLost && !isGrown(latest))) return;
    if (mayRebuild && performance.now() < failed.until) throw failed.error;
    await publishing((signal) => publishNext(signal, isLost, mayRebuild));
  }

  /** Runs work that publishes, if no other process does. Returns whether it ran. */
  async function publishing(work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    try {
      const isOurs = await lease.hold((signal) => work(AbortSignal.any([signal, stop.signal])));
      failed = NOT_FAILED;
      if (isOurs) await look();
      return isOurs;
    } catch (error) {
      const pauseMs = Math.min(MAX_PAUSE_MS, 2 * failed.pauseMs);
      failed = { error, pauseMs, until: performance.now() + pauseMs };
      throw error;
    }
  }

  async function publishNext(signal: AbortSignal, isLost: boolean, mayRebuild: boolean): Promise<void> {
    const previous = await readPublished(accountsDb);
    try {
      if (previous === undefined) throw new RebuildNeeded('there is no index');
      if (isLost) throw new RebuildNeeded('its table is missing');
      if (isGrown(previous)) throw new RebuildNeeded('it has too many rows of the past');
      if (previous.version === (await readVersion(registryDb))) return;
      await report('update', {}, () => publishChanges(previous, { ...options, signal }));
    } catch (error) {
      if (!(error instanceof RebuildNeeded)) throw error;
      if (mayRebuild || previous === undefined || isLost) await publishAgain(signal, error.message);
    }
  }

  async function publishAgain(signal: AbortSignal, reason: string, onProgress?: OnProgress): Promise<void> {
    log.info({ reason }, 'building the search index in ClickHouse');
    await report('build', { reason }, () => publishAll({ ...options, signal, onProgress }));
  }

  async function report(work: 'build' | 'update', fields: object, run: () => Promise<PublishResult>): Promise<void> {
    const started = performance.now();
    const result = await run();
    if (result === undefined) return;
    const { version, rows, entities, added } = result;
    const took = Math.round(performance.now() - started) / 1000;
    seconds[work] = took;
    const message = work === 'build' ? 'search index built' : 'search index updated';
    log.info({ version, rows, entities, added, seconds: took, ...fields }, message);
  }

  let complained = false;
  const watching = createBackgroundWork(pollMs, async () => {
    try {
      await inTurn(() => bringUpToDate(true));
      if (complained) log.info('the search index follows the data again');
      complained = false;
    } catch (error) {
      if (!complained && !stop.signal.aborted) log.warn({ err: error }, 'cannot follow the search index: trying again');
      complained = true;
    }
  });

  /** What is searched now. Throws `service_unavailable` if there is nothing. */
  function current(): Published {
    if (latest === undefined) throw fail('service_unavailable', { ...NOT_READY, cause: problem });
    return latest;
  }

  return {
    current,
    /** The version of the data that is searched. Throws why a search would fail. */
    version(): string {
      if (problem !== undefined) throw problem;
      return current().version;
    },
    isReady: () => latest !== undefined,
    /** Brings the published data up to date. If there is some, a rebuild is left to the time after `start`. */
    async refresh(): Promise<void> {
      await inTurn(() => bringUpToDate(false));
      if (latest === undefined) throw fail('service_unavailable', NOT_READY);
    },
    /** Publishes all entities again, if no other process is publishing. Returns whether it did. */
    rebuild: (onProgress: OnProgress): Promise<boolean> =>
      inTurn(() => publishing((signal) => publishAgain(signal, 'it was asked for', onProgress))),
    start: () => watching.start(),
    readFigures(): IndexFigures | undefined {
      if (latest === undefined) return undefined;
      const { version, entities, rows } = latest;
      const behind = Math.max(0, stored - parseVersion(version).generation);
      return { version, entities, overlayDocuments: rows - entities, segments: 0, bytes: 0, behind, seconds };
    },
    async close(): Promise<void> {
      stop.abort();
      await watching.stop();
      await inTurn(async () => undefined);
    },
  };
}

const isGrown = ({ rows, entities }: Published) => rows > entities * MAX_ROWS_PER_ENTITY + MIN_FOLDED;
