import type { Db, Snapshot } from '../../db/db.ts';
import { readVersion } from '../../db/version.ts';
import { readChangesSince } from '../memory/update/changes.ts';
import { RebuildNeeded } from '../memory/update/rebuild-needed.ts';
import { dumpEntities, estimateEntities } from '../store.ts';
import { type Buckets, chooseLimits, createBuckets } from './buckets.ts';
import type { Connection } from './connection.ts';
import { dumpColumns, type EntityValues, readDump, writeLine } from './entity-rows.ts';
import { writeCheck, writeRows } from './query.ts';
import { createTables, dropTables, nameTable, prepareNodes } from './schema.ts';
import { type Published, publish, readLimits, readPublished, sampleNames, takeNumber } from './store.ts';

/**
 * Brings ClickHouse up to date: with the changes since its version, which the journal has, or with all entities in a new table.
 * Both read one snapshot of the registry and add rows under a number that no search names yet. When all rows are there,
 * one update of the accounts store makes them visible. If a process is stopped in between, no search sees the rows that it has written.
 */
export interface PublishOptions {
  readonly registryDb: Db;
  readonly accountsDb: Db;
  readonly connection: Connection;
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** For tests: entities per bucket. */
  readonly bucketSize?: number | undefined;
  /** For tests: called before the last step. */
  readonly beforePublish?: (() => Promise<void>) | undefined;
  readonly minVersion?: readonly number[] | undefined;
}

export interface Progress {
  readonly entities: number;
  /** An estimate. */
  readonly of: number;
}

/** `undefined`: another process has published meanwhile. */
export type PublishResult = (Published & { readonly changed: number; readonly seconds: number }) | undefined;

/** How many rows are sent at once: some 8 MB. */
const ROWS_PER_INSERT = 20_000;
const IDS_PER_READ = 5_000;
/** Names that limits of buckets are chosen from. */
const SAMPLED = 100_000;

/** Adds the changes since the published version. Throws `RebuildNeeded` if the journal does not have them. */
export async function publishChanges(previous: Published, options: PublishOptions): Promise<PublishResult> {
  const { registryDb, accountsDb, connection } = options;
  const started = performance.now();
  const publication = await takeNumber(accountsDb);
  const buckets = createBuckets(await readLimits(accountsDb));
  return registryDb.snapshot(async (view) => {
    const { version, namesBefore } = await readChangesSince(view, previous.version, limitChanges(previous.entities));
    let rows = 0;
    let added = 0;
    const ids = [...namesBefore.keys()];
    for (let first = 0; first < ids.length; first += IDS_PER_READ) {
      const part = ids.slice(first, first + IDS_PER_READ);
      const old = await readCurrent(connection, previous, part);
      const known = part.filter((id) => namesBefore.get(id) !== null);
      if (old.length !== known.length) {
        throw new RebuildNeeded(`the index has ${old.length} of ${known.length} changed entities`);
      }
      const now = await readStore(view, buckets, part);
      if (now.length !== part.length) throw new RebuildNeeded(`the store has ${now.length} of ${part.length} entities`);
      const lines = [
        ...old.map((values) => writeLine(values, publication, -1)),
        ...now.map((values) => writeLine(values, publication, 1)),
      ];
      await connection.insert(nameTable(previous.build), lines.join(''), options.signal);
      rows += lines.length;
      added += part.length - known.length;
    }
    // Numbers that were taken and never published.
    const failed = Array.from({ length: publication - previous.publication - 1 }, (_, at) => publication - 1 - at);
    const next = {
      build: previous.build,
      publication,
      skipped: [...previous.skipped, ...failed.reverse()],
      version,
      rows: previous.rows + rows,
      entities: previous.entities + added,
    };
    if (!(await finish(previous, next, options))) return undefined;
    return { ...next, changed: ids.length, seconds: (performance.now() - started) / 1000 };
  });
}

/** Beyond this, a new table takes hardly longer. */
function limitChanges(entities: number): number {
  return Math.max(100_000, Math.floor(entities / 10));
}

async function readCurrent({ read }: Connection, published: Published, ids: readonly string[]) {
  const rows = await read<[sum: number, values: EntityValues]>(writeRows(published, ids));
  const wrong = rows.find(([sum]) => sum !== 1 && sum !== 0);
  if (wrong !== undefined) throw new RebuildNeeded(`the index has an entity ${wrong[0]} times`);
  return rows.flatMap(([sum, values]) => (sum === 1 ? [values] : []));
}

async function readStore(view: Snapshot, buckets: Buckets, ids: readonly string[]): Promise<EntityValues[]> {
  const found: EntityValues[] = [];
  for await (const chunk of dumpEntities(view, dumpColumns, ids)) found.push(...readDump(chunk, buckets));
  return found;
}

/** Makes the rows visible, if ClickHouse has exactly those that were sent and nothing else was published meanwhile. */
async function finish(
  previous: Published | undefined,
  next: Published,
  { connection, accountsDb, signal, beforePublish }: PublishOptions,
  limits?: readonly string[],
): Promise<boolean> {
  const isNew = next.build === next.publication;
  const rows = next.rows - (isNew ? 0 : (previous?.rows ?? 0));
  const sum = next.entities - (isNew ? 0 : (previous?.entities ?? 0));
  const sql = writeCheck(next.build, next.publication);
  const [found = [0, 0]] = await connection.read<[rows: number, sum: number]>(sql);
  if (found[0] !== rows || found[1] !== sum)
    throw new Error(`ClickHouse has ${found[0]} of ${rows} rows of publication ${next.publication}`);
  await beforePublish?.();
  signal.throwIfAborted();
  return publish(accountsDb, previous, next, limits);
}

/** Writes all entities to a new table and publishes it. The previous table is kept for searches that still read it. */
export async function publishAll(options: PublishOptions): Promise<PublishResult> {
  const { registryDb, accountsDb, connection, signal, onProgress } = options;
  const started = performance.now();
  const cluster = await prepareNodes(connection, options.minVersion);
  const previous = await readPublished(accountsDb);
  const build = await takeNumber(accountsDb);
  await createTables(connection, cluster, build);
  const result = await registryDb.snapshot(async (view) => {
    const version = await readVersion(view);
    const estimate = await estimateEntities(view);
    const sample = await sampleNames(view, estimate, SAMPLED);
    const limits = chooseLimits(sample, Math.max(estimate, sample.length), options.bucketSize);
    const buckets = createBuckets(limits);
    let entities = 0;
    let lines: string[] = [];
    const send = async () => {
      signal.throwIfAborted();
      if (lines.length > 0) await connection.insert(nameTable(build), lines.join(''), signal);
      entities += lines.length;
      lines = [];
      onProgress?.({ entities, of: Math.max(estimate, entities) });
    };
    for await (const chunk of dumpEntities(view, dumpColumns)) {
      for (const values of readDump(chunk, buckets)) {
        lines.push(writeLine(values, build, 1));
        if (lines.length >= ROWS_PER_INSERT) await send();
      }
    }
    await send();
    const next = { build, publication: build, skipped: [], version, rows: entities, entities };
    if (!(await finish(previous, next, options, limits))) return undefined;
    return { ...next, changed: entities, seconds: (performance.now() - started) / 1000 };
  });
  if (result !== undefined) await dropTables(connection, (one) => one < build && one !== previous?.build);
  return result;
}
