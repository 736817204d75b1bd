import type { Insert, Transaction } from './db.ts';

/** For both engines. Makes a handle fail after its transaction: a late statement would run on a connection that another caller uses. */
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

/** Up to this many rows, an insert has one SQL text per number of rows, which is the fastest. For more rows, each engine has one text. */
export const MAX_LISTED_ROWS = 32;

const texts = new WeakMap<Insert, string[]>();

/** `INSERT INTO … VALUES ($1, $2), ($3, $4), …` for up to `MAX_LISTED_ROWS` rows. */
export function listRows(into: Insert, rows: number): string {
  const known = texts.getOrInsertComputed(into, () => []);
  known[rows] ??= `${startInsert(into)} VALUES ${numberRows(rows, Object.keys(into.columns).length)} ${into.rest}`;
  return known[rows];
}

export function startInsert({ table, columns }: Insert): string {
  return `INSERT INTO ${table} (${Object.keys(columns).join(', ')})`;
}

function numberRows(rows: number, columns: number): string {
  const row = (index: number) => Array.from({ length: columns }, (_, column) => `$${index * columns + column + 1}`);
  return Array.from({ length: rows }, (_, index) => `(${row(index).join(', ')})`).join(', ');
}
