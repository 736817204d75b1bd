import type { Db, Transaction, TransactionOptions } from '../db/db.ts';

/** A dry run. A transaction rolls back only when its work throws, so the work ends with an error that is caught here. */
export async function runAndRollBack<T>(
  db: Db,
  run: (tx: Transaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const rollBack = new Error('dry run: roll back');
  const results: T[] = [];
  try {
    await db.transaction(async (tx) => {
      results.push(await run(tx));
      throw rollBack;
    }, options);
  } catch (error) {
    if (error !== rollBack) throw error;
  }
  return results[0] as T;
}
