import { listPlaceholders, padList } from '../../core/pad-list.ts';
import type { Queries, Transaction } from '../../db/db.ts';

/** The SQL about links between entities of different registers (docs/decisions/0016-links.md). */

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

/** Deletes the links of these entities and returns them. */
export async function deleteLinks(tx: Queries, fromIds: readonly string[], size: number): Promise<StoredLink[]> {
  if (fromIds.length === 0) return [];
  const sql = `DELETE FROM links WHERE from_id IN (${listPlaceholders(size)}) RETURNING ${LINK}`;
  return tx.all<StoredLink>(sql, padList(fromIds, size));
}

export async function insertLinks(tx: Queries, links: readonly StoredLink[]): Promise<void> {
  const rows = links.map(({ from, to, numbers }) => [from, to, numbers]);
  await tx.bulkLoad('links', ['from_id', 'to_id', 'numbers'], rows);
}

/** The links to these ids. */
export async function findLinks(tx: Queries, toIds: readonly string[], size: number): Promise<StoredLink[]> {
  if (toIds.length === 0) return [];
  const sql = `SELECT ${LINK} FROM links WHERE to_id IN (${listPlaceholders(size)})`;
  return tx.all<StoredLink>(sql, padList(toIds, size));
}

/** Those of these ids that are in the store. */
export async function findExisting(tx: Queries, ids: readonly string[], size: number): Promise<string[]> {
  if (ids.length === 0) return [];
  const sql = `SELECT id FROM entities WHERE id IN (${listPlaceholders(size)})`;
  return (await tx.all<{ id: string }>(sql, padList(ids, size))).map(({ id }) => id);
}

/** Makes entities searchable by the numbers of all that link to them now. Returns the ids of those in the store. */
export async function linkNumbers(tx: Queries, ids: readonly string[], size: number): Promise<string[]> {
  if (ids.length === 0) return [];
  const between = `$${size + 1}`;
  const linked = `coalesce((SELECT ${between} || string_agg(numbers, ${between} ORDER BY from_id) FROM links WHERE to_id = entities.id), '')`;
  const rows = await tx.all<{ id: string }>(
    `UPDATE entities SET linked_numbers = ${linked},
        number_keys = substr(number_keys, 1, length(number_keys) - length(linked_numbers)) || ${linked}
      WHERE id IN (${listPlaceholders(size)}) RETURNING id`,
    [...padList(ids, size), '\n'],
  );
  return rows.map(({ id }) => id);
}

/** The entities of other registers that this import changes through links. */
export async function createTouched(tx: Queries): Promise<void> {
  await tx.run('CREATE TEMPORARY TABLE touched (id TEXT PRIMARY KEY)');
}

export async function dropTouched(tx: Queries): Promise<void> {
  await tx.run('DROP TABLE touched');
}

const TOUCHED = { table: 'touched', columns: { id: 'TEXT' }, rest: 'ON CONFLICT (id) DO NOTHING' } as const;

export async function insertTouched(tx: Transaction, ids: readonly string[]): Promise<void> {
  const rows = ids.map((id) => [id]);
  await tx.insert(TOUCHED, rows);
}
