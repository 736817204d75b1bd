import { chooseLookupSize, keepBySize, listPlaceholders, MAX_LOOKUP_SIZE, padList } from '../../core/pad-list.ts';
import type { Insert, Queries, Transaction, Value } from '../../db/db.ts';
import type { DeliveryState } from './states.ts';

/** The SQL of deliveries: one event for one endpoint. */
export interface StoredDelivery {
  /** The header `webhook-id`. */
  readonly id: string;
  readonly endpointId: string;
  readonly position: number;
  readonly type: string;
  readonly payload: string;
  /** What it costs: 0 for a test. */
  readonly units: number;
  readonly state: DeliveryState;
  /** Since it was last put in the queue. */
  readonly attempts: number;
  /** A JSON array of the latest attempts. */
  readonly attemptLog: string;
  readonly nextAt: number;
  /** The charge, to refund it. Null while nothing is charged. */
  readonly chargedPeriod: number | null;
  readonly chargedDay: string | null;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
}

const COLUMNS = `id, endpoint_id AS "endpointId", position, type, payload, units, state, attempts, attempt_log AS "attemptLog",
  next_at AS "nextAt", charged_period AS "chargedPeriod", charged_day AS "chargedDay", created_at AS "createdAt",
  delivered_at AS "deliveredAt"`;

export interface NewDelivery
  extends Pick<StoredDelivery, 'id' | 'endpointId' | 'position' | 'type' | 'payload' | 'units'> {
  readonly entityId: string;
}

/** A delivery that exists is sent again, unless it still waits. */
const DELIVERY_ROWS: Insert = {
  table: 'webhook_deliveries',
  columns: {
    id: 'TEXT',
    endpoint_id: 'TEXT',
    position: 'BIGINT',
    entity_id: 'TEXT',
    type: 'TEXT',
    payload: 'TEXT',
    units: 'BIGINT',
    state: 'TEXT',
    attempts: 'BIGINT',
    attempt_log: 'TEXT',
    next_at: 'BIGINT',
    created_at: 'BIGINT',
  },
  rest: `ON CONFLICT (id) DO UPDATE SET state = 'waiting', attempts = 0, next_at = excluded.next_at, charged_period = NULL,
    charged_day = NULL, delivered_at = NULL WHERE webhook_deliveries.state <> 'waiting'`,
};

export async function insertDeliveries(tx: Transaction, rows: readonly NewDelivery[], now: number): Promise<void> {
  const values = rows.map(({ id, endpointId, position, entityId, type, payload, units }) => {
    return [id, endpointId, position, entityId, type, payload, units, 'waiting', 0, '[]', now, now];
  });
  await tx.insert(DELIVERY_ROWS, values);
}

/** Those that may be sent now, in order: of each entity only the first one that waits. */
export function listDue(tx: Queries, endpointId: string, now: number, limit: number): Promise<StoredDelivery[]> {
  const sql = `SELECT ${COLUMNS} FROM webhook_deliveries d
    WHERE endpoint_id = $1 AND state = 'waiting' AND next_at <= $2 AND NOT EXISTS (
      SELECT 1 FROM webhook_deliveries earlier WHERE earlier.endpoint_id = $1 AND earlier.state = 'waiting'
        AND earlier.entity_id = d.entity_id AND earlier.position < d.position)
    ORDER BY position, id LIMIT $3`;
  return tx.all<StoredDelivery>(sql, [endpointId, now, limit]);
}

export async function countWaiting(db: Queries, endpointId: string): Promise<number> {
  const sql = `SELECT count(*) AS count FROM webhook_deliveries WHERE endpoint_id = $1 AND state = 'waiting'`;
  return (await db.one<{ count: number }>(sql, [endpointId]))?.count ?? 0;
}

export interface Charge {
  readonly periodStart: number;
  readonly day: string;
}

/** Records what was charged for deliveries. */
export function markCharged(tx: Queries, rows: readonly (Charge & { readonly id: string })[]): Promise<void> {
  return updateAll(
    tx,
    CHARGE,
    rows.map(({ id, periodStart, day }) => [id, periodStart, day]),
  );
}

const CHARGE = keepBySize(
  (size) => `UPDATE webhook_deliveries SET charged_period = given.column2, charged_day = given.column3
    FROM (${listValues(size, ['TEXT', 'BIGINT', 'TEXT'])}) AS given WHERE id = given.column1`,
);

/** What one attempt has changed. */
export type Attempted = Pick<StoredDelivery, 'id' | 'state' | 'nextAt' | 'attemptLog' | 'deliveredAt'> & {
  /** What stays charged. */
  readonly charge: Charge | null;
};

export function markAttempted(tx: Queries, rows: readonly Attempted[]): Promise<void> {
  const values = rows.map(({ id, state, nextAt, attemptLog, deliveredAt, charge }) => {
    return [id, state, nextAt, attemptLog, deliveredAt, charge?.periodStart ?? null, charge?.day ?? null];
  });
  return updateAll(tx, ATTEMPT, values);
}

const ATTEMPT = keepBySize(
  (size) => `UPDATE webhook_deliveries SET attempts = attempts + 1, state = given.column2, next_at = given.column3,
      attempt_log = given.column4, delivered_at = given.column5, charged_period = given.column6, charged_day = given.column7
    FROM (${listValues(size, ['TEXT', 'TEXT', 'BIGINT', 'TEXT', 'BIGINT', 'BIGINT', 'TEXT'])}) AS given WHERE id = given.column1`,
);

