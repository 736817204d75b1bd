import { keepBySize, listPlaceholders, padList } from '../../core/pad-list.ts';
import type { Engine, Reads, Snapshot, Value } from '../../db/db.ts';
import { ALLOW_TERMINATION } from '../../db/sqlite.ts';
import type { RowKey } from '../../records/bulk/bulk.ts';
import { PARTY, type StoredParty, toParty } from '../store.ts';

/** The SQL of reading all parties. */

/** A set of parties to read, and whether the persons in it are read as well. */
export interface SelectedSet {
  readonly register: string;
  readonly set: string;
  readonly withPersons: boolean;
}

const KEYS: Readonly<Record<Engine, string>> = { sqlite: 'rowid', postgres: 'id' };

/** SQLite reads this many rows in a few milliseconds. A power of two. */
const ROWS_BETWEEN_CALLS = 4_096;

/** `[key, register]` of the selected parties, by register and company. */
export function streamPartyKeys(view: Snapshot, sets: readonly SelectedSet[]): AsyncIterable<Value[][]> {
  const params: Value[] = [];
  const choices = sets.map(({ register, set, withPersons }) => {
    const place = `register = $${params.push(register)} AND set_name = $${params.push(set)}`;
    return `(${place}${withPersons ? '' : ' AND is_person = 0'})`;
  });
  const filters = [`(${choices.join(' OR ')})`];
  if (view.engine === 'sqlite') filters.push(`(rowid & ${ROWS_BETWEEN_CALLS - 1} <> 0 OR ${ALLOW_TERMINATION}())`);
  const sql = `SELECT ${KEYS[view.engine]}, register FROM parties WHERE ${filters.join(' AND ')}
    ORDER BY register COLLATE "binary", company COLLATE "binary", role COLLATE "binary", id COLLATE "binary"`;
  return view.stream(sql, params);
}

/** A party with all that is stored of it. */
export interface CompleteParty extends StoredParty {
  readonly id: string;
  readonly sourceData: string;
  /** The names of the columns, as JSON. Null if the source is a tree. */
  readonly columns: string | null;
}

const writeFindParties = (engine: Engine) =>
  keepBySize((size) => {
    const key = `p.${KEYS[engine]}`;
    return `SELECT ${PARTY}, p.id, p.source_data, l.columns, ${key} FROM parties p LEFT JOIN layouts l ON l.id = p.layout
      WHERE ${key} IN (${listPlaceholders(size)})`;
  });

const findParties: Readonly<Record<Engine, (size: number) => string>> = {
  sqlite: writeFindParties('sqlite'),
  postgres: writeFindParties('postgres'),
};

/** The parties with these keys, in their order. */
export async function findPartiesByKeys(
  view: Snapshot,
  keys: readonly RowKey[],
  size: number,
): Promise<CompleteParty[]> {
  const rows = await view.rows(findParties[view.engine](size), padList(keys, size));
  const found = new Map(rows.map((row) => [row.at(-1), row]));
  return keys.map((key) => {
    const row = found.get(key);
    if (row === undefined) throw new Error(`the snapshot has no party ${key}`);
    const [id, sourceData, columns] = row.slice(-4) as [string, string, string | null];
    return { ...toParty(row), id, sourceData, columns };
  });
}

/** The sets of parties in the store, and how many parties each has. */
export async function listStoredSets(
  db: Reads,
): Promise<{ readonly register: string; readonly set: string; readonly parties: number }[]> {
  return db.all('SELECT register, set_name AS "set", parties FROM party_sets ORDER BY register, set_name');
}
