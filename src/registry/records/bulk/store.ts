import type { Engine, Snapshot, Value } from '../../../base/db/db.ts';
import { writeListed } from '../../../base/db/lists.ts';
import { ALLOW_TERMINATION } from '../../../base/db/sqlite.ts';
import { listEntityColumns, type StoredEntity, toEntity } from '../store.ts';

/** The SQL of reading all entities. */

export interface Selection {
  /** Codes of countries; undefined for all. */
  readonly countries: readonly string[] | undefined;
  readonly registers: readonly string[];
}

/** What finds an entity or a party within a snapshot. */
export type RowKey = string | number;

/** The key of a row, the folder of an export that the row belongs to (a country, or the register of a party), and its register. */
export type BulkKey = readonly [key: RowKey, folder: string, register: string];

/** Changes when row numbers may have changed: VACUUM, which may give rows other numbers, also increases the version of the schema. */
export async function findNumbering(view: Snapshot): Promise<number> {
  if (view.engine !== 'sqlite') return 0;
  return (await view.one<{ schema_version: number }>('PRAGMA schema_version'))?.schema_version ?? 0;
}

/** In SQLite, an id leads to the row number, and the row number to the row: with row numbers, a lookup reads half as many pages. */
const KEYS: Readonly<Record<Engine, string>> = { sqlite: 'rowid', postgres: 'id' };

/** SQLite reads this many rows in a few milliseconds. A power of two. */
const ROWS_BETWEEN_CALLS = 4_096;

interface SortedRows {
  readonly table: 'entities' | 'parties';
  readonly folder: string;
  readonly filters: readonly string[];
  readonly order: string;
}

/** The keys of the rows that pass the filters, in an order. The first key takes as long as sorting all keys. */
export function streamRows(
  view: Snapshot,
  { table, folder, filters, order }: SortedRows,
  params: readonly Value[],
): AsyncIterable<BulkKey[]> {
  const isInterruptible = `(rowid & ${ROWS_BETWEEN_CALLS - 1} <> 0 OR ${ALLOW_TERMINATION}())`;
  const all = view.engine === 'sqlite' ? [...filters, isInterruptible] : filters;
  const sql = `SELECT ${KEYS[view.engine]}, ${folder}, register FROM ${table} WHERE ${all.join(' AND ')} ORDER BY ${order}`;
  return view.stream(sql, params) as AsyncIterable<never[]>;
}

/** Returns a function that finds rows in the order of given keys. `write` returns the statement for a list of keys; its last column is the key. */
export function createRowFinder(view: Snapshot, write: (key: string, list: string) => string) {
  const key = KEYS[view.engine];
  const statement = (list: string) => write(key, list);
  return async (keys: readonly RowKey[]): Promise<Value[][]> => {
    const rows = await view.rows(...writeListed(statement, keys));
    const found = new Map(rows.map((row) => [row.at(-1), row]));
    return keys.map((key) => {
      const row = found.get(key);
      if (row === undefined) throw new Error(`the snapshot has no row ${key}`);
      return row;
    });
  };
}

/** The keys of the selected entities by country, in the order of search results. */
export function streamKeys(view: Snapshot, { countries, registers }: Selection): AsyncIterable<BulkKey[]> {
  const params: Value[] = [];
  const list = (values: readonly string[]) => values.map((value) => `$${params.push(value)}`).join(', ');
  const filters = [`register IN (${list(registers)})`];
  if (countries !== undefined) filters.push(`country_code IN (${list(countries)})`);
  // No index has this order, and rows are wide: only the keys are sorted. Country and name are one text, because SQLite compares records
  // with equal first columns slowly. No country code is the start of another one, and a space comes before all letters.
  const order = `(country_code || ' ' || name_key) COLLATE "binary", canonical_name COLLATE "binary", id COLLATE "binary"`;
  return streamRows(view, { table: 'entities', folder: 'country_code', filters, order }, params);
}

/** Returns a function that finds the entities with given keys, in the order of the keys. */
export function createKeyFinder(view: Snapshot, counts: string) {
  const columns = listEntityColumns(counts, (column) => column);
  const find = createRowFinder(
    view,
    (key, list) => `SELECT ${columns}, e.${key} FROM entities e WHERE e.${key} IN (${list})`,
  );
  return async (keys: readonly RowKey[]): Promise<StoredEntity[]> => (await find(keys)).map(toEntity);
}
