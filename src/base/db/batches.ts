import { setTimeout as sleep } from 'node:timers/promises';
import { chooseLookupSize, listPlaceholders, MAX_LOOKUP_SIZE, padList } from '../pad-list.ts';
import type { Db, Engine, Queries, Transaction } from './db.ts';

interface Batches {
  readonly db: Pick<Db, 'transaction'>;
  /** The name of the lock: only one machine at a time does this work, so that two cannot lock the same rows in a different order. */
  readonly name: string;
  /** Bounds how long a transaction holds its locks. On SQLite these are all writes to the store. */
  readonly size: number;
  /** Stops early when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Between two batches, other writers have the database to themselves. */
const PAUSE_MS = 50;

/** Repeats `change` in a transaction each, until it changes fewer rows than a batch has. Returns the number of changed rows. */
export async function changeInBatches(
  { db, name, size, signal }: Batches,
  change: (tx: Transaction, limit: number) => Promise<number>,
): Promise<number> {
  for (let total = 0; ; await sleep(PAUSE_MS)) {
    const changed = await db.transaction(async (tx) => ((await tx.claim(name)) ? change(tx, size) : 0));
    total += changed;
    if (changed < size || signal?.aborted === true) return total;
  }
}

const LISTS: Readonly<Record<Engine, string>> = {
  sqlite: 'json_each($1)',
  postgres: `(SELECT value, ordinality - 1 AS key FROM json_array_elements_text(CAST($1 AS json)) WITH ORDINALITY AS t (value, ordinality))`,
};

/** A table of the texts in `$1`, a JSON list: `value`, and its place as `key`. One parameter of any length costs less than many. */
export function writeList(engine: Engine): string {
  return LISTS[engine];
}

/**
 * The rows of a statement with a list of any length, such as `… WHERE id IN (list)`. Lists are padded to a few lengths, so that few texts are
 * prepared (`base/pad-list.ts`).
 */
export async function readListed<R extends object>(
  db: Pick<Queries, 'all'>,
  values: readonly string[],
  write: (list: string) => string,
): Promise<R[]> {
  const rows: R[] = [];
  for (let at = 0; at < values.length; at += MAX_LOOKUP_SIZE) {
    const part = values.slice(at, at + MAX_LOOKUP_SIZE);
    const size = chooseLookupSize(part.length);
    rows.push(...(await db.all<R>(write(listPlaceholders(size)), padList(part, size))));
  }
  return rows;
}
