import type { Queries, Reads, Snapshot, Value } from '../../base/db/db.ts';
import { runListed } from '../../base/db/lists.ts';
import { IN_RECORDS, listSetModes, type PartyMode, type PartyModes, type SetModes } from '../../base/party-modes.ts';
import type { Register } from '../../registers/contract.ts';
import { type BulkKey, createRowFinder, type RowKey, streamRows } from '../records/bulk/store.ts';
import { listFiles, type StoredFile } from '../records/imports/store.ts';
import { createStateFinder } from '../records/store.ts';
import { type NewParty, type PartyRow, unpackRow } from './new-party.ts';
import { OWNER_ROLES } from './roles.ts';

/** The SQL of parties (docs/decisions/0043-parties.md). This folder owns the tables `parties` and `party_sets`. */

interface ShownInterest {
  readonly type: string;
  readonly share: object | null;
  /** Null if the party holds the interest in its own right, or the source does not state how. */
  readonly heldAs: string | null;
}

/** Most rows are stored without `heldAs`, because most sources lack this value. */
export function completeInterests(
  stored: readonly (Omit<ShownInterest, 'heldAs'> & { heldAs?: string | null })[],
): ShownInterest[] {
  return stored.map(({ type, share, heldAs = null }) => ({ type, share, heldAs }));
}

/** What clients see of a party, besides the values that have columns. */
export interface PartyContent {
  readonly roleText: string;
  readonly kind: string;
  readonly name: string | null;
  readonly number: string | null;
  readonly countryCode: string | null;
  readonly interests: readonly ShownInterest[];
  readonly absence: { readonly reason: string; readonly text: string } | null;
}

/** A set of parties of a register, such as its relationships. */
export interface PartySetKey {
  readonly register: string;
  readonly set: string;
}

export const findPartyStates = createStateFinder('parties');

export async function deleteParties(tx: Queries, ids: readonly string[]): Promise<void> {
  await runListed(tx, ids, (list) => `DELETE FROM parties WHERE id IN (${list})`);
}

const COLUMNS = [
  ...['id', 'register', 'set_name', 'file_id', 'place', 'content_hash'],
  // In the order of `packRow`.
  ...['company', 'role', 'party_register', 'party_number', 'is_current', 'is_person', 'valid_from', 'valid_until'],
  ...['content', 'layout', 'source_data'],
];

export async function insertParties(
  tx: Queries,
  { register, set }: PartySetKey,
  parties: readonly { readonly row: NewParty; readonly fileId: number }[],
): Promise<void> {
  const rows = parties.map(({ row: { id, place, content, contentHash }, fileId }) => {
    return [id, register, set, fileId, place, contentHash, ...unpackRow(content)];
  });
  await tx.bulkLoad('parties', COLUMNS, rows);
}

/** Deletes the parties of a set that a full import did not contain, and returns the numbers of their companies. */
export async function deleteMissing(tx: Queries, { register, set }: PartySetKey, firstFile: number): Promise<string[]> {
  const rows = await tx.rows(
    `DELETE FROM parties WHERE register = $1 AND set_name = $2 AND file_id < $3
      AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.id = parties.id) RETURNING company`,
    [register, set, firstFile],
  );
  return rows.map(([company]) => company as string);
}

interface PartySet extends PartySetKey {
  readonly parties: number;
}

const SETS = 'SELECT register, set_name AS "set", parties FROM party_sets';

export async function listPartySets(db: Reads, register: string): Promise<PartySet[]> {
  return db.all<PartySet>(`${SETS} WHERE register = $1`, [register]);
}

/** The sets of parties in the store, and how many parties each has. */
export async function listStoredSets(db: Reads): Promise<PartySet[]> {
  return db.all<PartySet>(`${SETS} ORDER BY register, set_name`);
}

export async function recordPartySet(
  tx: Queries,
  { register, set }: PartySetKey,
  { generation, mode, parties }: { readonly generation: number; readonly mode: string; readonly parties: number },
): Promise<void> {
  await tx.run(
    `INSERT INTO party_sets (register, set_name, generation, mode, parties) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (register, set_name) DO UPDATE SET generation = $3, mode = $4, parties = $5`,
    [register, set, generation, mode, parties],
  );
}

