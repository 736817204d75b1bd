import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../base/db/db.ts';
import type { StorePlace } from '../../base/db/open.ts';
import { findVersion } from '../../base/db/version.ts';
import type { Log } from '../../base/log.ts';
import { openThread, type Thread } from '../../base/system/thread.ts';
import { createWorkQueue } from '../../base/system/turns.ts';
import type { IndexFigures, Search } from '../search.ts';
import { hasFewer } from '../store.ts';
import { buildIndex } from './build/build.ts';
import type { BuildOptions, BuiltMessage, IndexTask, IndexThread } from './index-worker.ts';
import {
  countDroppedBytes,
  countEntities,
  countOverlayDocs,
  decodeState,
  encodeState,
  type IndexState,
  withoutOverlay,
} from './overlay.ts';
import { createServedIndex } from './served-index.ts';
import { needsCompaction } from './update/update.ts';

/**
 * Search in an index that is held in memory. This folder owns the index: what it consists of (`search-index.ts`, `overlay.ts`,
 * `sets.ts`), how it is built (`build/`) and updated (`update/`), how a query is answered from it (`answer/`, `match/`), its files
 * (`index-file.ts`) and which state of it is served (`served-index.ts`). It does not own the meaning of a query, which is defined in
 * `search/`.
 *
 * This file keeps the index up to date. It checks four times per second whether this or another process has changed the data. A thread
 * (`index-worker.ts`) reads the changes from the journal and makes a new overlay, which replaces the old overlay here and in the other
 * serving threads; all share its memory. If the journal does not lead to the current data, another such thread builds the whole index.
 * A thread also builds a new base in the background when the overlay has grown: updates continue, then the new base and
 * its overlay replace the old ones. If the database cannot be reached, the current index continues to answer.
 */
export interface MemorySearchOptions {
  readonly db: Db;
  readonly location: StorePlace;
  readonly log: Log;
  readonly pollMs?: number;
  /** How many documents the overlay may have before a new base is built: see `chooseMaxOverlay`. */
  readonly maxOverlay?: (baseEntities: number) => number;
  /** An index of fewer entities is built in this thread: starting another thread would take longer than the build. */
  readonly small?: number | undefined;
}

/**
 * An overlay costs memory and time of every query in proportion to its documents; a new base costs a build. The index of a small store
 * is built within a second, but should not be built after every import.
 */
export const MAX_OVERLAY_SHARE = 0.02;
const MIN_MAX_OVERLAY = 5_000;
/** By default, only an empty index is built in this thread: names of thousands of characters need the larger stack of the other thread. */
const SMALL = 1;
/** How long to wait after a failed update or build, and after a failed build of a new base in the background. */
const RETRY_MS = 1_000;
const FOLD_RETRY_MS = 60_000;

const chooseMaxOverlay = (entities: number) => Math.max(MIN_MAX_OVERLAY, entities * MAX_OVERLAY_SHARE);

