import { openExistingStore, type StorePlace } from '../../base/db/open.ts';
import { lowerThreadPriority } from '../../base/system/priority.ts';
import { readThreadData, serveThread } from '../../base/system/thread.ts';
import { createWorkQueue } from '../../base/system/turns.ts';
import { hasFewer } from '../store.ts';
import { buildIndex } from './build/build.ts';
import { createCollector } from './collector.ts';
import { loadIndex, saveIndex } from './index-file.ts';
import {
  countDroppedBytes,
  decodeState,
  encodeState,
  type IndexState,
  type StateMessage,
  withoutOverlay,
} from './overlay.ts';
import { RebuildNeeded } from './update/changes.ts';
import { type UpdateOptions, updateOverlay } from './update/update.ts';

/**
 * A thread that builds an index or follows the journal. It keeps one state: the state that it built or the state that is served, which it
 * brings up to date on request. Between requests, the thread holds no transaction. An error ends the thread.
 */
export interface IndexTask {
  readonly location: StorePlace;
  /** The file of the base. */
  readonly file: string;
}

export interface IndexThread {
  /** Loads the index from the file if the journal leads from there to the current data; otherwise builds it from the store. */
  build(options: BuildOptions): Promise<BuiltMessage>;
  /** Sets the state to update from now on. The message may refer to the previous state. */
  use(state: StateMessage): void;
  /** Brings the state up to date. With `compact`, also merges segments, which takes longer. */
  update(compact: boolean): Promise<UpdatedMessage>;
  /** Saves the base after a build, unless it was loaded. Returns the reason if that failed. */
  save(): Promise<string | undefined>;
}

export interface BuildOptions {
  /** Whether the index may come from the file. */
  readonly mayLoad: boolean;
  /** Whether another index is being served, so that this thread should leave the processor to the others. */
  readonly inBackground: boolean;
}

export interface BuiltMessage {
  readonly state: StateMessage;
  readonly loaded: boolean;
  /** Why the file was not loaded. */
  readonly reason: string | undefined;
  readonly seconds: number;
}

/** `changed` is the number of changed entities; `rebuild` is the reason why the index has to be built again. */
type UpdatedMessage = { state: StateMessage; changed: number; seconds: number } | { rebuild: string };

/** For fewer entities, starting a second thread for a build takes longer than the work of this thread. */
const SMALL = 10_000;
/** Changed rows are spread over the table, so a larger cache would not contain more of the rows that are read next. */
const CACHE_KB = 4_000;

const { location, file } = readThreadData<IndexTask>();
const db = openExistingStore('registry', location);
const collectDropped = createCollector();
/** Runs calls that change the state one after the other. */
const inTurn = createWorkQueue();
let state: IndexState | undefined;
let isLoaded = false;

async function build({ mayLoad, inBackground }: BuildOptions): Promise<BuiltMessage> {
  if (inBackground) lowerThreadPriority();
  const started = performance.now();
  const base = mayLoad ? await loadIndex(file) : undefined;
  const followed = base && (await follow(withoutOverlay(base)));
  const [loaded, reason] = typeof followed === 'string' ? [undefined, followed] : [followed, undefined];
  isLoaded = loaded !== undefined;
  state = loaded ?? withoutOverlay(await buildIndex((await hasFewer(db, SMALL)) ? db : location));
  return { state: encodeState(state), loaded: isLoaded, reason, seconds: (performance.now() - started) / 1000 };
}

async function save(): Promise<string | undefined> {
  const base = isLoaded ? undefined : state?.base;
  const reason = base && (await saveIndex(file, base).then(() => undefined, String));
  await shrinkLog();
  return reason;
}

async function use(message: StateMessage): Promise<void> {
  const previous = state;
  state = decodeState(message, previous);
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
  const followed = await follow(from, { compact, onChanges });
  if (typeof followed === 'string') return { rebuild: followed };
  state = followed;
  // This runs when the result is on its way.
  void inTurn(async () => {
    collectDropped(countDroppedBytes(from, followed));
    await shrinkLog();
  });
  return { state: encodeState(state, from), changed, seconds: (performance.now() - started) / 1000 };
}

/** Brings a state up to date by the journal. Returns the reason if the journal does not lead to the present. */
async function follow(from: IndexState, options?: UpdateOptions): Promise<IndexState | string> {
  try {
    return await db.snapshot((view) => updateOverlay(from, view, options), { cacheKb: CACHE_KB });
  } catch (error) {
    if (!(error instanceof RebuildNeeded)) throw error;
    return error.message;
  }
}

/** An import cannot empty the write-ahead log while this thread reads, so the log is emptied here. */
async function shrinkLog(): Promise<void> {
  await db.shrinkLog().catch(() => false);
}

await serveThread<IndexThread>(
  {
    build: (options) => inTurn(() => build(options)),
    save: () => inTurn(save),
    use: (message) => inTurn(() => use(message)),
    update: (compact) => inTurn(() => update(compact)),
  },
  { crashesOnError: true },
);
await inTurn(() => db.close());
