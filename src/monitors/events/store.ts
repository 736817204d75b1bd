import type { Queries } from '../../db/db.ts';
import { type Cursor, readGeneration } from '../../journal/feed/cursor.ts';
import type { ChangePlace } from '../../journal/feed/heads.ts';
import type { MonitorType } from '../monitor.ts';

/** The SQL of the events of monitors. */

const EVENTS = ['position', 'monitor', 'generation', 'published_at', 'place', 'type'];

/** `type` is null if it is that of the change. */
export type NewEvent = [
  position: number,
  monitor: number,
  generation: number,
  publishedAt: number,
  place: number,
  type: MonitorType | null,
];

/** Their positions follow that of the last event. */
export async function insertEvents(tx: Queries, rows: readonly NewEvent[], last: number): Promise<void> {
  for (const [index, row] of rows.entries()) row[0] = last + 1 + index;
  await tx.bulkLoad('monitor_events', EVENTS, rows);
  await tx.run('UPDATE monitor_pass SET position = position + $1 WHERE id = 1', [rows.length]);
}

/** A place in the journal: an import, and the number of its changes up to there. */
export interface Place {
  readonly generation: number;
  readonly place: number;
}

export function toPlace({ version, seen }: Cursor): Place {
  return { generation: readGeneration(version), place: Math.min(seen, Number.MAX_SAFE_INTEGER) };
}

export interface StoredEvent extends ChangePlace {
  readonly position: number;
  /** Null if it is that of the change. */
  readonly type: MonitorType | null;
}

const EVENT = 'e.position, e.generation, e.published_at AS "publishedAt", e.place, e.type';

/** The position of the last event up to a place in the journal, 0 if there is none: events are written in the order of the journal. */
export async function findPosition(db: Queries, { generation, place }: Place): Promise<number> {
  const sql = `SELECT position FROM monitor_events WHERE (generation, place) <= ($1, $2)
    ORDER BY generation DESC, place DESC, position DESC LIMIT 1`;
  return (await db.one<{ position: number }>(sql, [generation, place]))?.position ?? 0;
}

/** The events of a monitor after a position, in order. */
export function readEvents(db: Queries, number: number, position: number, limit: number): Promise<StoredEvent[]> {
  const sql = `SELECT ${EVENT} FROM monitor_events e WHERE monitor = $1 AND position > $2 ORDER BY position LIMIT $3`;
  return db.all<StoredEvent>(sql, [number, position, limit]);
}

/** The newest events of a monitor, the newest first. */
export function readLatestEvents(db: Queries, number: number, limit: number): Promise<StoredEvent[]> {
  const sql = `SELECT ${EVENT} FROM monitor_events e WHERE monitor = $1 ORDER BY position DESC LIMIT $2`;
  return db.all<StoredEvent>(sql, [number, limit]);
}

export interface AccountEvent extends StoredEvent {
  readonly monitorId: string;
}

/** The events of an account after a position, in order. SQLite joins in the order of `CROSS JOIN`: otherwise it may read those of all accounts. */
export function readAccountEvents(
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

/** Deletes up to `limit` events up to a place in the journal. Returns how many. */
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
