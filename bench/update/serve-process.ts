import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { openStore } from '../../src/base/db/open.ts';
import { createEngine, type Engine } from '../../src/search/memory/answer/engine.ts';
import { createMemorySearch, MAX_OVERLAY_SHARE } from '../../src/search/memory/memory-search.ts';
import type { IndexState } from '../../src/search/memory/overlay.ts';
import { drawQueries, EVERYTHING, readSamples } from '../search/queries.ts';
import { isTrial, limitFor, type Summary, summarize } from '../search/timing.ts';
import type { Marker } from './changes.ts';
import { type Gauge, type Gauged, startGauge } from './gauge.ts';
import { COMPARE_LIMITS, type Comparison, compareEngines, timeMixed } from './queries.ts';

/**
 * The process that `bench update` measures: it follows a store as a server does, with the same search and the same polling.
 * It gets one message at a time and replies to each.
 */
export type ServeTask =
  | { readonly type: 'start'; readonly dataDir: string; readonly rows: number }
  | { readonly type: 'watch'; readonly marker: Marker }
  | { readonly type: 'watch fold'; readonly marker: Marker }
  | { readonly type: 'compare' };

export interface Started {
  /** Until the first index was served. */
  readonly seconds: number;
  readonly entities: number;
  /** The arrays of the index. */
  readonly bytes: number;
}

export interface Watched {
  /** Epoch milliseconds: the first answer with the marker. */
  readonly servedAt: number;
  readonly gauged: Gauged;
  /** Documents of the overlay, replaced ones included. */
  readonly overlayDocs: number;
}

export interface Folded extends Watched {
  /** Epoch milliseconds: the first answer from the new base. */
  readonly foldedAt: number;
  /** Query times before and during the fold. */
  readonly idle: Summary;
  readonly folding: Summary;
}

/** How long a process is observed after a swap: until the update is saved and the replaced memory is collected. */
const AFTERWARDS_MS = 1_500;
const IDLE_MS = 3_000;

async function start({ dataDir, rows }: Extract<ServeTask, { type: 'start' }>) {
  const location = { dataDir, databaseUrl: undefined };
  const db = openStore('registry', location);
  const classes = drawQueries(await readSamples(db, rows), rows);
  const pace = isTrial(rows) ? 0.1 : 1;
  const states: IndexState[] = [];
  const started = performance.now();
  const search = createMemorySearch({
    db,
    location,
    log: { info: () => undefined, warn: reportProblem },
    // Without the minimum of small stores, so that a small run shows a fold, too.
    maxOverlay: (baseEntities) => baseEntities * MAX_OVERLAY_SHARE,
  });
  // Only the latest states are kept: each may hold a base.
  search.onIndex?.((state) => states.splice(0, states.length, ...states.slice(-1), state));
  search.start();
  while (states.length === 0) await sleep(10);
  const seconds = (performance.now() - started) / 1_000;
  const latest = () => states.at(-1) as IndexState;
  const { entities, bytes } = latest().base;

  function shows({ number, name }: Marker): boolean {
    const { body } = search.find({ ...EVERYTHING, q: number }) as { body: Uint8Array };
    return Buffer.from(body).includes(JSON.stringify(name));
  }

  /** Checks the version first, which is free, so that the checks do not slow the update down. */
  async function untilServed(marker: Marker, version: string, gauge: Gauge): Promise<number> {
    while (search.version() === version || !gauge.skip(() => shows(marker))) await sleep(2);
    return systemClock.now();
  }

  return {
    started: { seconds, entities, bytes } satisfies Started,
    async watch(marker: Marker): Promise<Watched> {
      const gauge = startGauge();
      const servedAt = await untilServed(marker, latest().version, gauge);
      await sleep(pace * AFTERWARDS_MS);
      return { servedAt, gauged: gauge.stop(), overlayDocs: countOverlay(latest()) };
    },
    async watchFold(marker: Marker): Promise<Folded> {
      const { base, version } = latest();
      // Not the engine that serves, because that keeps results.
      const engines = new Map<IndexState, Engine>();
      const idleUntil = performance.now() + pace * IDLE_MS;
      const idle = await timeMixed(
        classes,
        (query) => engineOf(engines, latest()).find(query),
        () => performance.now() > idleUntil,
      );
      const gauge = startGauge();
      const asking = timeMixed(
        classes,
        (query) => gauge.skip(() => engineOf(engines, latest()).find(query)),
        () => latest().base !== base,
      );
      const servedAt = await untilServed(marker, version, gauge);
      // On a busy machine, the fold may have ended before this turn. The state before it is the one that was folded.
      const folded = latest().base === base ? latest() : states.at(-2);
      const overlayDocs = folded === undefined ? 0 : countOverlay(folded);
      const folding = await asking;
      const foldedAt = systemClock.now();
      await sleep(pace * AFTERWARDS_MS);
      const gauged = gauge.stop();
      return { servedAt, overlayDocs, foldedAt, gauged, idle: summarize(idle), folding: summarize(folding) };
    },
    /** The last state before the fold with the first one after it. */
    async compare(): Promise<Comparison[]> {
      const [overlay, base] = states.map((state) => createEngine(state, { cacheBytes: 0 }));
      if (overlay === undefined || base === undefined) throw new Error('there was no fold');
      return compareEngines(classes, { overlay, base }, limitFor(rows, COMPARE_LIMITS));
    },
  };
}

function engineOf(engines: Map<IndexState, Engine>, state: IndexState): Engine {
  const known = engines.get(state);
  if (known !== undefined) return known;
  const [previous] = engines.values();
  const engine = createEngine(state, { cacheBytes: 0, previous });
  engines.clear();
  engines.set(state, engine);
  return engine;
}

function countOverlay({ overlay }: IndexState): number {
  return overlay?.segments.reduce((sum, { index }) => sum + index.entities, 0) ?? 0;
}

function reportProblem(...line: unknown[]): void {
  process.stderr.write(`${JSON.stringify(line)}\n`);
}

const serving: { current?: Awaited<ReturnType<typeof start>> } = {};

async function handle(task: ServeTask): Promise<unknown> {
  if (task.type === 'start') {
    serving.current = await start(task);
    return serving.current.started;
  }
  if (serving.current === undefined) throw new Error('not started');
  if (task.type === 'watch') return serving.current.watch(task.marker);
  if (task.type === 'watch fold') return serving.current.watchFold(task.marker);
  return serving.current.compare();
}

process.on('message', (task: ServeTask) => {
  handle(task).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: error instanceof Error ? error.stack : String(error) }),
  );
});
