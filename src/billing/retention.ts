import { changeInBatches } from '../db/batches.ts';
import type { BillingParts } from './parts.ts';
import { reduceEvents } from './store.ts';

/** Removes the payloads of old events: they may contain names and addresses of people. */
export interface Retention {
  /**
   * Reduces every event that is applied and older than WEBHOOK_DAYS to its id, kind, times and outcome. Returns how many.
   * Stops early when the signal is aborted.
   */
  reduceOldEvents(signal?: AbortSignal): Promise<number>;
}

const DAY = 86_400_000;
/**
 * A transaction holds the write lock of SQLite: for 5 ms with payloads of 5 KB, and for 50 ms if all have the maximum size
 * of 512 KiB.
 */
const BATCH_SIZE = 50;

export function createRetention(
  { db, clock, log }: Pick<BillingParts, 'db' | 'clock' | 'log'>,
  keepDays: number,
): Retention {
  return {
    async reduceOldEvents(signal) {
      const batches = { db, name: 'billing retention', size: BATCH_SIZE, signal };
      const total = await changeInBatches(batches, (tx, limit) =>
        reduceEvents(tx, clock.now() - keepDays * DAY, limit, clock.now()),
      );
      if (total > 0) log.info({ events: total }, 'payloads of old payment events removed');
      return total;
    },
  };
}
