import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { type ClickhouseSearch, createClickhouseSearch } from '../../src/search/clickhouse/clickhouse.ts';
import { type ClickhousePlace, type Connection, openConnection } from '../../src/search/clickhouse/connection.ts';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { withoutOverlay } from '../../src/search/memory/overlay.ts';
import type { SearchQuery } from '../../src/search/search.ts';
import type { BenchOptions } from '../reporting.ts';
import { readBody } from '../search/ours.ts';
import { drawQueries, type QueryClass, readSamples } from '../search/queries.ts';
import { checkAnswers, type Summary, summarize, time } from '../search/timing.ts';
import { provideStore } from '../update/data.ts';
import { countMerges, dropDatabase, readBytes, readCpuSeconds } from './store.ts';

/**
 * `bench search --engine clickhouse`: the store of `bench update` in ClickHouse, asked the queries of `bench search` and brought up
 * to date with changes. The index in memory answers the same queries from the same store, before the changes and after them.
 */
interface ClickhouseBenchOptions extends Omit<BenchOptions, 'databaseUrl'> {
  readonly rows: number;
  readonly place: ClickhousePlace;
}

export interface ClickhouseFigures {
  readonly entities: number;
  readonly nodes: number;
  readonly load: Work;
  /** What ClickHouse did after the last insert, until nothing was left to merge. */
  readonly merges: Work;
  readonly bytes: { readonly all: number; readonly indexes: number };
  readonly classes: readonly ClassFigures[];
  readonly updates: readonly (Work & { readonly changes: number })[];
}

interface Work {
  readonly seconds: number;
  /** Seconds of processor time of all nodes. */
  readonly cpuSeconds: number;
}

interface ClassFigures extends Summary {
  readonly name: string;
  readonly queries: number;
  /** Milliseconds of processor time of all nodes, per query. */
  readonly cpuMs: number;
}

const CHANGES = [1_000, 50_000];
const LIMITS = { passes: 1, milliseconds: 4_000, queries: 6 };
const FEW = { passes: 1, milliseconds: 0, queries: 2 };

export async function benchClickhouse(options: ClickhouseBenchOptions): Promise<ClickhouseFigures> {
  const { rows, cache, onStep, signal, place } = options;
  onStep('data');
  const store = await provideStore(join(cache, `update-${rows}`), rows, onStep, signal);
  const location = { dataDir: store.folder, databaseUrl: undefined };
  const registryDb = openStore('registry', location);
  const accountsDb = openStore('accounts', location);
  await migrate(accountsDb, loadMigrations('accounts'), systemClock);
  const connection = openConnection(place);
  const log = { info: () => undefined, warn: (...line: unknown[]) => onStep(JSON.stringify(line)) };
  const search = createClickhouseSearch({ place, registryDb, accountsDb, log, publishes: true });
  const queryClasses = drawQueries(await readSamples(registryDb, rows), rows);
  try {
    onStep('load');
    const load = await measure(connection, async () => {
      const done = (entities: number) => entities % 500_000 === 0 && onStep(`load: ${entities} entities`);
      if (!(await search.rebuild(done))) throw new Error('another process publishes with this store');
    });
    onStep('merges');
    const merges = await measure(connection, () => untilMerged(connection, signal));
    const bytes = await readBytes(connection);
    onStep('queries');
    const classes = await ask(search, connection, queryClasses, { ...options, location, limits: LIMITS });
    const updates: ClickhouseFigures['updates'][number][] = [];
    for (const changes of CHANGES.filter((count) => count <= store.blockSize)) {
      onStep(`change of ${changes}`);
      await store.import(await store.writeChange(changes));
      updates.push({ changes, ...(await measure(connection, () => search.refresh())) });
    }
    onStep('queries after the changes');
    await ask(search, connection, queryClasses, { ...options, location, limits: FEW });
    const { entities = 0 } = (await search.readPublished()) ?? {};
    return { entities, nodes: place.hosts.length, load, merges, bytes, classes, updates };
  } finally {
    await search.close();
    await dropDatabase(connection);
    await connection.close();
    await registryDb.close();
    await accountsDb.close();
  }
}

async function measure(connection: Connection, work: () => Promise<unknown>): Promise<Work> {
  const [before, started] = [await readCpuSeconds(connection), performance.now()];
  await work();
  const seconds = (performance.now() - started) / 1_000;
  return { seconds, cpuSeconds: (await readCpuSeconds(connection)) - before };
}

async function untilMerged(connection: Connection, signal: AbortSignal): Promise<void> {
  // A merge may follow another one after a pause.
  for (let quiet = 0; quiet < 5; quiet++) {
    if ((await countMerges(connection)) > 0) quiet = 0;
    await sleep(1_000, undefined, { signal });
  }
}

/** Throws unless the index in memory gives the same totals and pages. */
async function ask(
  search: ClickhouseSearch,
  connection: Connection,
  queryClasses: readonly QueryClass[],
  { location, limits, onStep, signal }: ClickhouseBenchOptions & AskOptions,
): Promise<ClassFigures[]> {
  const engine = createEngine(withoutOverlay(await buildIndex(location)), { cacheBytes: 0 });
  const figures: ClassFigures[] = [];
  for (const queryClass of queryClasses) {
    signal.throwIfAborted();
    const { name, queries } = queryClass;
    const query = (at: number) => queries[at] as SearchQuery;
    const find = async (at: number) => readBody((await search.find(query(at))).body);
    await find(0);
    const before = await readCpuSeconds(connection);
    const asked = { plan: 'clickhouse', ...(await time(queries.length, find, limits)) };
    const cpuSeconds = (await readCpuSeconds(connection)) - before;
    const answers = asked.answers.map((_, at) => readBody(engine.find(query(at)).body));
    checkAnswers(queryClass, { ...asked, answers }, asked, 'ClickHouse');
    const cpuMs = (1_000 * cpuSeconds) / asked.times.length;
    figures.push({ name, queries: asked.times.length, cpuMs, ...summarize([asked]) });
    onStep(`${name}: ${Math.round(cpuMs)} ms of processor time`);
  }
  return figures;
}

interface AskOptions {
  readonly location: Parameters<typeof openStore>[1];
  readonly limits: Parameters<typeof time>[2];
}
