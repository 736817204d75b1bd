import { requireFound } from '../../accounts/resources.ts';
import type { Insert, Queries, Transaction } from '../../base/db/db.ts';
import { readListedRows, runListed } from '../../base/db/lists.ts';
import { defineTable } from '../../base/db/rows.ts';
import type { Place } from '../feed/cursor.ts';
import type { Monitor } from './monitor.ts';

interface MonitorRow extends Omit<Monitor, 'types' | 'fields' | 'search' | 'cursor' | 'hasFeed'> {
  readonly types: string;
  readonly fields: string | null;
  readonly search: string | null;
  readonly startCursor: string;
  /** The hash of the secret in the address of the feed. */
  readonly feedHash: string | null;
  readonly deletedAt: number;
}

const FIELDS = ['number', 'id', 'accountId', 'name', 'search', 'types', 'fields', 'entities', 'since'] as const;
const STATE = ['problem', 'startCursor', 'createdAt'] as const;
const monitors = defineTable<MonitorRow>('monitors');
const MONITOR = `SELECT ${monitors.select('m', ...FIELDS, ...STATE)}, m.feed_hash IS NOT NULL AS "hasFeed"
  FROM monitors m WHERE m.deleted_at IS NULL`;

type FoundMonitor = Omit<MonitorRow, 'feedHash' | 'deletedAt'> & { readonly hasFeed: number };

function toMonitor({ types, fields, search, startCursor, hasFeed, ...row }: FoundMonitor): Monitor {
  const parsed = {
    types: JSON.parse(types),
    fields: fields && JSON.parse(fields),
    search: search && JSON.parse(search),
  };
  return { ...row, ...parsed, cursor: startCursor, hasFeed: hasFeed === 1 };
}

export async function listActiveMonitors(db: Queries): Promise<Monitor[]> {
  return (await db.all<FoundMonitor>(`${MONITOR} AND m.problem IS NULL ORDER BY m.number`)).map(toMonitor);
}

export async function listMonitors(db: Queries, accountId: string): Promise<Monitor[]> {
  return (await db.all<FoundMonitor>(`${MONITOR} AND m.account_id = $1 ORDER BY m.number`, [accountId])).map(toMonitor);
}

export async function requireMonitor(db: Queries, accountId: string, id: string): Promise<Monitor> {
  const row = await db.one<FoundMonitor>(`${MONITOR} AND m.id = $1 AND m.account_id = $2`, [id, accountId]);
  return toMonitor(requireFound('monitor', row));
}

export async function findMonitorByFeed(db: Queries, feedHash: string): Promise<Monitor | undefined> {
  const row = await db.one<FoundMonitor>(`${MONITOR} AND m.feed_hash = $1`, [feedHash]);
  return row && toMonitor(row);
}

export async function countOfAccount(db: Queries, accountId: string) {
  const sql = `SELECT count(*) AS monitors, CAST(coalesce(sum(entities), 0) AS BIGINT) AS entities
    FROM monitors WHERE account_id = $1 AND deleted_at IS NULL`;
  return (await db.one<{ monitors: number; entities: number }>(sql, [accountId])) ?? { monitors: 0, entities: 0 };
}

interface MonitorUpdate extends Partial<Omit<Monitor, 'search'>> {
  readonly search?: Monitor['search'] | undefined;
  readonly feedHash?: string | null;
  readonly deletedAt?: number;
}

function toRow({ types, fields, search, cursor, hasFeed: _hasFeed, ...plain }: MonitorUpdate) {
  const write = (value: object) => JSON.stringify(value);
  const written = { types: types && write(types), fields: fields && write(fields), search: search && write(search) };
  return { ...plain, ...written, startCursor: cursor };
}

export function insertMonitor(tx: Queries, monitor: Monitor): Promise<void> {
  return monitors.insert(tx, toRow(monitor));
}

/** Missing fields keep their value. */
export async function updateMonitor(tx: Queries, number: number, changes: MonitorUpdate): Promise<void> {
  await monitors.update(tx, { number }, toRow(changes));
}

/** Lets the pass read all monitors again. */
export async function reviseMonitors(tx: Queries): Promise<void> {
  await tx.run('UPDATE monitor_pass SET revision = revision + 1 WHERE id = 1');
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

/** For each company, the monitors that contain it. */
export type Watchers = ReadonlyMap<string, readonly number[]>;

const FIND_WATCHERS = (list: string) =>
  `SELECT entity_id, monitor FROM monitor_entities WHERE entity_id IN (${list}) LIMIT $1`;

/** Undefined if there are more than `most` pairs of a company and a monitor. */
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
  readonly position: number;
  readonly lastNumber: number;
  readonly revision: number;
}

const PASS = 'cursor, position, last_number AS "lastNumber", revision';

export async function findPass(db: Queries): Promise<PassState> {
  return (await db.one<PassState>(`SELECT ${PASS} FROM monitor_pass WHERE id = 1`)) as PassState;
}