export function createMemorySearch(options: MemorySearchOptions): Search {
  const { db, location, log, pollMs = 250, maxOverlay = chooseMaxOverlay, small = SMALL } = options;
  const stop = new AbortController();
  const task: IndexTask = { location, file: join(location.dataDir, 'search.index') };
  const { use, ...served } = createServedIndex();
  const updater = createUpdater(task);
  const listeners: ((state: IndexState) => void)[] = [];
  let latest: IndexState | undefined;
  let watching: Promise<void> | undefined;
  /** The thread that builds the whole index or, in the background, a new base; and afterwards saves it. */
  let builder: Builder | undefined;
  let folding: Promise<void> | undefined;
  let foldAt = 0;
  /** Whether the latest base could not be saved. */
  let isUnsaved = false;
  const seconds: IndexFigures['seconds'] = {};

  /** Runs changes of the served state one after the other. */
  const inTurn = createWorkQueue();

  async function bringUpToDate(): Promise<void> {
    if (stop.signal.aborted) return;
    if (latest?.version === (await findVersion(db))) return needsCompaction(latest) ? update(latest, true) : undefined;
    if (await hasFewer(db, small)) return publishBuilt(await buildHere());
    if (latest === undefined || countEntities(latest) < small) return publishBuilt(await build());
    await update(latest);
  }

  /** With `compact`, merges segments while there is nothing to update, because every query searches every segment. */
  async function update(from: IndexState, compact = false): Promise<void> {
    const updated = await updater.update(from, compact);
    if ('rebuild' in updated) return publishBuilt(await build(), updated.rebuild);
    const { state, changed, seconds: took } = updated;
    if (compact) publish(state, 'search index compacted', { seconds: took });
    else {
      seconds.update = took;
      publish(state, 'search index updated', { changed, seconds: took });
    }
    // Two threads must not write the file at the same time.
    if (isUnsaved && builder === undefined) isUnsaved = (await updater.save()) !== undefined;
  }

  function publishBuilt({ state, loaded, seconds: took, ...built }: Built, reason = built.reason): void {
    if (!loaded) seconds.build = took;
    const fields = { seconds: took, ...(reason !== undefined && { reason }) };
    publish(state, loaded ? 'search index loaded' : 'search index built', fields);
  }

  /** `changed` is the number of entities that an update has changed; `reason` is why the whole index was built. */
  function publish(
    state: IndexState,
    message: string,
    fields: { readonly seconds: number; readonly changed?: number; readonly reason?: string },
  ): void {
    latest = state;
    use(state);
    for (const notify of listeners) notify(state);
    if (watching !== undefined) prepareUpdates();
    const { bytes, ...figures } = describeState(state);
    const rounded = {
      overlayPercent: Math.round((10_000 * figures.overlayDocuments) / Math.max(1, state.base.entities)) / 100,
      megabytes: Math.round(bytes / 1e6),
      seconds: Math.round(fields.seconds * 1000) / 1000,
    };
    log.info({ ...figures, ...fields, ...rounded }, message);
  }

  function prepareUpdates(): void {
    if (latest !== undefined && countEntities(latest) >= small && !stop.signal.aborted) updater.prepare(latest);
  }

  async function buildHere(): Promise<Built> {
    const started = performance.now();
    const state = withoutOverlay(await buildIndex(db));
    return { state, loaded: false, reason: undefined, seconds: (performance.now() - started) / 1000 };
  }

  /** The first build may load the file. Later, the file contains only the state that is served already. */
  async function build(): Promise<Built> {
    const abandoned = builder;
    builder = undefined;
    // Two threads must not write the file at the same time.
    await abandoned?.close();
    const isFirst = latest === undefined;
    const thread = startThread({ mayLoad: isFirst, inBackground: !isFirst });
    void thread.saved.then(() => forget(thread));
    return thread.built;
  }

  function startThread(of: BuildOptions): Builder {
    if (stop.signal.aborted) throw new Error('search is closed');
    const thread = startBuilder(task, of, log);
    builder = thread;
    void thread.saved.then((isSaved) => {
      isUnsaved = !isSaved;
    });
    return thread;
  }

  /** A thread that has ended is forgotten, because its result would keep a base in memory that is replaced later. */
  function forget(thread: Builder): void {
    if (builder === thread) builder = undefined;
  }

  function foldIfLarge(): void {
    if (latest === undefined || folding !== undefined || stop.signal.aborted || performance.now() < foldAt) return;
    if (countOverlayDocs(latest) <= maxOverlay(latest.base.entities)) return;
    folding = fold(latest).finally(() => {
      folding = undefined;
    });
  }

  /** Builds a new base while the old one is served and updated, then brings it up to date and swaps both. */
  async function fold({ base }: IndexState): Promise<void> {
    // An older file must not replace a newer one.
    await builder?.saved;
    if (stop.signal.aborted || latest?.base !== base) return;
    const started = performance.now();
    const thread = startThread({ mayLoad: false, inBackground: true });
    // True if the whole index is being built, or search is closed.
    const isAbandoned = () => builder !== thread || latest?.base !== base || stop.signal.aborted;
    try {
      const { state } = await thread.built;
      await inTurn(async () => {
        if (isAbandoned()) return;
        const updated = state.version === latest?.version ? { state } : await updater.update(state);
        if ('rebuild' in updated) throw new Error(updated.rebuild);
        seconds.fold = (performance.now() - started) / 1000;
        publish(updated.state, 'search index folded', { seconds: seconds.fold });
      });
    } catch (error) {
      if (isAbandoned()) return;
      foldAt = performance.now() + FOLD_RETRY_MS;
      log.warn({ err: error }, 'cannot fold the changes into the search index: trying again later');
    } finally {
      void thread.saved.then(() => forget(thread));
    }
  }

  async function watch(): Promise<void> {
    while (!stop.signal.aborted) {
      let pauseMs = pollMs;
      await inTurn(bringUpToDate).catch((error: unknown) => {
        pauseMs = RETRY_MS;
        if (!stop.signal.aborted) log.warn({ err: error }, 'cannot update the search index: trying again');
      });
      foldIfLarge();
      await sleep(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  return {
    ...served,
    start() {
      watching ??= watch();
      prepareUpdates();
    },
    refresh: () => inTurn(bringUpToDate),
    onIndex(listener) {
      listeners.push(listener);
      if (latest !== undefined) listener(latest);
    },
    readFigures: () => latest && { ...describeState(latest), seconds },
    async close() {
      stop.abort();
      await Promise.all([builder?.close(), updater.close()]);
      await watching;
      await folding;
    },
  };
}

function describeState(state: IndexState): Omit<IndexFigures, 'seconds'> {
  return {
    version: state.version,
    entities: countEntities(state),
    overlayDocuments: countOverlayDocs(state),
    segments: state.overlay?.segments.length ?? 0,
    bytes: countDroppedBytes(state),
  };
}

type Builder = ReturnType<typeof startBuilder>;

interface Built extends Omit<BuiltMessage, 'state'> {
  readonly state: IndexState;
}

const WORKER = new URL('index-worker.ts', import.meta.url);

/** A thread that loads or builds an index. */
function startBuilder(task: IndexTask, options: BuildOptions, log: Log) {
  const thread = openThread<IndexThread>(WORKER, { name: 'search index', data: task });
  let isBuilding = true;
  const build = async (): Promise<Built> => {
    const { state, ...rest } = await thread.call('build', options);
    isBuilding = false;
    return { ...rest, state: decodeState(state) };
  };
  const built = build();
  const save = async (): Promise<boolean> => {
    const reason = await thread.call('save');
    if (reason !== undefined) log.warn({ reason }, 'cannot save the search index: the next start has to build it');
    await thread.finish();
    return reason === undefined;
  };
  // A thread that failed has nothing to save. Its error is ignored here: `built` reports it to callers that still wait.
  const saved = built.then(save).catch(async () => {
    await thread.close();
    return true;
  });
  return {
    built,
    /** Resolves when the thread has ended, with true if the index is saved or nothing had to be saved. */
    saved,
    /** Abandons a build, which may take long. Waits while a finished index is saved, so that the next start does not need a build. */
    async close(): Promise<void> {
      if (isBuilding) await thread.close();
      await saved;
    },
  };
}

/**
 * The thread that brings a state up to date. The thread is kept between updates, because starting it takes longer than most updates.
 * After a failure, the next update starts another thread.
 */
function createUpdater(task: IndexTask) {
  let thread: Thread<IndexThread> | undefined;
  let known: IndexState | undefined;
  let preparation: NodeJS.Timeout | undefined;

  function provideThread(state: IndexState): Thread<IndexThread> {
    clearTimeout(preparation);
    if (thread === undefined || thread.ended !== undefined) {
      known = undefined;
      // An idle thread must not keep the process alive.
      thread = openThread<IndexThread>(WORKER, { name: 'search updates', data: task, inBackground: true });
    }
    if (known !== state) thread.post('use', [encodeState(state, known)]);
    known = state;
    return thread;
  }

  return {
    /** Starts the thread in a moment, so that the first update does not wait for it. */
    prepare(state: IndexState): void {
      clearTimeout(preparation);
      if (thread !== undefined) provideThread(state);
      else preparation = setTimeout(() => provideThread(state), PREPARE_AFTER_MS).unref();
    },
    /**
     * Must not be called again before the result has resolved. `compact` merges segments, which takes longer. Returns the reason as
     * `rebuild` if the index has to be built again.
     */
    async update(state: IndexState, compact = false) {
      const updated = await provideThread(state).call('update', compact);
      if ('rebuild' in updated) return updated;
      known = decodeState(updated.state, state);
      return { ...updated, state: known };
    },
    /** Saves the base of the latest state. Returns the reason if that failed. */
    save: async () => thread?.call('save'),
    async close(): Promise<void> {
      clearTimeout(preparation);
      await thread?.close();
    },
  };
}

/** Long enough that the thread does not compete with the start of the service. */
const PREPARE_AFTER_MS = 3_000;
