import { on } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { type Location, openExistingStore } from '../../db/open.ts';
import { createCollector } from './collector.ts';
import { saveIndex } from './index-file.ts';
import type { IndexState } from './overlay.ts';
import { saveOverlay } from './overlay-file.ts';
import type { SearchIndex } from './search-index.ts';
import { decodeState, encodeState, type StateMessage } from './state-message.ts';
import { countDroppedBytes } from './state-size.ts';
import { RebuildNeeded } from './update/rebuild-needed.ts';
import { updateOverlay } from './update/update.ts';

/**
 * The thread that follows the journal: it remembers the state that is served, and on request brings it up to date and
 * delivers the new overlay. Between requests it holds no transaction. An error ends it, and the next request starts
 * another one.
 */
export interface UpdateTask {
  readonly location: Pick<Location, 'databaseUrl' | 'dataDir'>;
  /** The file of the base. */
  readonly file: string;
}

export type UpdateRequest =
  /** The state to update from now on, relative to the one before. */
  | { readonly type: 'use'; readonly state: StateMessage }
  | ({ readonly type: 'update' } & UpdateOptions)
  /** Ends the thread when the files are written. */
  | { readonly type: 'close' };

export interface UpdateOptions {
  /** Merges segments, which takes longer. */
  readonly compact?: boolean;
  /** Saves the base too, which failed before. */
  readonly saveBase?: boolean;
}

export type UpdateMessage =
  | { readonly type: 'updated'; readonly state: StateMessage; readonly changed: number; readonly seconds: number }
  | { readonly type: 'rebuild'; readonly reason: string }
  | { readonly type: 'unsaved'; readonly reason: string };

if (parentPort === null) throw new Error('this file runs as a worker thread');
const port = parentPort;
const { location, file } = workerData as UpdateTask;
const send = (message: UpdateMessage) => port.postMessage(message);
const db = openExistingStore('registry', location);
const collectDropped = createCollector();
let state: IndexState | undefined;

/** Resolves when the latest state is saved. */
let saving: Promise<void> | undefined;
let savedBase: SearchIndex | undefined;

async function use(message: StateMessage): Promise<void> {
  const previous = state;
  state = await decodeState(message, previous);
  // A replaced base must not stay in memory.
  if (savedBase !== state.base) savedBase = undefined;
  if (previous !== undefined) collectDropped(countDroppedBytes(previous, state));
}

async function update(from: IndexState, { compact = false, saveBase = false }: UpdateOptions): Promise<void> {
  const started = performance.now();
  let changed = 0;
  const onChanges = (entities: number) => {
    changed = entities;
  };
  try {
    state = await db.snapshot((view) => updateOverlay(from, view, { compact, onChanges }));
  } catch (error) {
    if (!(error instanceof RebuildNeeded)) throw error;
    return send({ type: 'rebuild', reason: error.message });
  }
  send({ type: 'updated', state: encodeState(state, from), changed, seconds: (performance.now() - started) / 1000 });
  collectDropped(countDroppedBytes(from, state));
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
      send({ type: 'unsaved', reason: String(error) });
    }
  }
}

for await (const [request] of on(port, 'message') as AsyncIterable<[UpdateRequest]>) {
  if (request.type === 'use') await use(request.state);
  if (request.type === 'update' && state !== undefined) await update(state, request);
  if (request.type === 'close') break;
}
await saving;
await db.close();
port.close();
