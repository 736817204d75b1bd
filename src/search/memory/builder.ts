import { Worker } from 'node:worker_threads';
import type { Log } from '../../core/log.ts';
import type { BuildMessage, BuildTask } from './build-worker.ts';
import type { IndexState } from './overlay.ts';
import { decodeState } from './state-message.ts';

/** A thread that loads or builds an index: see `build-worker.ts`. */
export interface Builder {
  readonly built: Promise<Built>;
  /** Resolves when the thread has ended: whether the index is saved. */
  readonly saved: Promise<boolean>;
  /** Abandons a build, because it may take long. Saving a finished index takes a moment, and spares the next start a build. */
  close(): Promise<void>;
}

export interface Built extends Omit<Extract<BuildMessage, { type: 'index' }>, 'type' | 'state'> {
  readonly state: IndexState;
}

export function startBuilder(task: BuildTask, log: Log): Builder {
  const thread = new Worker(new URL('build-worker.ts', import.meta.url), { workerData: task, name: 'search index' });
  const delivered = Promise.withResolvers<Built>();
  // A caller that has closed the builder no longer waits for the result, so nothing else would handle the error.
  delivered.promise.catch(() => undefined);
  let isBuilding = true;
  let isSaved = true;
  thread.on('message', (message: BuildMessage) => {
    if (message.type === 'unsaved') {
      isSaved = false;
      log.warn({ reason: message.reason }, 'cannot save the search index: the next start has to build it');
      return;
    }
    isBuilding = false;
    const { type, state, ...rest } = message;
    delivered.resolve(decodeState(state).then((decoded) => ({ ...rest, state: decoded })));
  });
  thread.on('error', delivered.reject);
  const saved = new Promise<boolean>((resolve) => thread.on('exit', () => resolve(isSaved)));
  thread.on('exit', () => delivered.reject(new Error('the thread that builds the search index stopped')));
  return {
    built: delivered.promise,
    saved,
    async close() {
      if (isBuilding) await thread.terminate();
      await saved;
    },
  };
}
