import type { Queries } from '../../base/db/db.ts';
import { readListed } from '../../base/db/lists.ts';
import { NO_BATCH, type JournalEntry as WrittenEntry } from '../../registry/journal/store.ts';
import type { Place } from './cursor.ts';

/** The fields of an import that readers of its changes need. `batch` names its changes. */
export interface JournalEntry extends Omit<WrittenEntry, 'loaded' | 'mixed'> {
  /** The position of the first kept change. Equals `changes` if all changes are removed. */
  readonly first: number;
}

const ENTRY = `generation, published_at AS "publishedAt", register, batch, changes,
  CASE WHEN batch = ${NO_BATCH} THEN changes ELSE 0 END AS first`;

/** The oldest and the newest import of the journal; only one row if both are the same. */
export function listEnds(db: Queries): Promise<JournalEntry[]> {
  const sql = `SELECT ${ENTRY} FROM journal
    WHERE generation IN ((SELECT min(generation) FROM journal), (SELECT max(generation) FROM journal))
    ORDER BY generation`;
  return db.all<JournalEntry>(sql);
}

export function findEntry(db: Queries, generation: number): Promise<JournalEntry | undefined> {
  return db.one<JournalEntry>(`SELECT ${ENTRY} FROM journal WHERE generation = $1`, [generation]);
}

/** A filter on changes. Null accepts any value. */
export type ChangeFilter = Readonly<Record<'country' | 'register' | 'type', string | null>>;

const LIST_ENTRIES = `SELECT ${ENTRY} FROM journal WHERE generation >= $1 AND (generation = $1
    OR (changes > 0 AND (mixed = 1 OR (register = coalesce($2, register) AND loaded = coalesce($3, loaded)))))
  ORDER BY generation LIMIT $4`;

/** The import with this generation, and the imports after it whose changes may pass the filter, in order. */
export function listEntries(db: Queries, from: number, filter: ChangeFilter, limit: number): Promise<JournalEntry[]> {
  const loaded = filter.type === null ? null : Number(filter.type === 'loaded');
  return db.all<JournalEntry>(LIST_ENTRIES, [from, filter.register, loaded, limit]);
}

export function findFirstSince(db: Queries, since: number): Promise<JournalEntry | undefined> {
  const sql = `SELECT ${ENTRY} FROM journal WHERE published_at >= $1 ORDER BY generation LIMIT 1`;
  return db.one<JournalEntry>(sql, [since]);
}

export interface StoredChange {
  readonly position: number;
  readonly type: string;
  readonly entityId: string | null;
  readonly countryCode: string;
  readonly register: string;
  /** JSON list of names. */
  readonly fields: string;
  readonly nameBefore: string | null;
  readonly statusBefore: string | null;
  readonly legalFormBefore: string | null;
  readonly registeredBefore: string | null;
  readonly nameAfter: string | null;
  readonly statusAfter: string | null;
  readonly legalFormAfter: string | null;
  readonly registeredAfter: string | null;
  /** JSON list of `ChangedDetail`. */
  readonly details: string | null;
}

const CHANGE = `c.position, c.type, c.entity_id AS "entityId", c.country_code AS "countryCode", c.register, c.fields,
  c.name_before AS "nameBefore", c.status_before AS "statusBefore", c.legal_form_before AS "legalFormBefore",
  c.registered_before AS "registeredBefore", c.name_after AS "nameAfter", c.status_after AS "statusAfter",
  c.legal_form_after AS "legalFormAfter", c.registered_after AS "registeredAfter", c.details`;

interface Range {
  readonly first: number;
  readonly end: number;
}

/**
 * The changes of an import from `first` to before `end` that pass the filter. No row if the changes have been pruned, and one row without a position
 * if no change passes. The limit is in the inner query, because with an outer limit PostgreSQL would sort all changes first.
 */
const READ_CHANGES = `SELECT found.* FROM journal j LEFT JOIN (SELECT ${CHANGE} FROM changes c
    WHERE c.batch = $2 AND c.position >= $3 AND c.position < $4
      AND c.country_code = coalesce($5, c.country_code) AND c.register = coalesce($6, c.register)
      AND c.type = coalesce($7, c.type)
    ORDER BY c.position LIMIT $8) found ON 1 = 1
  WHERE j.generation = $1 AND j.batch = $2 ORDER BY found.position`;

/** Returns undefined if the changes have been pruned, which the statement checks too. */
export async function listChanges(
  db: Queries,
  { generation, batch }: Pick<JournalEntry, 'generation' | 'batch'>,
  { first, end }: Range,
  { country, register, type }: ChangeFilter,
  limit: number,
): Promise<StoredChange[] | undefined> {
  const params = [generation, batch, first, end, country, register, type, limit];
  const rows = await db.all<StoredChange | { readonly position: null }>(READ_CHANGES, params);
  if (rows.length === 0) return undefined;
  return rows.filter((row): row is StoredChange => row.position !== null);
}

const READ_AT = (list: string) => `SELECT ${CHANGE} FROM changes c WHERE c.batch = $1 AND c.position IN (${list})`;

export function listChangesAt(db: Queries, batch: number, positions: readonly number[]): Promise<StoredChange[]> {
  return readListed(db, positions, READ_AT, [batch]);
}

interface EntityChange extends StoredChange {
  readonly generation: number;
  readonly publishedAt: number;
  /** Name of the first file of the import. */
  readonly file: string | null;
}

/** The changes of an entity before the change that ends at this place, the newest first. */
export async function listEntityChanges(
  db: Queries,
  id: string,
  before: Pick<Place, 'generation' | 'seen'>,
  limit: number,
): Promise<EntityChange[]> {
  return db.all<EntityChange>(
    `SELECT ${CHANGE}, j.generation, j.published_at AS "publishedAt", f.name AS file
      FROM changes c JOIN journal j ON j.batch = c.batch LEFT JOIN files f ON f.id = c.batch
      WHERE c.entity_id = $1 AND (j.generation < $2 OR (j.generation = $2 AND c.position < $3))
      ORDER BY j.generation DESC, c.position DESC LIMIT $4`,
    [id, before.generation, before.seen - 1, limit],
  );
}

export async function hasEntity(db: Queries, id: string): Promise<boolean> {
  return (await db.one('SELECT 1 AS found FROM entities WHERE id = $1', [id])) !== undefined;
}