/** Deletes one party. */
export async function deleteParty(tx: Queries, { register, set }: PartySetKey, id: string): Promise<void> {
  await tx.run('DELETE FROM parties WHERE id = $1', [id]);
  await tx.run('UPDATE party_sets SET parties = parties - 1 WHERE register = $1 AND set_name = $2', [register, set]);
}

export async function deletePartySet(tx: Queries, { register, set }: PartySetKey): Promise<void> {
  await tx.run('DELETE FROM parties WHERE register = $1 AND set_name = $2', [register, set]);
  await tx.run('DELETE FROM party_sets WHERE register = $1 AND set_name = $2', [register, set]);
}

/** A condition on the rows `p` of parties that may be read: every statement that reads parties has it. */
export type Visible = string;

/** `modes` has the modes of every register, by the id of the register. The ids and names of sets are constants of this program. */
export function describeVisible(modes: ReadonlyMap<string, SetModes>): Visible {
  const named = describeSets(modes, 'names');
  const off = describeSets(modes, 'off');
  return `(p.is_person = 0${named === '' ? '' : ` OR ${named}`})${off === '' ? '' : ` AND NOT (${off})`}`;
}

/** A condition for the sets with this mode. The condition is short if most sets have the same mode, because it is evaluated for every row. */
function describeSets(modes: ReadonlyMap<string, SetModes>, wanted: PartyMode): string {
  const list = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
  const whole: string[] = [];
  const parts: string[] = [];
  for (const [register, { [IN_RECORDS]: general, ...sets }] of modes) {
    const isWanted = general === wanted;
    const special = Object.keys(sets).filter((set) => (sets[set] === wanted) !== isWanted);
    if (special.length > 0)
      parts.push(`(p.register = '${register}' AND p.set_name ${isWanted ? 'NOT IN' : 'IN'} (${list(special)}))`);
    else if (isWanted) whole.push(register);
  }
  if (whole.length > 0) parts.unshift(`p.register IN (${list(whole)})`);
  return parts.join(' OR ');
}

/** A stored party. */
export interface StoredParty extends PartyRow, PartySetKey {
  readonly id: string;
  readonly fileId: number;
  readonly place: number;
  /** The column names of the party's source, as JSON. Null if the source is a tree. */
  readonly columns: string | null;
}

/** Selects the values of `toParty` from `PARTIES`. */
export const PARTY = `p.id, p.register, p.set_name, p.company, p.role, p.party_register, p.party_number, p.is_current, p.is_person,
  p.valid_from, p.valid_until, p.content, p.layout, p.source_data, p.file_id, p.place, l.columns`;
export const PARTIES = 'parties p LEFT JOIN layouts l ON l.id = p.layout';

/** The row may have other values after the values of the party. */
export function toParty(values: readonly Value[]): StoredParty {
  const [id, register, set, company, role, partyRegister, partyNumber, isCurrent, isPerson, ...rest] = values;
  const [from, until, content, layout, sourceData, fileId, place, columns] = rest;
  const flags = { isCurrent: isCurrent === 1, isPerson: isPerson === 1 };
  const key = { id, register, set, fileId, place, columns };
  const row = { company, role, partyRegister, partyNumber, ...flags, from, until, content, layout, sourceData };
  return { ...key, ...row } as StoredParty;
}

/** Adds the files with these ids to the known files, by id. */
export async function findPartyFiles(db: Reads, ids: readonly number[], known: Map<number, StoredFile>) {
  const missing = [...new Set(ids)].filter((id) => !known.has(id));
  for (const file of await listFiles(db, missing)) known.set(file.id, file);
}

interface PartyQuery {
  readonly role: string | null;
  readonly at: string | null;
  readonly limit: number;
  readonly visible: Visible;
}

