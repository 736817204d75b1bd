import type { Db, Snapshot } from '../../base/db/db.ts';
import { createLease } from '../../base/db/lease.ts';
import { findVersion } from '../../base/db/version.ts';
import { fail } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { createBackgroundWork } from '../../base/system/background-work.ts';
import { createWorkQueue } from '../../base/system/turns.ts';
import { parseVersion } from '../../base/version.ts';
import { RebuildNeeded, readChangesSince } from '../memory/update/changes.ts';
import { type IndexFigures, NOT_READY } from '../search.ts';
import { dumpEntities, estimateEntities } from '../store.ts';
import { type Connection, isLostTable, requireRows } from './connection.ts';
import { writeCheck, writeCountRows, writeRows } from './query.ts';
import {
  createTables,
  dumpColumns,
  type EntityValues,
  LAYOUT,
  nameTable,
  readDump,
  requireVersion,
  writeLine,
} from './schema.ts';
import { type Published, publish, readPublished, takeNumber } from './store.ts';

export interface FollowingOptions extends Omit<PublishOptions, 'signal' | 'onProgress'> {
  readonly log: Log;
  /** Whether this thread may publish. */
  readonly publishes: boolean;
  readonly pollMs?: number | undefined;
  /** How long a check of ClickHouse may take. */
  readonly checkMs?: number | undefined;
}

const [POLL_MS, CHECK_MS] = [500, 2_000];
/** A table with more rows per entity than this is rebuilt, because every search reads all rows. */
const [MAX_ROWS_PER_ENTITY, MIN_FOLDED] = [1.5, 100_000];
/** The longest pause after a failed publication. Each attempt may leave rows behind, for example if the disk of only one shard is full. */
const MAX_PAUSE_MS = 30_000;
const NOT_FAILED = { error: undefined as unknown, pauseMs: POLL_MS, until: 0 };

/**
 * Tracks what is published in ClickHouse and whether the publication can be searched. In the thread that supervises a server, this also
 * publishes the changes of imports, under a lease: only one server of a cluster publishes at a time.
 */
