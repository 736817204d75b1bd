import type { Clock } from '../../base/clock.ts';
import { changeInBatches } from '../../base/db/batches.ts';
import type { Db } from '../../base/db/db.ts';
import type { Log } from '../../base/log.ts';
import { createPruning } from '../../base/system/background-work.ts';
import { deleteFirstChanges, findOldestKept, findUnlisted, removeEntries } from './store.ts';

const DAY = 86_400_000;
/** On SQLite a batch blocks the event loop, for 2 ms in a journal of a million changes. These settings remove 4,000 changes per second. */
const BATCHES = { name: 'journal pruning', size: 100, pauseMs: 20 };

/**
 * Removes old entries of the journal, as background work of a server. The entries of `journal` go first, all at once: without its entry, a
 * change is invisible. Then the changes go in small batches, and after a crash the next run finds the rest. The newest entry always stays,
 * because readers compare their state with it, and the last entry whose changes are removed stays, because readers continue after it.
 */
export function createJournalPruning(db: Db, clock: Clock, log: Log, keepDays: number) {
  /** Imports are removed in their order. An import that was published late may keep later imports waiting until it is removed itself. */
  async function removeChanges(signal: AbortSignal | undefined): Promise<number> {
    for (let total = 0; ; ) {
      const batch = await findUnlisted(db);
      if (batch === undefined) return total;
      const removed = await changeInBatches({ db, ...BATCHES, signal }, (tx, limit) =>
        deleteFirstChanges(tx, batch, limit),
      );
      total += removed;
      // Nothing is removed here while another machine removes changes.
      if (removed === 0 || signal?.aborted) return total;
    }
  }

  /** Removes the changes of imports that are older than JOURNAL_DAYS. Returns how many changes it removed. */
  async function prune(signal?: AbortSignal): Promise<number> {
    const { oldest, kept } = await findOldestKept(db, clock.now() - keepDays * DAY);
    if (oldest !== null && oldest < kept) await removeEntries(db, kept);
    const removed = await removeChanges(signal);
    if (removed > 0) log.info({ changes: removed }, 'old changes removed from the journal');
    return removed;
  }

  return createPruning(log, 'old changes could not be removed from the journal', prune);
}