/** Rows of parameters. Both engines name the columns `column1`, `column2`, … */
function listValues(size: number, types: readonly ('TEXT' | 'BIGINT')[]): string {
  const row = (at: number) =>
    types.map((type, index) => `CAST($${at * types.length + index + 1} AS ${type})`).join(', ');
  return `VALUES ${Array.from({ length: size }, (_, at) => `(${row(at)})`).join(', ')}`;
}

async function updateAll(tx: Queries, write: (size: number) => string, rows: readonly Value[][]): Promise<void> {
  for (let at = 0; at < rows.length; at += MAX_LOOKUP_SIZE) {
    const part = rows.slice(at, at + MAX_LOOKUP_SIZE);
    const size = chooseLookupSize(part.length);
    const padded = [...part, ...Array<Value[]>(size - part.length).fill(part[0] as Value[])];
    await tx.run(write(size), padded.flat());
  }
}

/** What is charged for those of these deliveries that wait, by id. */
export async function findWaiting(tx: Queries, ids: readonly string[]): Promise<Map<string, Charge | null>> {
  const waiting = new Map<string, Charge | null>();
  for (let at = 0; at < ids.length; at += MAX_LOOKUP_SIZE) {
    const part = ids.slice(at, at + MAX_LOOKUP_SIZE);
    const size = chooseLookupSize(part.length);
    const sql = `SELECT id, charged_period AS "periodStart", charged_day AS day FROM webhook_deliveries
      WHERE id IN (${listPlaceholders(size)}) AND state = 'waiting'`;
    for (const { id, periodStart, day } of await tx.all<{ id: string } & Nullable<Charge>>(sql, padList(part, size))) {
      waiting.set(id, periodStart === null || day === null ? null : { periodStart, day });
    }
  }
  return waiting;
}

type Nullable<T> = { readonly [Name in keyof T]: T[Name] | null };

/** All that were not delivered are sent again, from the first attempt on. */
export async function restartDeliveries(tx: Queries, endpointId: string, now: number): Promise<void> {
  const sql = `UPDATE webhook_deliveries SET state = 'waiting', attempts = 0, next_at = $2
    WHERE endpoint_id = $1 AND state IN ('waiting', 'failed')`;
  await tx.run(sql, [endpointId, now]);
}

/** Deletes the deliveries of an endpoint that were not delivered, and returns what is charged for them. */
export async function deleteUndelivered(tx: Queries, endpointId: string): Promise<Charge[]> {
  const sql = `SELECT charged_period AS "periodStart", charged_day AS day FROM webhook_deliveries
    WHERE endpoint_id = $1 AND state = 'waiting' AND charged_period IS NOT NULL`;
  const charges = await tx.all<Charge>(sql, [endpointId]);
  await tx.run(`DELETE FROM webhook_deliveries WHERE endpoint_id = $1 AND state <> 'delivered'`, [endpointId]);
  return charges;
}

export function findDelivery(db: Queries, endpointId: string, id: string): Promise<StoredDelivery | undefined> {
  const sql = `SELECT ${COLUMNS} FROM webhook_deliveries WHERE endpoint_id = $1 AND id = $2`;
  return db.one<StoredDelivery>(sql, [endpointId, id]);
}

/** The newest first. `before` is the last one of the previous page. */
export function listDeliveries(
  db: Queries,
  endpointId: string,
  { state, before, limit }: { state?: DeliveryState | undefined; before?: StoredDelivery | undefined; limit: number },
): Promise<StoredDelivery[]> {
  const sql = `SELECT ${COLUMNS} FROM webhook_deliveries
    WHERE endpoint_id = $1 AND ($2 = '' OR state = $2) AND (created_at < $3 OR (created_at = $3 AND id < $4))
    ORDER BY created_at DESC, id DESC LIMIT $5`;
  const start = before ?? { createdAt: Number.MAX_SAFE_INTEGER, id: '' };
  return db.all<StoredDelivery>(sql, [endpointId, state ?? '', start.createdAt, start.id, limit]);
}

export interface DeliveryFigures {
  readonly waiting: number;
  readonly failed: number;
  /** When the oldest one that waits was created. Null if none waits. */
  readonly oldestAt: number | null;
}

/** Of enabled endpoints what waits, and what failed of those that were disabled because of it. */
export async function readFigures(db: Queries): Promise<DeliveryFigures> {
  const sql = `SELECT count(*) AS waiting, min(d.created_at) AS "oldestAt" FROM webhook_deliveries d
    JOIN webhook_endpoints e ON e.id = d.endpoint_id WHERE d.state = 'waiting' AND e.disabled_reason IS NULL`;
  const row = await db.one<{ waiting: number; oldestAt: number | null }>(sql);
  const failed = await db.one<{ count: number }>(
    `SELECT count(*) AS count FROM webhook_endpoints WHERE disabled_reason = 'failing'`,
  );
  return { waiting: row?.waiting ?? 0, oldestAt: row?.oldestAt ?? null, failed: failed?.count ?? 0 };
}

/** Deletes up to `limit` deliveries that were delivered before this time. Returns how many. */
export function deleteOldDeliveries(tx: Queries, before: number, limit: number): Promise<number> {
  const sql = `DELETE FROM webhook_deliveries WHERE id IN (
    SELECT id FROM webhook_deliveries WHERE state = 'delivered' AND delivered_at < $1 ORDER BY delivered_at LIMIT $2)`;
  return tx.run(sql, [before, limit]);
}
