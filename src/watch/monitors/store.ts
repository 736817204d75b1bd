import { requireFound } from '../../accounts/resources.ts';
import type { Insert, Queries, Transaction } from '../../base/db/db.ts';
import { readListedRows, runListed } from '../../base/db/lists.ts';
import { type Cursor, parseGeneration } from '../feed/cursor.ts';
import type { ChangePlace } from '../feed/feed.ts';

/** The SQL of monitors: one exported function per statement, with the database handle as its first argument. */

export interface StoredMonitor {
  /** The number by which other tables refer to the monitor. */
  readonly number: number;
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly search: string | null;
  readonly types: string;
  readonly fields: string | null;
  readonly entities: number;
  readonly startCursor: string;
  readonly since: number;
  readonly hasFeed: number;
  readonly problem: typeof TOO_LARGE | null;
  readonly createdAt: number;
}

const TOO_LARGE = 'too_many_companies';

const MONITOR = `number, id, account_id AS "accountId", name, search, types, fields, entities, start_cursor AS "startCursor", since,
  CASE WHEN feed_hash IS NULL THEN 0 ELSE 1 END AS "hasFeed", problem, created_at AS "createdAt"`;

/** The monitors of all accounts, except those that have stopped. */
export function listActiveMonitors(db: Queries): Promise<StoredMonitor[]> {
  const sql = `SELECT ${MONITOR} FROM monitors WHERE deleted_at IS NULL AND problem IS NULL ORDER BY number`;
  return db.all<StoredMonitor>(sql);
}

export function listMonitors(db: Queries, accountId: string): Promise<StoredMonitor[]> {
  const sql = `SELECT ${MONITOR} FROM monitors WHERE account_id = $1 AND deleted_at IS NULL ORDER BY number`;
  return db.all<StoredMonitor>(sql, [accountId]);
}

/** Throws `monitor_not_found`. */
export async function requireMonitor(db: Queries, accountId: string, id: string): Promise<StoredMonitor> {
  const sql = `SELECT ${MONITOR} FROM monitors WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL`;
  return requireFound('monitor', await db.one<StoredMonitor>(sql, [id, accountId]));
}

export function findMonitorByFeed(db: Queries, feedHash: string): Promise<StoredMonitor | undefined> {
  return db.one<StoredMonitor>(`SELECT ${MONITOR} FROM monitors WHERE feed_hash = $1 AND deleted_at IS NULL`, [
    feedHash,
  ]);
}

interface Totals {
  readonly monitors: number;
  readonly entities: number;
}

export async function countOfAccount(db: Queries, accountId: string): Promise<Totals> {
  const sql = `SELECT count(*) AS monitors, CAST(coalesce(sum(entities), 0) AS BIGINT) AS entities
    FROM monitors WHERE account_id = $1 AND deleted_at IS NULL`;
  return (await db.one<Totals>(sql, [accountId])) ?? { monitors: 0, entities: 0 };
}

export type NewMonitor = Omit<StoredMonitor, 'hasFeed' | 'problem'>;

