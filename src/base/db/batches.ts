import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Transaction } from './db.ts';

interface Batches {
  readonly db: Pick<Db, 'transaction'>;
  /** The name of the lock: only one machine at a time does this work, so that two cannot lock the same rows in a different order. */
  readonly name: string;
  /** Bounds how long a transaction holds its locks. On SQLite these are all writes to the store. */
  readonly size: number;
  /** Between two batches, other writers have the database to themselves. */
  readonly pauseMs?: number;
  /** Stops early when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Repeats `change` in a transaction each, until it changes fewer rows than a batch has. Returns the number of changed rows. */
export async function changeInBatches(
  { db, name, size, pauseMs = 50, signal }: Batches,
  change: (tx: Transaction, limit: number) => Promise<number>,
): Promise<number> {
  for (let total = 0; ; await sleep(pauseMs)) {
    const changed = await db.transaction(async (tx) => ((await tx.claim(name)) ? change(tx, size) : 0));
    total += changed;
    if (changed < size || signal?.aborted === true) return total;
  }
}
