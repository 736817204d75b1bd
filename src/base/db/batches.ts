import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Transaction } from './db.ts';

interface Batches {
  readonly db: Pick<Db, 'transaction'>;
  /** The name of the lock that lets only one machine at a time do this work: two machines could lock the same rows in a different order. */
  readonly name: string;
  /** Rows per transaction, which bounds how long it holds its locks. On SQLite, the lock blocks all other writes to the store. */
  readonly size: number;
  /** The pause between two batches, in which other writers can use the database. */
  readonly pauseMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Repeats `change`, each time in a new transaction, until fewer rows change than a batch contains. Returns the number of changed rows. */
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
