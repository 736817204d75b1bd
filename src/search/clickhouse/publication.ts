import type { Db, Snapshot } from '../../db/db.ts';
import { readVersion } from '../../db/version.ts';
import { readChangesSince } from '../memory/update/changes.ts';
import { RebuildNeeded } from '../memory/update/rebuild-needed.ts';
import { dumpEntities, estimateEntities } from '../store.ts';
import type { Connection } from './connection.ts';
import { dumpColumns, type EntityValues, readDump, writeLine } from './entity-rows.ts';
import { writeCheck, writeRows } from './query.ts';
import { createTables, nameTable } from './schema.ts';
import { type Published, publish, readPublished, takeNumber } from './store.ts';

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
  readonly onProgress?: OnProgress | undefined;
  /** For tests: called before the last step. */
  readonly beforePublish?: (() => Promise<void>) | undefined;
}

/** Called with the number of entities that are written, and an estimate of all. */
export type OnProgress = (entities: number, of: number) => void;

/** `undefined`: another process has published meanwhile. */
export type PublishResult = (Published & { readonly added: number }) | undefined;

type SignedRow = readonly [values: EntityValues, sign: 1 | -1];

/** An insert has about 40 MB: larger inserts leave less to merge. Each read of changed entities scans the ids of all. */
const [ROWS_PER_INSERT, IDS_PER_READ] = [100_000, 20_000];

/** Adds the changes since the published version. Throws `RebuildNeeded` if the journal does not have them. */
export async function publishChanges(previous: Published, options: PublishOptions): Promise<PublishResult> {
  const publication = await takeNumber(options.accountsDb);
  return options.registryDb.snapshot(async (view) => {
    // Beyond this, a new table takes hardly longer.
    const maxChanges = Math.max(100_000, Math.floor(previous.entities / 10));
    const { version, namesBefore } = await readChangesSince(view, previous.version, maxChanges);
    // Numbers that were taken and never published.
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
export async function publishAll(options: PublishOptions): Promise<PublishResult> {
  const { registryDb, accountsDb, connection } = options;
  const previous = await readPublished(accountsDb);
  const build = await takeNumber(accountsDb);
  await createTables(connection, build, previous?.build);
  return registryDb.snapshot(async (view) => {
    const version = await readVersion(view);
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

/** Adds rows to a table, and makes them visible if ClickHouse has exactly these and nothing else was published meanwhile. */
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
