import type { Transaction } from './db.ts';

/** Makes a handle fail after its transaction: a late statement would be run and committed on a connection of others. */
export function guardTransaction(tx: Transaction): { readonly tx: Transaction; end(): void } {
  let ended = false;
  const methods = Object.entries(tx).map(([name, method]: [string, (...values: unknown[]) => Promise<unknown>]) => [
    name,
    async (...values: unknown[]) => {
      if (ended) throw new Error(`${name}: this transaction has ended`);
      return method(...values);
    },
  ]);
  return {
    tx: { ...Object.fromEntries(methods), engine: tx.engine } as Transaction,
    end() {
      ended = true;
    },
  };
}
