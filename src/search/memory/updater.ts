import type { Log } from '../../core/log.ts';
import { openThread, type Thread } from '../../system/thread.ts';
import type { IndexState } from './overlay.ts';
import { decodeState, encodeState } from './state-message.ts';
import type { UpdateEvents, UpdateTask, UpdateThread } from './update-worker.ts';

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

export interface UpdateOptions {
  /** Merges segments, which takes longer. */
  readonly compact?: boolean;
  /** Saves the base too, which failed before. */
  readonly saveBase?: boolean;
}

export type Updated =
  /** `changed` is the number of entities. */
  | { readonly state: IndexState; readonly changed: number; readonly seconds: number }
  /** Why the index has to be built again. */
  | { readonly rebuild: string };

/** Long enough that the thread does not compete with the start of the service. */
const PREPARE_AFTER_MS = 3_000;

export function createUpdater(task: UpdateTask, log: Log): Updater {
  let thread: Thread<UpdateThread> | undefined;
  /** The state that the thread has. */
  let known: IndexState | undefined;
  let isUpdating = false;
  let preparation: NodeJS.Timeout | undefined;

  /** The thread, which has the state. */
  function provideThread(state: IndexState): Thread<UpdateThread> {
    clearTimeout(preparation);
    if (thread === undefined || thread.ended !== undefined) {
      known = undefined;
      // An idle thread must not keep the process alive.
      const options = { name: 'search updates', data: task, inBackground: true, on: { unsaved } };
      thread = openThread<UpdateThread, UpdateEvents>(new URL('update-worker.ts', import.meta.url), options);
    }
    if (known !== state) thread.post('use', [encodeState(state, known)]);
    known = state;
    return thread;
  }

  function unsaved(reason: string): void {
    log.warn({ reason }, 'cannot save the search index: the next start has to read the changes again');
  }

  return {
    prepare(state) {
      clearTimeout(preparation);
      if (thread !== undefined) provideThread(state);
      else preparation = setTimeout(() => provideThread(state), PREPARE_AFTER_MS).unref();
    },
    async update(state, { compact = false, saveBase = false } = {}) {
      const updating = provideThread(state);
      isUpdating = true;
      const updated = await updating.call('update', compact).finally(() => {
        isUpdating = false;
      });
      if ('rebuild' in updated) return updated;
      updating.post('save', [saveBase]);
      known = await decodeState(updated.state, state);
      return { ...updated, state: known };
    },
    async close() {
      clearTimeout(preparation);
      if (isUpdating) await thread?.close();
      else if (thread?.ended === undefined) await thread?.finish().catch(() => undefined);
    },
  };
}
