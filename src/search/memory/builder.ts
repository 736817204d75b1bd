import type { Log } from '../../core/log.ts';
import { openThread } from '../../system/thread.ts';
import type { BuildTask, BuildThread, BuiltMessage } from './build-worker.ts';
import type { IndexState } from './overlay.ts';
import { decodeState } from './state-message.ts';

export type Builder = ReturnType<typeof startBuilder>;

export interface Built extends Omit<BuiltMessage, 'state'> {
  readonly state: IndexState;
}

/** A thread that loads or builds an index: see `build-worker.ts`. */
export function startBuilder(task: BuildTask, log: Log) {
  const thread = openThread<BuildThread>(new URL('build-worker.ts', import.meta.url), { name: 'search index' });
  let isBuilding = true;
  const build = async (): Promise<Built> => {
    const { state, ...rest } = await thread.call('build', task);
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
  // A thread that failed has nothing to save. The caller may have closed the builder and not wait for the result any more.
  const saved = built.then(save).catch(async () => {
    await thread.close();
    return true;
  });
  return {
    built,
    /** Resolves when the thread has ended: whether the index is saved. */
    saved,
    /** Abandons a build, because it may take long. Saving a finished index takes a moment, and spares the next start a build. */
    async close(): Promise<void> {
      if (isBuilding) await thread.close();
      await saved;
    },
  };
}
