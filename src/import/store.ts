import type { Queries, Value } from '../base/db/db.ts';
import { type ListStatement, readListed, runListed } from '../base/db/lists.ts';
import { BENEFICIAL_OWNERS } from '../base/party-modes.ts';
import { writeIsMissing } from '../registry/journal/store.ts';
import type { PartySetKey } from '../registry/parties/store.ts';

/** The SQL of an import: its temporary tables, links between entities, rejected rows, and parties inside records. */

/**
 * Temporary tables of ids. `seen`: unchanged rows of the files; `related`: entities of other registers that the import changes through links
 * (docs/decisions/0016-links.md); `touched`: companies whose parties changed.
 */
type IdTable = 'seen' | 'related' | 'touched';

export async function createIds(tx: Queries, table: IdTable): Promise<void> {
  await tx.run(`CREATE TEMPORARY TABLE ${table} (id TEXT PRIMARY KEY)`);
}

export async function dropIds(tx: Queries, table: IdTable): Promise<void> {
  await tx.run(`DROP TABLE ${table}`);
}

/** Adds the ids and returns how many ids were new. */
export function insertIds(tx: Queries, table: IdTable, ids: readonly string[]): Promise<number> {
  return runListed(tx, ids, INSERT_IDS[table]);
}

const writeInsert = (table: IdTable) => (list: string) =>
  `INSERT INTO ${table} (id) VALUES (${list.replaceAll(', ', '), (')}) ON CONFLICT (id) DO NOTHING`;
const INSERT_IDS = { seen: writeInsert('seen'), related: writeInsert('related'), touched: writeInsert('touched') };

export async function findSeen(tx: Queries, ids: readonly string[]): Promise<string[]> {
  return listIds(tx, ids, (list) => `SELECT id FROM seen WHERE id IN (${list})`);
}

async function listIds(tx: Queries, ids: readonly string[], write: ListStatement, params: readonly Value[] = []) {
  return (await readListed<{ id: string }>(tx, ids, write, params)).map(({ id }) => id);
}

export interface StoredLink {
  readonly from: string;
  readonly to: string;
  /** The `number_keys` of the linking entity. */
  readonly numbers: string;
}

const LINK = 'from_id AS "from", to_id AS "to", numbers';

export async function hasLinks(tx: Queries): Promise<boolean> {
  return (await tx.one('SELECT 1 AS found FROM links LIMIT 1')) !== undefined;
}

/** Deletes the links of these entities and returns the links. */
export function deleteLinks(tx: Queries, fromIds: readonly string[]): Promise<StoredLink[]> {
  return readListed(tx, fromIds, (list) => `DELETE FROM links WHERE from_id IN (${list}) RETURNING ${LINK}`);
}

export async function insertLinks(tx: Queries, links: readonly StoredLink[]): Promise<void> {
  const rows = links.map(({ from, to, numbers }) => [from, to, numbers]);
  await tx.bulkLoad('links', ['from_id', 'to_id', 'numbers'], rows);
}

/** The links to these ids. */
export function findLinks(tx: Queries, toIds: readonly string[]): Promise<StoredLink[]> {
  return readListed(tx, toIds, (list) => `SELECT ${LINK} FROM links WHERE to_id IN (${list})`);
}

/** The given ids that are in the store. */
export function findExisting(tx: Queries, ids: readonly string[]): Promise<string[]> {
  return listIds(tx, ids, (list) => `SELECT id FROM entities WHERE id IN (${list})`);
}

/** Makes entities searchable by the numbers of all entities that link to them now. Returns the ids that are in the store. */
export function linkNumbers(tx: Queries, ids: readonly string[]): Promise<string[]> {
  return listIds(tx, ids, LINK_NUMBERS, ['\n']);
}

const LINKED = `coalesce((SELECT $1 || string_agg(numbers, $1 ORDER BY from_id) FROM links WHERE to_id = entities.id), '')`;
const LINK_NUMBERS = (list: string) => `UPDATE entities SET linked_numbers = ${LINKED},
    number_keys = substr(number_keys, 1, length(number_keys) - length(linked_numbers)) || ${LINKED}
  WHERE id IN (${list}) RETURNING id`;

/** An import, by its register and the number of its first file. */
export interface ImportKey {
  readonly register: string;
  readonly firstFile: number;
}

export interface NamedCompany {
  readonly id: string;
  readonly number: string | null;
  readonly name: string;
}

/** Companies that the import did not contain. */
const MISSING = `FROM entities WHERE ${writeIsMissing('$1', '$2')}`;
const NAMED = 'SELECT id, registration_number AS number, canonical_name AS name';

/** Which of these companies are missing. */
export function findMissingOf(tx: Queries, { register, firstFile }: ImportKey, ids: readonly string[]) {
  return readListed<NamedCompany>(tx, ids, (list) => `${NAMED} ${MISSING} AND id IN (${list})`, [register, firstFile]);
}

/** The number of missing companies, and the first of these by number. */
export async function findMissing(tx: Queries, { register, firstFile }: ImportKey, examples: number) {
  const key = [register, firstFile];
  const counted = await tx.one<{ count: number }>(`SELECT count(*) AS count ${MISSING}`, key);
  const first = `${NAMED} ${MISSING} ORDER BY registration_number, id LIMIT $3`;
  return { count: counted?.count ?? 0, first: await tx.all<NamedCompany>(first, [...key, examples]) };
}

export const IN_RECORD = 'record';
/** The sets of parties inside records, besides the sets in files. */
export const recordPartySets = [IN_RECORD, BENEFICIAL_OWNERS] as const;
export type RecordPartySet = (typeof recordPartySets)[number];

/** Deletes the parties inside the records of these companies, and returns the deleted parties. */
export function deleteRecordParties(tx: Queries, register: string, companies: readonly string[]) {
  type Deleted = { id: string; set: RecordPartySet; company: string; contentHash: string };
  return readListed<Deleted>(tx, companies, DELETE_PARTIES, [register]);
}

const DELETE_PARTIES = (list: string) => `DELETE FROM parties WHERE company IN (${list}) AND register = $1
  AND set_name IN (${recordPartySets.map((set) => `'${set}'`).join(', ')})
  RETURNING id, set_name AS "set", company, content_hash AS "contentHash"`;

/** Deletes the parties inside the records that this import has delisted. Returns how many. `keyLength` is the register's. */
export async function deletePartiesOfDelisted(
  tx: Queries,
  { register, set }: PartySetKey,
  batch: number,
  keyLength: number | undefined,
): Promise<number> {
  const number = keyLength === undefined ? 'e.registration_number' : `substr(e.registration_number, 1, ${keyLength})`;
  return tx.run(
    `DELETE FROM parties WHERE register = $1 AND set_name = $2 AND company IN (SELECT ${number} FROM changes c
      JOIN entities e ON e.id = c.entity_id WHERE c.batch = $3 AND c.type = 'delisted')`,
    [register, set, batch],
  );
}

/** The files and rows from which the stored records with these ids were read. */
export async function findPlaces(tx: Queries, ids: readonly string[]) {
  const write = (list: string) => `SELECT id, file_id AS "fileId", place FROM entities WHERE id IN (${list})`;
  const rows = await readListed<{ id: string; fileId: number; place: number }>(tx, ids, write);
  return new Map(rows.map((row) => [row.id, row]));
}
