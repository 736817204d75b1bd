import type { Reads, Snapshot, Value } from '../../../base/db/db.ts';
import { createRowFinder, type RowKey, streamRows } from '../../records/bulk/store.ts';
import { PARTY, type StoredParty, toParty } from '../store.ts';

/** The SQL of reading all parties. */

/** A set of parties to read, and whether the persons in it are read as well. */
export interface SelectedSet {
  readonly register: string;
  readonly set: string;
  readonly withPersons: boolean;
}

/** `[key, register]` of the selected parties, by register and company. */
export function streamPartyKeys(view: Snapshot, sets: readonly SelectedSet[]): AsyncIterable<Value[][]> {
  const params: Value[] = [];
  const choices = sets.map(({ register, set, withPersons }) => {
    const place = `register = $${params.push(register)} AND set_name = $${params.push(set)}`;
    return `(${place}${withPersons ? '' : ' AND is_person = 0'})`;
  });
  const order = ['register', 'company', 'role', 'id'].map((column) => `${column} COLLATE "binary"`).join(', ');
  const filters = [`(${choices.join(' OR ')})`];
  return streamRows(view, { table: 'parties', columns: 'register', filters, order }, params);
}

/** A party with all that is stored of it. */
export interface CompleteParty extends StoredParty {
  readonly id: string;
  readonly sourceData: string;
  /** The names of the columns, as JSON. Null if the source is a tree. */
  readonly columns: string | null;
}

/** Finds the parties with these keys, in their order. */
export function createPartyFinder(view: Snapshot) {
  const find = createRowFinder(
    view,
    (
      key,
      list,
    ) => `SELECT ${PARTY}, p.id, p.source_data, l.columns, p.${key} FROM parties p LEFT JOIN layouts l ON l.id = p.layout
      WHERE p.${key} IN (${list})`,
  );
  return async (keys: readonly RowKey[]): Promise<CompleteParty[]> =>
    (await find(keys)).map((row) => {
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
