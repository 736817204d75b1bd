import { parentPort, workerData } from 'node:worker_threads';
import { type Location, openExistingStore } from '../../db/open.ts';
import { lowerThreadPriority } from '../../system/priority.ts';
import { hasFewer } from '../store.ts';
import { buildIndex } from './build/build.ts';
import { saveIndex } from './index-file.ts';
import { type IndexState, withoutOverlay } from './overlay.ts';
import { loadState } from './overlay-file.ts';
import { encodeState, type StateMessage } from './state-message.ts';
import { RebuildNeeded } from './update/rebuild-needed.ts';
import { updateOverlay } from './update/update.ts';

/**
 * A thread that provides an index once: from the files, if the journal leads from them to the current data, otherwise
 * built from the store. It delivers the index before saving it, so that search does not wait for the disk.
 */
export interface BuildTask {
  readonly location: Pick<Location, 'databaseUrl' | 'dataDir'>;
  readonly file: string;
  /** Whether the index may come from the files. */
  readonly mayLoad: boolean;
  /** Whether another index is being served, so that this thread should leave the processor to the others. */
  readonly inBackground: boolean;
}

export type BuildMessage =
  | {
      readonly type: 'index';
      readonly state: StateMessage;
      readonly loaded: boolean;
      /** Why a file was not loaded. */
      readonly reason: string | undefined;
      readonly seconds: number;
    }
  | { readonly type: 'unsaved'; readonly reason: string };

/** For fewer entities, starting a second thread takes longer than what it would do. */
const SMALL = 10_000;

const { location, file, mayLoad, inBackground } = workerData as BuildTask;
const send = (message: BuildMessage) => parentPort?.postMessage(message);
if (inBackground) lowerThreadPriority();
const db = openExistingStore('registry', location);
let reason: string | undefined;
try {
  const started = performance.now();
  const loaded = mayLoad ? await load() : undefined;
  const state = loaded ?? withoutOverlay(await buildIndex((await hasFewer(db, SMALL)) ? db : location));
  const seconds = (performance.now() - started) / 1000;
  send({ type: 'index', state: encodeState(state), loaded: loaded !== undefined, reason, seconds });
  if (loaded === undefined) {
    await saveIndex(file, state.base).catch((error: unknown) => send({ type: 'unsaved', reason: String(error) }));
  }
  // An import cannot empty the write-ahead log while this thread reads what it has published.
  await db.shrinkLog().catch(() => false);
} finally {
  await db.close();
}

/** The index of the files, brought up to date. Undefined if there is none or the journal does not lead to the present. */
async function load(): Promise<IndexState | undefined> {
  const saved = await loadState(file);
  if (saved === undefined) return undefined;
  try {
    return await db.snapshot((view) => updateOverlay(saved, view));
  } catch (error) {
    if (!(error instanceof RebuildNeeded)) throw error;
    reason = error.message;
    return undefined;
  }
}
