import type { Db, Queries, Transaction } from '../../src/base/db/db.ts';

/** A database that calls `step` before each statement, and before and after each commit. */
export function steppingDb(db: Db, step: () => void | Promise<void>): Db {
  function watch<T extends Queries>(queries: T): T {
    const watched = Object.create(queries) as { -readonly [K in keyof T]: T[K] };
    for (const name of ['all', 'one', 'run'] as const) {
      const original = queries[name].bind(queries) as (...args: never[]) => Promise<unknown>;
      Object.assign(watched, {
        [name]: async (...args: never[]) => {
          await step();
          return original(...args);
        },
      });
    }
    return watched as T;
  }
  return Object.assign(watch(db), {
    async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      const result = await db.transaction(async (tx) => {
        const value = await work(watch(tx));
        await step();
        return value;
      });
      await step();
      return result;
    },
  });
}

/**
 * A database as seen by a process that dies after a number of statements: every later statement fails, and so does a
 * commit, either before or after it took effect. Open transactions are rolled back, as after a real crash.
 */
export function crashingDb(db: Db, statements: number): Db {
  let left = statements;
  return steppingDb(db, () => {
    if (left-- <= 0) throw new Error('the process is dead');
  });
}
