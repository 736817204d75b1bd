import type { Transaction } from './db.ts';

/**
 * A handle that works only as long as its transaction: a statement that comes late would otherwise run on a connection
 * that is somebody else's by then, and be committed by itself.
 */
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
    tx: Object.fromEntries(methods) as Transaction,
    end() {
      ended = true;
    },
  };
}
