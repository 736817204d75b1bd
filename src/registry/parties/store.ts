import type { Engine, Queries, Reads, Snapshot, Value } from '../../base/db/db.ts';
import { runListed, writeList } from '../../base/db/lists.ts';
import { IN_RECORDS, listSetModes, type PartyMode, type PartyModes, type SetModes } from '../../base/party-modes.ts';
import type { Register } from '../../registers/contract.ts';
import { listFiles, type StoredFile } from '../records/imports/store.ts';
import { type BulkKey, createRowFinder, createStateFinder, type RowKey, streamRows } from '../records/store.ts';
import type { SuppressedParty } from '../records/withholding.ts';
import { type NewParty, type PartyRow, unpackRow } from './new-party.ts';
import { OWNER_ROLES } from './roles.ts';

/** The SQL of parties (docs/decisions/0043-parties.md). This folder owns the tables `parties`, `party_sets` and `suppressed`. */

interface ShownInterest {
  readonly type: string;
  readonly share: object | null;
  /** Null if the party holds the interest in its own right, or the source does not state how. */
  readonly heldAs: string | null;
}

/** Most rows are stored without `heldAs`, because most sources lack this value. */
export function completeInterests(stored: readonly (Omit<ShownInterest, 'heldAs'> & { heldAs?: string | null })[]) {
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

export function toParty(values: readonly Value[]): StoredParty {
  const [id, register, set, company, role, partyRegister, partyNumber, isCurrent, isPerson, ...rest] = values;
  const [from, until, content, layout, sourceData, fileId, place, columns] = rest;
  const flags = { isCurrent: isCurrent === 1, isPerson: isPerson === 1 };
  const key = { id, register, set, fileId, place, columns };
  const row = { company, role, partyRegister, partyNumber, ...flags, from, until, content, layout, sourceData };
  return { ...key, ...row } as StoredParty;
}

export async function findPartyFiles(db: Reads, ids: readonly number[], known: Map<number, StoredFile>) {
  const missing = [...new Set(ids)].filter((id) => !known.has(id));
  for (const file of await listFiles(db, missing)) known.set(file.id, file);
}

/** Lists the parties in force, or on a day that is between the first and last day of a party. `total` also counts parties beyond the limit. */
export async function listParties(
  db: Reads,
  { register, company, visible }: { readonly register: string; readonly company: string; readonly visible: Visible },
  { role, at, limit }: { readonly role: string | null; readonly at: string | null; readonly limit: number },
) {
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
  const write = (key: string, list: string) => `SELECT ${PARTY}, p.${key} FROM ${PARTIES} WHERE p.${key} IN (${list})`;
  const find = createRowFinder(view, write);
  return async (keys: readonly RowKey[]): Promise<StoredParty[]> => (await find(keys)).map(toParty);
}

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

export type Direction = 'owners' | 'holdings';

/** A row that links two companies, or has the reason for having no owner. Rows stay arrays as read: a group has thousands of rows. */
export type LinkRow = readonly [
  /** The place of the requested company, counted from `first`. */
  given: number,
  /** The other company. Null if the row names no other company. */
  number: string | null,
  register: string | null,
  role: string,
  from: string | null,
  until: string | null,
  /** JSON of `PartyContent`. */
  content: string,
  fileId: number,
  place: number,
  id: string,
];

/**
 * The links of ownership of these companies, upwards or downwards, in no order; `numbers` are sorted. Upward links include the reasons for
 * having no parent. Above the limit, only the links of the first companies are returned. Most of the time goes into values that SQLite
 * hands over, so the requested company is not read again.
 */
export async function findLinks(
  db: Reads,
  direction: Direction,
  register: string,
  numbers: readonly string[],
  { first, limit, visible }: { readonly first: number; readonly limit: number; readonly visible: Visible },
): Promise<LinkRow[]> {
  const find = async (isOrdered: boolean) => {
    const sql = writeFindLinks(db.engine, direction, visible, isOrdered);
    return (await db.rows(sql, [JSON.stringify(numbers), register, first, limit])) as unknown as LinkRow[];
  };
  const found = await find(false);
  // Which links are left out depends on their order.
  return found.length < limit ? found : find(true);
}

/** Sorts links by company, role and id. SQLite would write all columns to its sorter and read all columns back. */
export function sortLinks(direction: Direction, rows: LinkRow[]): void {
  const compareCompany =
    direction === 'owners'
      ? (a: LinkRow, b: LinkRow) => a[0] - b[0]
      : (a: LinkRow, b: LinkRow) => compareText(a[1], b[1]);
  rows.sort((a, b) => compareCompany(a, b) || compareText(a[3], b[3]) || compareText(a[9], b[9]));
}

function compareText(a: string | null, b: string | null): number {
  if (a === b) return 0;
  return (a ?? '') < (b ?? '') ? -1 : 1;
}

/** Roles that own or control a company. Founders count only if the source states what they hold: other founders founded the company long ago. */
const OWNERSHIP = `CASE p.role WHEN 'parent' THEN TRUE WHEN 'ultimate_parent' THEN TRUE WHEN 'head_office' THEN TRUE WHEN 'controller' THEN TRUE
        WHEN 'beneficial_owner' THEN TRUE WHEN 'shareholder' THEN TRUE WHEN 'partner' THEN TRUE
        WHEN 'founder' THEN p.content LIKE '%,"interests":[{%' ELSE FALSE END`;

function writeFindLinks(engine: Engine, direction: Direction, visible: Visible, isOrdered: boolean): string {
  const sides = [
    ['p.company', 'p.register'],
    ['p.party_number', 'p.party_register'],
  ] as const;
  const [[number, register], others] = direction === 'owners' ? sides : [sides[1], sides[0]];
  const columns = [number, 'p.company', 'p.role', 'p.id'].map((column) => `${column} COLLATE "binary"`);
  const order = isOrdered ? `ORDER BY ${columns.join(', ')}` : '';
  return `SELECT v.key + CAST($3 AS INTEGER), ${others.join(', ')}, p.role, p.valid_from, p.valid_until, p.content, p.file_id, p.place, p.id
      FROM ${writeList(engine)} v CROSS JOIN parties p WHERE ${number} = v.value AND ${register} = $2
      AND p.is_current = 1 AND ${OWNERSHIP} AND ${visible} ${order} LIMIT $4`;
}

export interface SuppressedEntry extends SuppressedParty {
  readonly register: string;
  readonly reason: string | null;
  readonly suppressedAt: number;
}

const SUPPRESSED = 'entity_id AS "entityId", party, register, company, reason, suppressed_at AS "suppressedAt"';

export function listSuppressed(
  db: Reads,
  { register = null, entityId = null }: { readonly register?: string | null; readonly entityId?: string | null } = {},
): Promise<SuppressedEntry[]> {
  const sql = `SELECT ${SUPPRESSED} FROM suppressed WHERE register = coalesce($1, register)
    AND entity_id = coalesce($2, entity_id) ORDER BY suppressed_at, entity_id, party`;
  return db.all<SuppressedEntry>(sql, [register, entityId]);
}

export async function insertSuppressed(tx: Queries, entry: SuppressedEntry): Promise<void> {
  const { entityId, party, register, company, reason, suppressedAt } = entry;
  await tx.run(
    `INSERT INTO suppressed (entity_id, party, register, company, reason, suppressed_at) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (entity_id, party) DO UPDATE SET reason = $5`,
    [entityId, party, register, company, reason, suppressedAt],
  );
}

export async function deleteSuppressed(tx: Queries, entityId: string, party: string): Promise<boolean> {
  return (await tx.run('DELETE FROM suppressed WHERE entity_id = $1 AND party = $2', [entityId, party])) > 0;
}
