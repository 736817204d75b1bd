import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db/db.ts';
import type { Log } from '../../base/log.ts';
import { createBackgroundWork, logFailures } from '../../base/system/background-work.ts';
import { deleteChanges, findOldestKept, findUnlisted, removeEntries, type Unlisted } from './store.ts';

interface PruningOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly keepDays: number;
}

const DAY = 86_400_000;
const INTERVAL_MS = 10 * 60_000;
/** On SQLite a piece blocks the event loop, for 2 ms in a journal of a million changes. This removes 4,000 per second. */
const PIECE_SIZE = 100;
const PAUSE_MS = 20;

/**
 * Removes old entries of the journal, as background work of a server. The entries of `journal` go first, all at once: without its entry, a
 * change is invisible. Then the changes go in small pieces, and after a crash the next run finds the rest. The newest entry always stays,
 * because readers compare their own state with it, and the last one whose changes are removed stays, because readers continue after it.
 */
export function createJournalPruning({ db, clock, log, keepDays }: PruningOptions) {
  async function hideChanges(): Promise<void> {
    const { oldest, kept } = await findOldestKept(db, clock.now() - keepDays * DAY);
    if (oldest !== null && oldest < kept) await removeEntries(db, kept);
  }

  /** Removes up to `PIECE_SIZE` changes, on one machine at a time. */
  function removePiece({ batch }: Unlisted, first: number): Promise<number> {
    return db.transaction(async (tx) => {
      if (!(await tx.claim('journal pruning'))) return 0;
      return deleteChanges(tx, batch, first, first + PIECE_SIZE);
    });
  }

  /** Batches go in their order. One that was published late may keep later ones waiting, until it is removed itself. */
  async function removeChanges(signal: AbortSignal | undefined): Promise<number> {
    let removed = 0;
    for (let batch = await findUnlisted(db); batch !== undefined; batch = await findUnlisted(db)) {
      for (let { first } = batch; first <= batch.last; first += PIECE_SIZE) {
        if (signal?.aborted) return removed;
        const count = await removePiece(batch, first);
        if (count === 0) return removed;
        removed += count;
        await sleep(PAUSE_MS);
      }
    }
    return removed;
  }

  /** Removes the changes of imports that are older than JOURNAL_DAYS. Returns how many changes it removed. */
  async function prune(signal?: AbortSignal): Promise<number> {
    await hideChanges();
    const removed = await removeChanges(signal);
    if (removed > 0) log.info({ changes: removed }, 'old changes removed from the journal');
    return removed;
  }

  return {
    prune,
    ...createBackgroundWork(INTERVAL_MS, logFailures(log, 'old changes could not be removed from the journal', prune)),
  };
}
