import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../core/log.ts';
import type { Db } from '../../db/db.ts';
import type { Location } from '../../db/open.ts';
import { readVersion } from '../../db/version.ts';
import type { Search } from '../search.ts';
import { isEmpty } from '../store.ts';
import { buildIndex } from './build/build.ts';
import type { IndexMessage, IndexTask } from './index-worker.ts';
import type { SearchIndex } from './search-index.ts';
import { createServedIndex } from './served-index.ts';

/**
 * Search in an index that is held in memory. This folder owns the index: what it consists of (`search-index.ts`,
 * `shared-arrays.ts`, `sets.ts`, `marks.ts`), how it is built (`build/`), how a query is answered from it (`answer/`),
 * its file (`index-file.ts`) and which index is served (`served-index.ts`). It does not own the meaning of a query,
 * which is defined in `search/`.
 *
 * This file keeps the index up to date. It checks every second whether the data has changed, by this process or
 * another, has a thread load or build the new index while the old one is served, then swaps them and notifies the other
 * serving threads, which share its memory. If the database is gone, the current index continues to answer.
 */
export interface MemorySearchOptions {
  readonly db: Db;
  readonly location: Pick<Location, 'databaseUrl' | 'dataDir'>;
  readonly log: Log;
  readonly pollMs?: number;
}

export function createMemorySearch({ db, location, log, pollMs = 1_000 }: MemorySearchOptions): Search {
  const stop = new AbortController();
  const task: IndexTask = { location, file: join(location.dataDir, 'search.index') };
  const served = createServedIndex();
  const listeners: ((index: SearchIndex) => void)[] = [];
  let latest: SearchIndex | undefined;
  let watching: Promise<void> | undefined;
  let checking: Promise<void> | undefined;
  /** The thread that has not delivered its index yet. */
  let builder: Worker | undefined;
  /** Resolves when the thread has ended, which is after it has saved the index. */
  let workerEnded: Promise<void> | undefined;

  /** One check at a time: a caller that arrives during a check waits for it and then starts its own. */
  async function check(): Promise<void> {
    while (checking !== undefined) await checking.catch(() => undefined);
    checking = bringUpToDate().finally(() => {
      checking = undefined;
    });
    return checking;
  }

  async function bringUpToDate(): Promise<void> {
    if (stop.signal.aborted || latest?.version === (await readVersion(db))) return;
    const { index, loaded, seconds } = await ((await isEmpty(db)) ? indexNothing() : getIndex());
    latest = index;
    served.use(index);
    for (const notify of listeners) notify(index);
    const { version, entities, bytes } = index;
    const fields = {
      version,
      entities,
      megabytes: Math.round(bytes / 1e6),
      seconds: Math.round(seconds * 1000) / 1000,
    };
    log.info(fields, loaded ? 'search index loaded' : 'search index built');
  }

  /** An empty index is built here: starting a thread would take longer than the build. */
  async function indexNothing(): Promise<NewIndex> {
    const started = performance.now();
    const index = await buildIndex(db);
    return { type: 'index', index, loaded: false, seconds: (performance.now() - started) / 1000 };
  }

  function getIndex(): Promise<NewIndex> {
    return new Promise((resolve, reject) => {
      if (stop.signal.aborted) throw new Error('search is closed');
      const thread = new Worker(new URL('index-worker.ts', import.meta.url), { workerData: task });
      builder = thread;
      thread.on('message', (message: IndexMessage) => {
        if (message.type === 'index') {
          builder = undefined;
          resolve(message);
        } else log.warn({ reason: message.reason }, 'cannot save the search index: the next start has to build it');
      });
      thread.on('error', reject);
      workerEnded = new Promise((ended) => thread.on('exit', () => ended()));
      thread.on('exit', () => reject(new Error('the thread that builds the search index stopped')));
    });
  }

  async function watch(): Promise<void> {
    while (!stop.signal.aborted) {
      await check().catch((error: unknown) => {
        if (!stop.signal.aborted) log.warn({ err: error }, 'cannot update the search index: trying again');
      });
      await sleep(pollMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  return {
    start() {
      watching ??= watch();
    },
    refresh: check,
    isReady: served.isReady,
    version: served.version,
    find: served.find,
    listChoices: served.listChoices,
    onIndex(listener) {
      listeners.push(listener);
      if (latest !== undefined) listener(latest);
    },
    async close() {
      stop.abort();
      // A build is abandoned, because it may take long. Saving a finished index takes a moment and spares the next
      // start a build.
      await builder?.terminate();
      await workerEnded;
      await watching;
    },
  };
}

type NewIndex = Extract<IndexMessage, { type: 'index' }>;
