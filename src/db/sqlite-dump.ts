import type { DumpedRows, Queries, Snapshot } from './db.ts';

/** How many rows SQLite joins into one value. They fit into memory, and make the cost per call negligible. */
const BATCH = 2_000;

export function createDump(one: Queries['one']): Snapshot['dump'] {
  async function* dumpAll(table: string, bytes: string): AsyncGenerator<Uint8Array> {
    const { min, max } = (await one<{ min: number | null; max: number | null }>(
      `SELECT min(rowid) AS min, max(rowid) AS max FROM ${table}`,
    )) ?? { min: null, max: null };
    if (min === null || max === null) return;
    const part = `SELECT ${bytes} AS bytes FROM ${table} WHERE rowid BETWEEN $1 AND $2`;
    for (let first = min; first <= max; first += BATCH) {
      const row = await one<{ bytes: Uint8Array | null }>(part, [first, first + BATCH - 1]);
      if (row?.bytes) yield row.bytes;
    }
  }

  async function* dumpSome(table: string, bytes: string, { column, values }: DumpedRows): AsyncGenerator<Uint8Array> {
    const part = `SELECT ${bytes} AS bytes FROM ${table} WHERE ${column} IN (SELECT value FROM json_each($1))`;
    // In order, because neighbours share pages of the index.
    const sorted = [...values].sort();
    for (let first = 0; first < sorted.length; first += BATCH) {
      const row = await one<{ bytes: Uint8Array | null }>(part, [JSON.stringify(sorted.slice(first, first + BATCH))]);
      if (row?.bytes) yield row.bytes;
    }
  }

  return (table, columns, only) => {
    const values = columns.map((column) => `coalesce(${column}, CAST(x'ff' AS TEXT))`);
    const bytes = `CAST(group_concat(concat_ws(char(0), ${values.join(', ')}, ''), '') AS BLOB)`;
    return only === undefined ? dumpAll(table, bytes) : dumpSome(table, bytes, only);
  };
}
