import type { Transaction } from './db.ts';

/**
 * Makes a handle fail once its transaction has ended. A late statement would otherwise run on a connection that
 * somebody else is using by then, and be committed on its own.
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
