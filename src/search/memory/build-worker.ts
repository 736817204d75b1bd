import type { Db } from '../../base/db/db.ts';
import { openExistingStore, type StorePlace } from '../../base/db/open.ts';
import { lowerThreadPriority } from '../../base/system/priority.ts';
import { serveThread } from '../../base/system/thread-worker.ts';
import { hasFewer } from '../store.ts';
import { buildIndex } from './build/build.ts';
import { loadState, saveIndex } from './index-file.ts';
import { encodeState, type IndexState, type StateMessage, withoutOverlay } from './overlay.ts';
import { RebuildNeeded } from './update/changes.ts';
import { updateOverlay } from './update/update.ts';

/**
 * A thread that provides an index once: from the files, if the journal leads from the files to the current data, otherwise
 * built from the store. The thread delivers the index before saving it, so that search does not wait for the disk.
 */
export interface BuildTask {
  readonly location: StorePlace;
  readonly file: string;
  /** Whether the index may come from the files. */
  readonly mayLoad: boolean;
  /** Whether another index is being served, so that this thread should leave the processor to the others. */
  readonly inBackground: boolean;
}

export interface BuildThread {
  build(task: BuildTask): Promise<BuiltMessage>;
  /** Saves a newly built index, which ends the work of the thread. Returns the reason if the index could not be saved. */
  save(): Promise<string | undefined>;
}

export interface BuiltMessage {
  readonly state: StateMessage;
  readonly loaded: boolean;
  /** Why a file was not loaded. */
  readonly reason: string | undefined;
  readonly seconds: number;
}

/** For fewer entities, starting a second thread takes longer than the work of this thread. */
const SMALL = 10_000;

const opened: AsyncDisposableStack = new AsyncDisposableStack();
let save = async (): Promise<string | undefined> => undefined;

await serveThread<BuildThread>({
  async build({ location, file, mayLoad, inBackground }) {
    if (inBackground) lowerThreadPriority();
    const db = openExistingStore('registry', location);
    opened.defer(() => db.close());
    const started = performance.now();
    const { state: loaded, reason } = mayLoad ? await load(db, file) : {};
    const state = loaded ?? withoutOverlay(await buildIndex((await hasFewer(db, SMALL)) ? db : location));
    const seconds = (performance.now() - started) / 1000;
    save = async () => {
      const saving = loaded === undefined ? saveIndex(file, state.base) : Promise.resolve();
      const unsaved = await saving.then(() => undefined, String);
      // An import cannot empty the write-ahead log while this thread reads, so the log is emptied here.
      await db.shrinkLog().catch(() => false);
      return unsaved;
    };
    return { state: encodeState(state), loaded: loaded !== undefined, reason, seconds };
  },
  save: () => save(),
});
await opened.disposeAsync();

/** Loads the index from the files and brings it up to date. No state if there are no files or the journal does not lead to the present. */
async function load(db: Db, file: string): Promise<{ readonly state?: IndexState; readonly reason?: string }> {
  const saved = await loadState(file);
  if (saved === undefined) return {};
  try {
    return { state: await db.snapshot((view) => updateOverlay(saved, view)) };
  } catch (error) {
    if (!(error instanceof RebuildNeeded)) throw error;
    return { reason: error.message };
  }
}