export function createFollowing(options: FollowingOptions) {
  const { registryDb, accountsDb, connection, log, publishes, pollMs = POLL_MS, checkMs = CHECK_MS } = options;
  const stop = new AbortController();
  const lease = createLease({ db: accountsDb, name: `search index ${LAYOUT}` });
  const seconds: IndexFigures['seconds'] = {};
  const inTurn = createWorkQueue();
  let latest: Published | undefined;
  let problem: unknown;
  /** The generation of the registry. */
  let stored = 0;
  /** The failure of the last publication, or `NOT_FAILED`. */
  let failed = NOT_FAILED;

  /** Reads which publication is the latest and throws unless ClickHouse has its rows. Any node answers for all shards. */
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
    const version = await findVersion(registryDb);
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

  /** Runs work that publishes, unless another process is publishing. Returns whether the work ran. */
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
      if (previous.version === (await findVersion(registryDb))) return;
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

  /** The publication that is searched now. Throws `service_unavailable` if there is none. */
  function current(): Published {
    if (latest === undefined) throw fail('service_unavailable', { ...NOT_READY, cause: problem });
    return latest;
  }

  return {
    current,
    /** The version of the data that is searched. Throws the error with which a search would fail. */
    version(): string {
      if (problem !== undefined) throw problem;
      return current().version;
    },
    isReady: () => latest !== undefined,
    /** Brings the published data up to date. If some data is published, a necessary rebuild waits until after `start`. */
    async refresh(): Promise<void> {
      await inTurn(() => bringUpToDate(false));
      if (latest === undefined) throw fail('service_unavailable', NOT_READY);
    },
    /** Publishes all entities again, unless another process is publishing. Returns whether the entities were published. */
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

/**
 * Brings ClickHouse up to date: with the changes since its version, from the journal, or with all entities in a new table. Each of the two
 * reads one snapshot of the registry and adds rows under a number that no search names yet. When all rows are stored, one update
 * of the accounts store makes the rows visible. If a process is stopped before this update, no search sees the rows that the process wrote.
 */
interface PublishOptions {
  readonly registryDb: Db;
  readonly accountsDb: Db;
  readonly connection: Connection;
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  readonly onProgress?: OnProgress | undefined;
  /** For tests: called before the last step. */
  readonly beforePublish?: (() => Promise<void>) | undefined;
}

/** Called with the number of entities written so far, and an estimate of the total. */
export type OnProgress = (entities: number, of: number) => void;

/** Undefined if another process has published meanwhile. */
type PublishResult = (Published & { readonly added: number }) | undefined;

type SignedRow = readonly [values: EntityValues, sign: 1 | -1];

/** An insert has about 40 MB: larger inserts leave less to merge. Each read of changed entities scans the ids of all entities. */
const [ROWS_PER_INSERT, IDS_PER_READ] = [100_000, 20_000];

/** Adds the changes since the published version. Throws `RebuildNeeded` if the journal does not have them. */
async function publishChanges(previous: Published, options: PublishOptions): Promise<PublishResult> {
  const publication = await takeNumber(options.accountsDb);
  return options.registryDb.snapshot(async (view) => {
    // For more changes than this, building a new table takes hardly longer than publishing the changes.
    const maxChanges = Math.max(100_000, Math.floor(previous.entities / 10));
    const { version, namesBefore } = await readChangesSince(view, previous.version, maxChanges);
    // The numbers of publications that failed: taken, but never published.
    const failed = Array.from({ length: publication - previous.publication - 1 }, (_, at) => publication - 1 - at);
    const next = { ...previous, publication, version, skipped: [...previous.skipped, ...failed.reverse()] };
    const batches = readChanged(view, options.connection, previous, namesBefore);
    return addRows(batches, previous, next, options);
  });
}

/** Each changed entity must be in ClickHouse once, or not at all if it is new. */
async function* readChanged(
  view: Snapshot,
  { read }: Connection,
  previous: Published,
  namesBefore: ReadonlyMap<string, string | null>,
): AsyncGenerator<readonly SignedRow[]> {
  const ids = [...namesBefore.keys()];
  for (let first = 0; first < ids.length; first += IDS_PER_READ) {
    const part = ids.slice(first, first + IDS_PER_READ);
    const known = part.filter((id) => namesBefore.get(id) !== null);
    const rows = await read<[sum: number, values: EntityValues]>(writeRows(previous, part));
    const old = rows.filter(([sum]) => sum !== 0);
    if (old.length !== known.length || old.some(([sum]) => sum !== 1))
      throw new RebuildNeeded(`the index has ${old.length} of ${known.length} changed entities, or one of them twice`);
    const now: EntityValues[] = [];
    for await (const chunk of dumpEntities(view, dumpColumns, part)) now.push(...readDump(chunk));
    if (now.length !== part.length) throw new RebuildNeeded(`the store has ${now.length} of ${part.length} entities`);
    yield [...old.map(([, values]) => [values, -1] as const), ...now.map((values) => [values, 1] as const)];
  }
}

/** Writes all entities to a new table and publishes it. The previous table is kept until the next build, for searches that still read it. */
async function publishAll(options: PublishOptions): Promise<PublishResult> {
  const { registryDb, accountsDb, connection } = options;
  const previous = await readPublished(accountsDb);
  const build = await takeNumber(accountsDb);
  await createTables(connection, build, previous?.build);
  return registryDb.snapshot(async (view) => {
    const version = await findVersion(view);
    const estimate = await estimateEntities(view);
    const onBatch = (entities: number) => options.onProgress?.(entities, Math.max(estimate, entities));
    const empty = { build, publication: build, skipped: [], version, rows: 0, entities: 0 };
    return addRows(readEverything(view, onBatch), previous, empty, options);
  });
}

async function* readEverything(
  view: Snapshot,
  onBatch: (entities: number) => void,
): AsyncGenerator<readonly SignedRow[]> {
  let rows: SignedRow[] = [];
  let entities = 0;
  for await (const chunk of dumpEntities(view, dumpColumns)) {
    for (const values of readDump(chunk)) {
      entities++;
      if (rows.push([values, 1]) < ROWS_PER_INSERT) continue;
      yield rows;
      onBatch(entities);
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
  onBatch(entities);
}

/** Adds rows to a table, and makes the rows visible if ClickHouse has exactly these rows and nothing else was published meanwhile. */
async function addRows(
  batches: AsyncIterable<readonly SignedRow[]>,
  previous: Published | undefined,
  to: Published,
  { connection, accountsDb, signal, beforePublish }: PublishOptions,
): Promise<PublishResult> {
  const { build, publication } = to;
  let [rows, sum] = [0, 0];
  for await (const batch of batches) {
    signal.throwIfAborted();
    const lines = batch.map(([values, sign]) => writeLine(values, publication, sign));
    await connection.insert(nameTable(build), lines.join(''), signal);
    for (const [, sign] of batch) sum += sign;
    rows += batch.length;
  }
  const [found = [0, 0]] = await connection.read<[rows: number, sum: number]>(writeCheck(build, publication));
  if (found[0] !== rows || found[1] !== sum)
    throw new Error(`ClickHouse has ${found[0]} of ${rows} rows of publication ${publication}`);
  await beforePublish?.();
  signal.throwIfAborted();
  const next = { ...to, rows: to.rows + rows, entities: to.entities + sum };
  return (await publish(accountsDb, previous, next)) ? { ...next, added: rows } : undefined;
}