/** Lists the parties in force, or on a day that is between the first and last day of a party. `total` also counts parties beyond the limit. */
export async function listParties(
  db: Reads,
  register: string,
  company: string,
  { role, at, limit, visible }: PartyQuery,
): Promise<{ readonly parties: readonly StoredParty[]; readonly total: number }> {
  const rows = await db.rows(
    `SELECT ${PARTY}, count(*) OVER () FROM ${PARTIES}
      WHERE p.company = $1 AND p.register = $2 AND ${visible} AND (CAST($3 AS TEXT) IS NULL OR p.role = $3)
        AND CASE WHEN CAST($4 AS TEXT) IS NULL THEN p.is_current = 1
          ELSE (p.valid_from IS NULL OR p.valid_from <= $4) AND coalesce(p.valid_until >= $4, p.is_current = 1) END
      ORDER BY p.role COLLATE "binary", p.id LIMIT $5`,
    [company, register, role, at, limit],
  );
  return { parties: rows.map(toParty), total: Number(rows[0]?.at(-1) ?? 0) };
}

/** A set of parties to read, and whether the persons in it are read as well. */
export interface SelectedSet {
  readonly register: string;
  readonly set: string;
  readonly withPersons: boolean;
}

/** The keys of the selected parties, by register and company. */
export function streamPartyKeys(view: Snapshot, sets: readonly SelectedSet[]): AsyncIterable<BulkKey[]> {
  const params: Value[] = [];
  const choices = sets.map(({ register, set, withPersons }) => {
    const place = `register = $${params.push(register)} AND set_name = $${params.push(set)}`;
    return `(${place}${withPersons ? '' : ' AND is_person = 0'})`;
  });
  const order = ['register', 'company', 'role', 'id'].map((column) => `${column} COLLATE "binary"`).join(', ');
  const filters = [`(${choices.join(' OR ') || 'FALSE'})`];
  return streamRows(view, { table: 'parties', folder: 'register', filters, order }, params);
}

/** Returns a function that finds the parties with given keys, in the order of the keys. */
export function createPartyFinder(view: Snapshot) {
  const find = createRowFinder(
    view,
    (key, list) => `SELECT ${PARTY}, p.${key} FROM ${PARTIES} WHERE p.${key} IN (${list})`,
  );
  return async (keys: readonly RowKey[]): Promise<StoredParty[]> => (await find(keys)).map(toParty);
}

/** What the counts of a register depend on. */
type CountedRegister = Pick<Register, 'id' | 'sources' | 'ownersApart' | 'keyLength'>;

/**
 * The SQL of a column of `entities e`: how many parties in force are named, as JSON. Null if no files of parties of the register are
 * imported, or if its parties are off. A register without parties costs one lookup in a table of a few rows.
 */
export function writePartyCounts(registers: readonly CountedRegister[], modes: PartyModes): string {
  const setModes = new Map(registers.map((register) => [register.id, listSetModes(modes, register)]));
  const isOff = ({ id }: CountedRegister) => Object.values(setModes.get(id) ?? {}).every((mode) => mode === 'off');
  const off = registers.filter(isOff);
  if (off.length === registers.length) return 'NULL';
  const shown = off.length === 0 ? '' : ` AND s.register NOT IN (${off.map(({ id }) => `'${id}'`).join(', ')})`;
  const cut = registers.flatMap(({ id, keyLength }) =>
    keyLength === undefined ? [] : [` WHEN '${id}' THEN substr(e.registration_number, 1, ${keyLength})`],
  );
  const company =
    cut.length === 0 ? 'e.registration_number' : `CASE e.register${cut.join('')} ELSE e.registration_number END`;
  // For a list in IN, SQLite would fill a table each time.
  const owners = `count(CASE p.role${Array.from(OWNER_ROLES, (role) => ` WHEN '${role}' THEN 1`).join('')} END)`;
  // A row with a number always names a party. Comparing the end of its content as well would make counting a fifth slower.
  const isParty = `CASE WHEN p.party_number IS NULL THEN p.content LIKE '%"absence":null}' ELSE TRUE END`;
  return `CASE WHEN EXISTS (SELECT 1 FROM party_sets s WHERE s.register = e.register${shown}) THEN
      (SELECT '{"owners":' || ${owners} || ',"others":' || (count(*) - ${owners}) || '}' FROM parties p
        WHERE p.company = ${company} AND p.register = e.register AND p.is_current = 1 AND ${isParty}
          AND ${describeVisible(setModes)}) END`;
}
