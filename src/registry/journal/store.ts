import type { Queries, Value } from '../../base/db/db.ts';

/** The SQL of the journal (docs/decisions/0020-journal.md). */

const VALUES = ['canonical_name', 'status', 'legal_form', 'registered_at'];
const VALUES_BEFORE = ['name_before', 'status_before', 'legal_form_before', 'registered_before'];
const VALUES_AFTER = ['name_after', 'status_after', 'legal_form_after', 'registered_after'];
const COLUMNS = [
  ...['batch', 'position', 'type', 'entity_id', 'country_code', 'register', 'fields'],
  ...[...VALUES_BEFORE, ...VALUES_AFTER, 'details'],
];

/** Each row has the values of the columns of `changes`, in their order. */
export async function insertChanges(tx: Queries, rows: Iterable<readonly Value[]>): Promise<void> {
  await tx.bulkLoad('changes', COLUMNS, rows);
}

export interface Place {
  readonly batch: number;
  readonly position: number;
}

/** Whether an import of this register, whose files have numbers from `firstFile` on, did not contain an entity. */
export function writeIsMissing(register: string, firstFile: string): string {
  return `entities.register = ${register} AND entities.file_id < ${firstFile} AND entities.status <> 'delisted'
    AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.id = entities.id)`;
}

/** Writes changes for all entities that a full import did not contain, before they are delisted. Returns how many changes. */
export async function insertDelisted(tx: Queries, { batch, position }: Place, register: string): Promise<number> {
  const after = VALUES.map((column) => (column === 'status' ? "'delisted'" : column));
  return tx.run(
    `${writeInsert('delisted', 'status', after)} FROM entities
      WHERE ${writeIsMissing('$3', '$1')}`,
    [batch, position, register],
  );
}

/** Writes a change for every entity in the table `related`. Returns how many changes. */
export async function insertRelated(tx: Queries, { batch, position }: Place): Promise<number> {
  const insert = writeInsert('changed', 'related', VALUES);
  return tx.run(`${insert} FROM related JOIN entities ON entities.id = related.id`, [batch, position]);
}

/** Adds the field `parties` to changes that this import has written already, and writes a change for the other entities in `touched`. */
export async function insertPartyChanges(tx: Queries, { batch, position }: Place): Promise<number> {
  await tx.run(
    `UPDATE changes SET fields = substr(fields, 1, length(fields) - 1) || ',"parties"]'
      WHERE batch = $1 AND fields <> '[]' AND entity_id IN (SELECT id FROM touched)`,
    [batch],
  );
  return tx.run(
    `${writeInsert('changed', 'parties', VALUES)} FROM touched JOIN entities ON entities.id = touched.id
      WHERE NOT EXISTS (SELECT 1 FROM changes c WHERE c.entity_id = entities.id AND c.batch = $1)`,
    [batch, position],
  );
}

/** The start of a statement that writes the same change of the selected rows of `entities`. */
function writeInsert(type: string, field: string, after: readonly string[]): string {
  return `INSERT INTO changes (${COLUMNS.join(', ')})
    SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT) + row_number() OVER () - 1, '${type}', entities.id, country_code,
      register, '["${field}"]', ${VALUES.join(', ')}, ${after.join(', ')}, CAST(NULL AS TEXT)`;
}

export interface JournalEntry {
  readonly generation: number;
  readonly publishedAt: number;
  readonly register: string;
  readonly batch: number;
  readonly changes: number;
  /** Whether the register was empty before: then the changes are one per country. */
  readonly loaded: boolean;
  readonly mixed: boolean;
}

export async function insertJournalEntry(tx: Queries, entry: JournalEntry): Promise<void> {
  const { generation, publishedAt, register, batch, changes, loaded, mixed } = entry;
  await tx.run(
    `INSERT INTO journal (generation, published_at, register, batch, changes, loaded, mixed)
      VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [generation, publishedAt, register, batch, changes, loaded ? 1 : 0, mixed ? 1 : 0],
  );
}

/** The `batch` of an entry whose changes are removed, or that has no changes. The numbers of batches start with 1. */
export const NO_BATCH = 0;

interface Kept {
  /** The oldest generation whose changes are not removed. Null if there are no changes. */
  readonly oldest: number | null;
  /** The first generation to keep: the first one published at `since` or later, or else the newest generation. */
  readonly kept: number;
}

/** Finds what to keep. The generations from `kept` on stay without gaps, even if a slow import was published with an older time. */
export async function findOldestKept(db: Queries, since: number): Promise<Kept> {
  const found = await db.one<Kept>(
    `SELECT (SELECT min(generation) FROM journal WHERE changes > 0 AND batch <> ${NO_BATCH}) AS oldest,
        coalesce((SELECT min(generation) FROM journal WHERE published_at >= $1), max(generation)) AS kept FROM journal`,
    [since],
  );
  return found ?? { oldest: null, kept: 0 };
}

/**
 * Makes the changes before this generation invisible, then deletes the entries that no reader can continue from. The last
 * entry whose changes are removed stays, and so do the empty entries after it: a reader that has seen these entries misses nothing.
 */
export async function removeEntries(db: Queries, generation: number): Promise<void> {
  await db.run(`UPDATE journal SET batch = ${NO_BATCH} WHERE generation < $1 AND changes > 0`, [generation]);
  await db.run(
    `DELETE FROM journal WHERE generation < (SELECT max(generation) FROM journal WHERE batch = ${NO_BATCH} AND changes > 0)`,
  );
}

/** The first batch in `changes`, if the batch has no entry in the journal. The changes of running imports are not visible. */
export async function findUnlisted(db: Queries): Promise<number | undefined> {
  const found = await db.one<{ batch: number }>(
    `SELECT b.batch FROM (SELECT min(batch) AS batch FROM changes) b
      WHERE b.batch IS NOT NULL AND NOT EXISTS (SELECT 1 FROM journal WHERE journal.batch = b.batch)`,
  );
  return found?.batch;
}

/** Deletes the changes in the first `limit` positions of a batch. Returns how many changes. */
export async function deleteFirstChanges(db: Queries, batch: number, limit: number): Promise<number> {
  const sql =
    'DELETE FROM changes WHERE batch = $1 AND position < $2 + (SELECT min(position) FROM changes WHERE batch = $1)';
  return db.run(sql, [batch, limit]);
}
