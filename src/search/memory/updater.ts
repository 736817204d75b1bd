import { Worker } from 'node:worker_threads';
import type { Log } from '../../core/log.ts';
import type { IndexState } from './overlay.ts';
import { decodeState, encodeState } from './state-message.ts';
import type { UpdateMessage, UpdateOptions, UpdateRequest, UpdateTask } from './update-worker.ts';

/**
 * The thread that brings a state up to date (`update-worker.ts`). It is kept between updates, because starting it takes
 * longer than most of them. After a failure the next update starts another one.
 */
export interface Updater {
  /** Starts the thread in a moment, so that the first update does not wait for it. */
  prepare(state: IndexState): void;
  /** Must not be called again before it has resolved. */
  update(state: IndexState, options?: UpdateOptions): Promise<Updated>;
  /** Stops an update, or waits until the files are written. */
  close(): Promise<void>;
}

export type Updated =
  /** `changed` is the number of entities. */
  | { readonly state: IndexState; readonly changed: number; readonly seconds: number }
  /** Why the index has to be built again. */
  | { readonly rebuild: string };

/** Long enough that the thread does not compete with the start of the service. */
const PREPARE_AFTER_MS = 3_000;

export function createUpdater(task: UpdateTask, log: Log): Updater {
  let current: UpdateThread | undefined;
  let preparation: NodeJS.Timeout | undefined;
  function provideThread(): UpdateThread {
    clearTimeout(preparation);
    if (current === undefined || current.hasEnded()) current = startThread(task, log);
    return current;
  }
  return {
    prepare(state) {
      clearTimeout(preparation);
      if (current !== undefined) provideThread().prepare(state);
      else preparation = setTimeout(() => provideThread().prepare(state), PREPARE_AFTER_MS).unref();
    },
    update: async (state, options) => provideThread().update(state, options),
    async close() {
      clearTimeout(preparation);
      await current?.close();
    },
  };
}

interface UpdateThread extends Updater {
  hasEnded(): boolean;
}

function startThread(task: UpdateTask, log: Log): UpdateThread {
  const thread = new Worker(new URL('update-worker.ts', import.meta.url), { workerData: task, name: 'search updates' });
  /** The state that the thread has: the last one that was sent to it or received from it. */
  let known: IndexState | undefined;
  let waiting: PromiseWithResolvers<Answer> | undefined;
  let hasEnded = false;
  let error: unknown = new Error('the thread that updates the search index stopped');
  const send = (request: UpdateRequest) => thread.postMessage(request);
  thread.on('message', (message: UpdateMessage) => {
    if (message.type !== 'unsaved') waiting?.resolve(message);
    else
      log.warn(
        { reason: message.reason },
        'cannot save the search index: the next start has to read the changes again',
      );
  });
  thread.on('error', (cause) => {
    error = cause;
  });
  const ended = new Promise<void>((resolve) => {
    thread.on('exit', () => {
      hasEnded = true;
      waiting?.reject(error);
      resolve();
    });
  });

  function use(state: IndexState): void {
    if (known !== state) send({ type: 'use', state: encodeState(state, known) });
    known = state;
  }

  return {
    hasEnded: () => hasEnded,
    prepare(state) {
      // An idle thread must not keep the process alive.
      thread.unref();
      use(state);
    },
    async update(state, options) {
      thread.ref();
      waiting = Promise.withResolvers();
      use(state);
      send({ type: 'update', ...options });
      const answer = await waiting.promise.finally(() => {
        waiting = undefined;
        thread.unref();
      });
      if (answer.type === 'rebuild') return { rebuild: answer.reason };
      known = await decodeState(answer.state, state);
      return { state: known, changed: answer.changed, seconds: answer.seconds };
    },
    async close() {
      thread.ref();
      if (waiting === undefined) send({ type: 'close' });
      else await thread.terminate();
      await ended;
    },
  };
}

type Answer = Exclude<UpdateMessage, { type: 'unsaved' }>;
