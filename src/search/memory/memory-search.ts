import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../core/log.ts';
import type { Db } from '../../db/db.ts';
import type { Location } from '../../db/open.ts';
import type { Search } from '../search.ts';
import { isEmpty, readVersion } from '../store.ts';
import { buildIndex } from './build/build.ts';
import type { IndexMessage, IndexTask } from './index-worker.ts';
import type { SearchIndex } from './search-index.ts';
import { createServedIndex } from './served-index.ts';

/**
 * Keeps the index of the present generation: looks every second whether the data has changed, also by another process, has
 * a thread get the new index beside the one that is served, and swaps; other serving threads are told, and share its memory.
 * If the database goes away, the index at hand goes on answering.
 */
export interface KeeperOptions {
  readonly db: Db;
  readonly location: Pick<Location, 'databaseUrl' | 'dataDir'>;
  readonly log: Log;
  readonly pollMs?: number;
}

export function createMemorySearch({ db, location, log, pollMs = 1_000 }: KeeperOptions): Search {
  const stop = new AbortController();
  const task: IndexTask = { location, file: join(location.dataDir, 'search.index') };
  const served = createServedIndex();
  const listeners: ((index: SearchIndex) => void)[] = [];
  let latest: SearchIndex | undefined;
  let watching: Promise<void> | undefined;
  let checking: Promise<void> | undefined;
  let worker: Worker | undefined;
  let workerEnded: Promise<void> | undefined;

  /** One at a time: whoever asks meanwhile waits for the one under way and asks again. */
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
    for (const tell of listeners) tell(index);
    const { version, entities, bytes } = index;
    const fields = {
      version,
      entities,
      megabytes: Math.round(bytes / 1e6),
      seconds: Math.round(seconds * 1000) / 1000,
    };
    log.info(fields, loaded ? 'search index loaded' : 'search index built');
  }

  /** For this a thread would take longer to start than to work. */
  async function indexNothing(): Promise<NewIndex> {
    const started = performance.now();
    const index = await buildIndex(db);
    return { type: 'index', index, loaded: false, seconds: (performance.now() - started) / 1000 };
  }

  function getIndex(): Promise<NewIndex> {
    return new Promise((resolve, reject) => {
      const thread = new Worker(new URL('index-worker.ts', import.meta.url), { workerData: task });
      worker = thread;
      thread.on('message', (message: IndexMessage) => {
        if (message.type === 'index') resolve(message);
        else log.warn({ reason: message.reason }, 'the search index could not be saved: the next start will build it');
      });
      thread.on('error', reject);
      workerEnded = new Promise((ended) => thread.on('exit', () => ended()));
      thread.on('exit', () => reject(new Error('the thread that builds the search index stopped')));
    });
  }

  async function watch(): Promise<void> {
    while (!stop.signal.aborted) {
      await check().catch((error: unknown) => {
        if (!stop.signal.aborted) log.warn({ err: error }, 'the search index could not be brought up to date');
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
      // A build is given up; an index that is being saved is worth the moment it takes.
      if (checking !== undefined) await worker?.terminate();
      await workerEnded;
      await watching;
    },
  };
}

type NewIndex = Extract<IndexMessage, { type: 'index' }>;
