import type { Log } from '../../core/log.ts';
import { openThread, type Thread } from '../../system/thread.ts';
import type { IndexState } from './overlay.ts';
import { decodeState, encodeState } from './state-message.ts';
import type { UpdateEvents, UpdateTask, UpdateThread } from './update-worker.ts';

/**
 * The thread that brings a state up to date (`update-worker.ts`). It is kept between updates, because starting it takes
 * longer than most of them. After a failure the next update starts another one.
 */
export function createUpdater(task: UpdateTask, log: Log) {
  let thread: Thread<UpdateThread> | undefined;
  let known: IndexState | undefined;
  let isUpdating = false;
  let preparation: NodeJS.Timeout | undefined;

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
    /** Starts the thread in a moment, so that the first update does not wait for it. */
    prepare(state: IndexState): void {
      clearTimeout(preparation);
      if (thread !== undefined) provideThread(state);
      else preparation = setTimeout(() => provideThread(state), PREPARE_AFTER_MS).unref();
    },
    /**
     * Must not be called again before it has resolved. `compact` merges segments, which takes longer; `saveBase` saves the
     * base too, which failed before. Returns `rebuild`, the reason, if the index has to be built again.
     */
    async update(state: IndexState, { compact = false, saveBase = false } = {}) {
      const updating = provideThread(state);
      isUpdating = true;
      const updated = await updating.call('update', compact).finally(() => {
        isUpdating = false;
      });
      if ('rebuild' in updated) return updated;
      updating.post('save', [saveBase]);
      known = decodeState(updated.state, state);
      return { ...updated, state: known };
    },
    /** Stops an update, or waits until the files are written. */
    async close(): Promise<void> {
      clearTimeout(preparation);
      if (isUpdating) await thread?.close();
      else if (thread?.ended === undefined) await thread?.finish().catch(() => undefined);
    },
  };
}

/** Long enough that the thread does not compete with the start of the service. */
const PREPARE_AFTER_MS = 3_000;