/** Locks the state of the pass until the transaction ends. `newest` becomes the first cursor. `added` is the number of new monitors. */
export async function lockPass(tx: Queries, newest: string, added = 0) {
  const sql = `UPDATE monitor_pass SET cursor = coalesce(cursor, $1), last_number = last_number + $2 WHERE id = 1
    RETURNING ${PASS}`;
  return (await tx.one(sql, [newest, added])) as PassState & { readonly cursor: string };
}

/** Moves the cursor, unless the cursor or a monitor has changed since the state was read. Returns whether the cursor was moved. */
export async function advancePass(tx: Queries, { cursor, revision }: PassState, to: string): Promise<boolean> {
  const sql = `UPDATE monitor_pass SET cursor = $1 WHERE id = 1 AND revision = $2 AND coalesce(cursor, '') = $3`;
  return (await tx.run(sql, [to, revision, cursor ?? ''])) === 1;
}

const EVENTS = ['position', 'monitor', 'generation', 'published_at', 'place', 'type'];

export interface StoredEvent extends Place {
  readonly position: number;
  /** Null if the event has the type of its change. Otherwise, a company begins to match a saved search, or ceases to match. */
  readonly type: 'entered' | 'left' | null;
}

export type NewEvent = Omit<StoredEvent, 'position'> & { readonly monitor: number };

/** Adds events. Their positions follow `last`, the position of the last stored event. */
export async function insertEvents(tx: Queries, events: readonly NewEvent[], last: number): Promise<void> {
  const rows = events.map(({ monitor, generation, publishedAt, seen, type }, index) => {
    return [last + 1 + index, monitor, generation, publishedAt, seen, type];
  });
  await tx.bulkLoad('monitor_events', EVENTS, rows);
  await tx.run('UPDATE monitor_pass SET position = position + $1 WHERE id = 1', [rows.length]);
}

const EVENT = 'e.position, e.generation, e.published_at AS "publishedAt", e.place AS seen, e.type';

/** The condition for events up to a place in the journal, which is `$1` and `$2`. */
const UP_TO = '(generation, place) <= ($1, $2)';

function toParams({ generation, seen }: Place): [number, number] {
  return [generation, Math.min(seen, Number.MAX_SAFE_INTEGER)];
}

/** The position of the last event up to a place in the journal, or 0: events are written in the order of the journal. */
export async function findPosition(db: Queries, place: Place): Promise<number> {
  const sql = `SELECT position FROM monitor_events WHERE ${UP_TO}
    ORDER BY generation DESC, place DESC, position DESC LIMIT 1`;
  return (await db.one<{ position: number }>(sql, toParams(place)))?.position ?? 0;
}

export function listEvents(db: Queries, number: number, position: number, limit: number): Promise<StoredEvent[]> {
  const sql = `SELECT ${EVENT} FROM monitor_events e WHERE monitor = $1 AND position > $2 ORDER BY position LIMIT $3`;
  return db.all<StoredEvent>(sql, [number, position, limit]);
}

export function listLatestEvents(db: Queries, number: number, limit: number): Promise<StoredEvent[]> {
  const sql = `SELECT ${EVENT} FROM monitor_events e WHERE monitor = $1 ORDER BY position DESC LIMIT $2`;
  return db.all<StoredEvent>(sql, [number, limit]);
}

export type AccountEvent = StoredEvent & { readonly monitorId: string };

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
export function deleteOldEvents(tx: Queries, place: Place, limit: number): Promise<number> {
  const sql = `DELETE FROM monitor_events WHERE (monitor, position) IN (
    SELECT monitor, position FROM monitor_events WHERE ${UP_TO} ORDER BY generation, place, position LIMIT $3)`;
  return tx.run(sql, [...toParams(place), limit]);
}

/** Deletes up to `limit` events or companies of deleted monitors. Returns their number. */
export function deleteRest(tx: Queries, what: 'event' | 'entity', limit: number): Promise<number> {
  const [table, key] = what === 'event' ? ['monitor_events', 'position'] : ['monitor_entities', 'entity_id'];
  const sql = `DELETE FROM ${table} WHERE (monitor, ${key}) IN (SELECT r.monitor, r.${key} FROM monitors m
    CROSS JOIN ${table} r WHERE m.deleted_at IS NOT NULL AND r.monitor = m.number LIMIT $1)`;
  return tx.run(sql, [limit]);
}

/** Deletes up to `limit` deleted monitors that have neither events nor companies. Returns their number. */
export function deleteMonitors(tx: Queries, limit: number): Promise<number> {
  const sql = `DELETE FROM monitors WHERE number IN (SELECT m.number FROM monitors m WHERE m.deleted_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM monitor_events e WHERE e.monitor = m.number)
      AND NOT EXISTS (SELECT 1 FROM monitor_entities e WHERE e.monitor = m.number) LIMIT $1)`;
  return tx.run(sql, [limit]);
}
