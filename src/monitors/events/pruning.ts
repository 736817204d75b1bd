import type { Log } from '../../core/log.ts';
import { changeInBatches } from '../../db/batches.ts';
import type { Db, Transaction } from '../../db/db.ts';
import { readCursor, readGeneration } from '../../journal/feed/cursor.ts';
import type { ChangeFeed } from '../../journal/feed/feed.ts';
import { type BackgroundWork, createBackgroundWork, logFailures } from '../../system/background-work.ts';
import { deleteEntitiesOf, deleteMonitor, findDeleted } from '../store.ts';
import { deleteEventsOf, deleteOldEvents } from './store.ts';

/** Removes events that the journal no longer has, and what deleted monitors have left, as background work of a server. */
export interface MonitorPruning extends BackgroundWork {
  /** Returns how many rows it has removed. */
  prune(signal?: AbortSignal): Promise<number>;
}

export interface MonitorPruningOptions {
  readonly db: Db;
  readonly changes: Pick<ChangeFeed, 'readPage'>;
  readonly log: Log;
}

const INTERVAL_MS = 10 * 60_000;
/** On SQLite a batch blocks the event loop. */
const BATCH_SIZE = 500;
const ALL = { country: null, register: null, type: null } as const;

export function createMonitorPruning({ db, changes, log }: MonitorPruningOptions): MonitorPruning {
  async function prune(signal?: AbortSignal): Promise<number> {
    const remove = (change: (tx: Transaction, limit: number) => Promise<number>) =>
      changeInBatches({ db, name: 'monitor pruning', size: BATCH_SIZE, signal }, change);
    const { meta } = await changes.readPage({ cursor: undefined, filter: ALL, limit: 1 });
    const { version, seen: place } = readCursor(meta.oldest);
    const generation = readGeneration(version);
    let removed = await remove((tx, limit) => deleteOldEvents(tx, { generation, place }, limit));
    for (let next = await findDeleted(db); next !== undefined; next = await findDeleted(db)) {
      const number = next;
      removed += await remove((tx, limit) => deleteEventsOf(tx, number, limit));
      removed += await remove((tx, limit) => deleteEntitiesOf(tx, number, limit));
      if (signal?.aborted === true) return removed;
      // If the pass wrote events meanwhile, with the monitor as it was before, the monitor stays until they are removed, too.
      if (!(await deleteMonitor(db, number))) return removed;
    }
    return removed;
  }

  return {
    prune,
    ...createBackgroundWork(INTERVAL_MS, logFailures(log, 'old events of monitors could not be removed', prune)),
  };
}