export async function insertMonitor(tx: Queries, monitor: NewMonitor): Promise<void> {
  const { number, id, accountId, name, search, types, fields, entities, startCursor, since, createdAt } = monitor;
  await tx.run(
    `INSERT INTO monitors (number, id, account_id, name, search, types, fields, entities, start_cursor, since, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [number, id, accountId, name, search, types, fields, entities, startCursor, since, createdAt],
  );
}

export async function updateMonitor(
  tx: Queries,
  { number, name, search, types, fields, entities, since, problem }: StoredMonitor,
): Promise<void> {
  const sql = `UPDATE monitors SET name = $2, search = $3, types = $4, fields = $5, entities = $6, since = $7, problem = $8
    WHERE number = $1`;
  await tx.run(sql, [number, name, search, types, fields, entities, since, problem]);
}

/** Lets the pass read all monitors again. */
export async function reviseMonitors(tx: Queries): Promise<void> {
  await tx.run('UPDATE monitor_pass SET revision = revision + 1 WHERE id = 1');
}

/** Ends a monitor whose saved search matches too many companies. */
export async function markTooLarge(tx: Queries, number: number): Promise<void> {
  await tx.run(`UPDATE monitors SET problem = '${TOO_LARGE}' WHERE number = $1`, [number]);
  await reviseMonitors(tx);
}

/** Sets the feed of a monitor; null removes the feed. Returns whether the account has such a monitor. */
export async function setFeed(db: Queries, accountId: string, id: string, feedHash: string | null): Promise<boolean> {
  const sql = 'UPDATE monitors SET feed_hash = $3 WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL';
  return (await db.run(sql, [id, accountId, feedHash])) === 1;
}

/** Returns whether the account had such a monitor. */
export async function markDeleted(tx: Queries, accountId: string, id: string, now: number): Promise<boolean> {
  const sql = `UPDATE monitors SET deleted_at = $3, feed_hash = NULL
    WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL`;
  return (await tx.run(sql, [id, accountId, now])) === 1;
}

export async function addToCount(tx: Queries, number: number, change: number): Promise<void> {
  await tx.run('UPDATE monitors SET entities = entities + $2 WHERE number = $1', [number, change]);
}

const ENTITIES: Insert = {
  table: 'monitor_entities',
  columns: { entity_id: 'TEXT', monitor: 'BIGINT' },
  rest: 'ON CONFLICT (entity_id, monitor) DO NOTHING RETURNING entity_id',
};

/** Returns the number of companies that were not yet in the list. */
export async function insertEntities(tx: Transaction, number: number, ids: readonly string[]): Promise<number> {
  const rows = ids.map((id) => [id, number] as const);
  return (await tx.insert(ENTITIES, rows)).length;
}

/** Returns the number of deleted companies. */
export function deleteEntities(tx: Queries, number: number, ids: readonly string[]): Promise<number> {
  return runListed(tx, ids, DELETE, [number]);
}

const DELETE = (list: string) => `DELETE FROM monitor_entities WHERE entity_id IN (${list}) AND monitor = $1`;

/** The companies of a monitor after the id `after`, in the order of ids. */
export async function listEntities(db: Queries, number: number, after: string, limit: number): Promise<string[]> {
  const sql = `SELECT entity_id AS id FROM monitor_entities WHERE monitor = $1 AND entity_id COLLATE "binary" > $2
    ORDER BY entity_id COLLATE "binary" LIMIT $3`;
  return (await db.all<{ id: string }>(sql, [number, after, limit])).map(({ id }) => id);
}

export type Watchers = ReadonlyMap<string, readonly number[]>;

const FIND_WATCHERS = (list: string) =>
  `SELECT entity_id, monitor FROM monitor_entities WHERE entity_id IN (${list}) LIMIT $1`;

/** For each of these companies, the monitors that contain it. Undefined if there are more than `most` pairs. */
export async function findWatchers(tx: Queries, ids: readonly string[], most: number): Promise<Watchers | undefined> {
  const limit = Math.min(most + 1, Number.MAX_SAFE_INTEGER);
  const found = new Map<string, number[]>();
  const rows = await readListedRows(tx, ids, FIND_WATCHERS, [limit]);
  if (rows.length > most) return undefined;
  for (const [id, monitor] of rows) found.getOrInsertComputed(id as string, () => []).push(monitor as number);
  return found;
}

export interface PassState {
  readonly cursor: string | null;
  /** The position of the last event. */
  readonly position: number;
  readonly lastNumber: number;
  readonly revision: number;
}

const PASS = 'cursor, position, last_number AS "lastNumber", revision';

export async function findPass(db: Queries): Promise<PassState> {
  return requirePass(await db.one<PassState>(`SELECT ${PASS} FROM monitor_pass WHERE id = 1`));
}

/**
 * Locks the state of the pass until the transaction ends. `newest` becomes the cursor if the pass has no cursor yet. `added` is the number of new
 * monitors.
 */
export async function lockPass(tx: Queries, newest: string, added: number, revised: number): Promise<PassState> {
  const sql = `UPDATE monitor_pass SET cursor = coalesce(cursor, $1), last_number = last_number + $2, revision = revision + $3
    WHERE id = 1 RETURNING ${PASS}`;
  return requirePass(await tx.one<PassState>(sql, [newest, added, revised]));
}

function requirePass(state: PassState | undefined): PassState {
  if (state === undefined) throw new Error('the table monitor_pass is empty');
  return state;
}

/** Moves the cursor, unless the cursor or a monitor has changed since the state was read. Returns whether the cursor was moved. */
export async function advancePass(tx: Queries, { cursor, revision }: PassState, to: string): Promise<boolean> {
  const sql = `UPDATE monitor_pass SET cursor = $1 WHERE id = 1 AND revision = $2 AND coalesce(cursor, '') = $3`;
  return (await tx.run(sql, [to, revision, cursor ?? ''])) === 1;
}

export async function findDeleted(db: Queries): Promise<number | undefined> {
  const sql = 'SELECT min(number) AS number FROM monitors WHERE deleted_at IS NOT NULL';
  return (await db.one<{ number: number | null }>(sql))?.number ?? undefined;
}

export function deleteEntitiesOf(tx: Queries, number: number, limit: number): Promise<number> {
  const sql = `DELETE FROM monitor_entities WHERE monitor = $1 AND entity_id IN (
    SELECT entity_id FROM monitor_entities WHERE monitor = $1 LIMIT $2)`;
  return tx.run(sql, [number, limit]);
}

/** Deletes a monitor without events and companies. Returns false if the monitor still has some. */
export async function deleteMonitor(db: Queries, number: number): Promise<boolean> {
  const sql = `DELETE FROM monitors WHERE number = $1 AND NOT EXISTS (SELECT 1 FROM monitor_events WHERE monitor = $1)
    AND NOT EXISTS (SELECT 1 FROM monitor_entities WHERE monitor = $1)`;
  return (await db.run(sql, [number])) === 1;
}

const EVENTS = ['position', 'monitor', 'generation', 'published_at', 'place', 'type'];

/** A company begins to match a saved search, or ceases to match. */
type EventType = 'entered' | 'left';

export interface NewEvent {
  readonly monitor: number;
  readonly generation: number;
  readonly publishedAt: number;
  readonly place: number;
  /** Null if the event has the type of its change. */
  readonly type: EventType | null;
}

/** Adds events. Their positions follow `last`, the position of the last stored event. */
export async function insertEvents(tx: Queries, events: readonly NewEvent[], last: number): Promise<void> {
  const rows = events.map(({ monitor, generation, publishedAt, place, type }, index) => {
    return [last + 1 + index, monitor, generation, publishedAt, place, type];
  });
  await tx.bulkLoad('monitor_events', EVENTS, rows);
  await tx.run('UPDATE monitor_pass SET position = position + $1 WHERE id = 1', [rows.length]);
}

/** A place in the journal: an import, and the number of its changes before this place. */
interface Place {
  readonly generation: number;
  readonly place: number;
}

export function toPlace({ version, seen }: Cursor): Place {
  return { generation: parseGeneration(version), place: Math.min(seen, Number.MAX_SAFE_INTEGER) };
}

export interface StoredEvent extends ChangePlace {
  readonly position: number;
  /** Null if the event has the type of its change. */
  readonly type: EventType | null;
}

const EVENT = 'e.position, e.generation, e.published_at AS "publishedAt", e.place, e.type';

/** The position of the last event up to a place in the journal, or 0: events are written in the order of the journal. */
export async function findPosition(db: Queries, { generation, place }: Place): Promise<number> {
  const sql = `SELECT position FROM monitor_events WHERE (generation, place) <= ($1, $2)
    ORDER BY generation DESC, place DESC, position DESC LIMIT 1`;
  return (await db.one<{ position: number }>(sql, [generation, place]))?.position ?? 0;
}

export function listEvents(db: Queries, number: number, position: number, limit: number): Promise<StoredEvent[]> {
  const sql = `SELECT ${EVENT} FROM monitor_events e WHERE monitor = $1 AND position > $2 ORDER BY position LIMIT $3`;
  return db.all<StoredEvent>(sql, [number, position, limit]);
}

export function listLatestEvents(db: Queries, number: number, limit: number): Promise<StoredEvent[]> {
  const sql = `SELECT ${EVENT} FROM monitor_events e WHERE monitor = $1 ORDER BY position DESC LIMIT $2`;
  return db.all<StoredEvent>(sql, [number, limit]);
}

export interface AccountEvent extends StoredEvent {
  readonly monitorId: string;
}

/** The events of an account after a position, in order. `CROSS JOIN` fixes the order in SQLite: otherwise it may read the events of all accounts. */
export function listAccountEvents(
  db: Queries,
  accountId: string,
  monitorIds: string | null,
  position: number,
  limit: number,
): Promise<AccountEvent[]> {
  const sql = `SELECT ${EVENT}, m.id AS "monitorId" FROM monitors m CROSS JOIN monitor_events e
    WHERE m.account_id = $1 AND m.deleted_at IS NULL AND ($4 = '' OR $4 LIKE '%' || m.id || '%')
      AND e.monitor = m.number AND e.position > $2 ORDER BY e.position LIMIT $3`;
  return db.all<AccountEvent>(sql, [accountId, position, limit, monitorIds ?? '']);
}

/** Deletes up to `limit` events up to a place in the journal. Returns their number. */
export function deleteOldEvents(tx: Queries, { generation, place }: Place, limit: number): Promise<number> {
  const sql = `DELETE FROM monitor_events WHERE (monitor, position) IN (
    SELECT monitor, position FROM monitor_events WHERE (generation, place) <= ($1, $2)
    ORDER BY generation, place, position LIMIT $3)`;
  return tx.run(sql, [generation, place, limit]);
}

export function deleteEventsOf(tx: Queries, number: number, limit: number): Promise<number> {
  const sql = `DELETE FROM monitor_events WHERE monitor = $1 AND position IN (
    SELECT position FROM monitor_events WHERE monitor = $1 LIMIT $2)`;
  return tx.run(sql, [number, limit]);
}
