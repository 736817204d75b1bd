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
 * The thread that follows the journal: it remembers the state that is served, and on request brings it up to date and
 * delivers the new overlay. Between requests it holds no transaction. An error ends it, and the next request starts
 * another one.
 */
export interface UpdateTask {
  readonly location: StorePlace;
  /** The file of the base. */
  readonly file: string;
}

export interface UpdateThread {
  /** The state to update from now on, relative to the one before. */
  use(state: StateMessage): void;
  /** `compact` merges segments, which takes longer. */
  update(compact: boolean): Promise<UpdatedMessage>;
  /** Begins to save the updated state; with `saveBase`, its base too. */
  save(saveBase: boolean): Promise<void>;
}

export interface UpdateEvents {
  unsaved(reason: string): void;
}

/** `changed` is the number of entities; `rebuild` says why the index has to be built again. */
type UpdatedMessage = { state: StateMessage; changed: number; seconds: number } | { rebuild: string };

const { location, file } = readThreadData<UpdateTask>();
const emit = createEmitter<UpdateEvents>();
const db = openExistingStore('registry', location);
const collectDropped = createCollector();
let state: IndexState | undefined;

/** Changed rows are all over the table, so that more memory keeps no more of what is read next. */
const CACHE_KB = 4_000;

/** By the last update. */
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
  // An import cannot empty the write-ahead log while this thread reads what it has published.
  await db.shrinkLog().catch(() => false);
}

/** Saves the latest state. If updates come faster than they can be saved, some are never saved. */
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

/** Calls change the state one after the other. */
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
