import { openExistingStore, type StorePlace } from '../../base/db/open.ts';
import { createEmitter, readThreadData, serveThread } from '../../base/system/thread-worker.ts';
import { createWorkQueue } from '../../base/system/turns.ts';
import { createCollector } from './collector.ts';
import { saveIndex, saveOverlay } from './index-file.ts';
import { countDroppedBytes, decodeState, encodeState, type IndexState, type StateMessage } from './overlay.ts';
import type { SearchIndex } from './search-index.ts';
import { RebuildNeeded } from './update/changes.ts';
import { updateOverlay } from './update/update.ts';

/**
 * The thread that follows the journal: the thread keeps the state that is served and, on request, brings this state up to date and
 * delivers the new overlay. Between requests, the thread holds no transaction. An error ends the thread, and the next request starts
 * another thread.
 */
export interface UpdateTask {
  readonly location: StorePlace;
  /** The file of the base. */
  readonly file: string;
}

export interface UpdateThread {
  /** Sets the state to update from now on. The message may refer to the previous state. */
  use(state: StateMessage): void;
  /** Brings the state up to date. With `compact`, also merges segments, which takes longer. */
  update(compact: boolean): Promise<UpdatedMessage>;
  /** Begins to save the updated state; with `saveBase`, also the base. */
  save(saveBase: boolean): Promise<void>;
}

export interface UpdateEvents {
  unsaved(reason: string): void;
}

/** `changed` is the number of changed entities; `rebuild` is the reason why the index has to be built again. */
type UpdatedMessage = { state: StateMessage; changed: number; seconds: number } | { rebuild: string };

const { location, file } = readThreadData<UpdateTask>();
const emit = createEmitter<UpdateEvents>();
const db = openExistingStore('registry', location);
const collectDropped = createCollector();
let state: IndexState | undefined;

/** Changed rows are spread over the table, so a larger cache would not contain more of the rows that are read next. */
const CACHE_KB = 4_000;

/** The memory that the last update dropped. */
let droppedBytes = 0;

/** Resolves when the latest state is saved. */
let saving: Promise<void> | undefined;
let savedBase: SearchIndex | undefined;

function use(message: StateMessage): void {
  const previous = state;
  state = decodeState(message, previous);
  // A replaced base must not stay in memory.
  if (savedBase !== state.base) savedBase = undefined;
  if (previous !== undefined) collectDropped(countDroppedBytes(previous, state));
}

async function update(compact: boolean): Promise<UpdatedMessage> {
  const from = state;
  if (from === undefined) throw new Error('there is no state to update');
  const started = performance.now();
  let changed = 0;
  const onChanges = (entities: number) => {
    changed = entities;
  };
  try {
    state = await db.snapshot((view) => updateOverlay(from, view, { compact, onChanges }), { cacheKb: CACHE_KB });
  } catch (error) {
    if (!(error instanceof RebuildNeeded)) throw error;
    return { rebuild: error.message };
  }
  droppedBytes = countDroppedBytes(from, state);
  return { state: encodeState(state, from), changed, seconds: (performance.now() - started) / 1000 };
}

async function startSaving(saveBase: boolean): Promise<void> {
  collectDropped(droppedBytes);
  saving ??= save(saveBase).finally(() => {
    saving = undefined;
  });
  // An import cannot empty the write-ahead log while this thread reads, so the log is emptied here.
  await db.shrinkLog().catch(() => false);
}

/** Saves the latest state. If updates come faster than states can be saved, some states are never saved. */
async function save(saveBase: boolean): Promise<void> {
  let saved: IndexState | undefined;
  while (state !== undefined && saved !== state) {
    saved = state;
    try {
      if (saveBase && savedBase !== saved.base) await saveIndex(file, saved.base);
      savedBase = saved.base;
      await saveOverlay(file, saved);
    } catch (error) {
      emit('unsaved', String(error));
    }
  }
}

/** Runs calls that change the state one after the other. */
const inTurn = createWorkQueue();

await serveThread<UpdateThread>(
  {
    use: (message) => inTurn(async () => use(message)),
    update: (compact) => inTurn(() => update(compact)),
    save: (saveBase) => inTurn(() => startSaving(saveBase)),
  },
  { crashesOnError: true },
);
await saving;
await db.close();
