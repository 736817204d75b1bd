import type { Insert, Queries, Transaction, Value } from '../../base/db/db.ts';
import { chooseLength, MAX_LOOKUP_SIZE, readListed, runListed } from '../../base/db/lists.ts';
import { defineTable } from '../../base/db/rows.ts';
import type { DeliveryState, DisabledReason } from './events.ts';

export interface StoredEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly description: string | null;
  /** A JSON array. Null: all monitors of the account. */
  readonly monitorIds: string | null;
  readonly secret: string;
  /** The previous secret also signs until `previousEndsAt`. */
  readonly previousSecret: string | null;
  readonly previousEndsAt: number | null;
  /** Deliveries were created from all events up to this position. */
  readonly position: number;
  readonly disabledReason: DisabledReason | null;
  readonly disabledAt: number | null;
  /** The receiver asked for a pause. */
  readonly pausedUntil: number;
  readonly failing: 0 | 1;
  readonly createdAt: number;
}

const FIELDS = ['id', 'accountId', 'url', 'description', 'monitorIds', 'secret', 'previousSecret'] as const;
const STATE = ['previousEndsAt', 'position', 'disabledReason', 'disabledAt', 'pausedUntil', 'failing'] as const;
/** An endpoint with `deletedAt` is invisible and gets nothing; its rows are removed later. */
export const endpoints = defineTable<StoredEndpoint & { readonly deletedAt: number }>('webhook_endpoints');
const ENDPOINT = `SELECT ${endpoints.select('e', ...FIELDS, ...STATE, 'createdAt')} FROM webhook_endpoints e`;

export function listEndpoints(db: Queries, accountId: string): Promise<StoredEndpoint[]> {
  const sql = `${ENDPOINT} WHERE account_id = $1 AND deleted_at IS NULL ORDER BY created_at, id`;
  return db.all<StoredEndpoint>(sql, [accountId]);
}

export function listAllEndpoints(db: Queries): Promise<StoredEndpoint[]> {
  return db.all<StoredEndpoint>(`${ENDPOINT} WHERE deleted_at IS NULL ORDER BY created_at, id`);
}

/** The enabled endpoints that have not seen the event at this position. */
export function listBehind(db: Queries, position: number): Promise<StoredEndpoint[]> {
  return db.all<StoredEndpoint>(`${ENDPOINT} WHERE disabled_reason IS NULL AND position < $1 ORDER BY id`, [position]);
}

export function listReady(db: Queries, now: number): Promise<Pick<StoredEndpoint, 'id' | 'accountId' | 'failing'>[]> {
  const sql = `SELECT id, account_id AS "accountId", failing FROM webhook_endpoints e
    WHERE disabled_reason IS NULL AND paused_until <= $1 AND EXISTS (
      SELECT 1 FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'waiting' AND d.next_at <= $1) ORDER BY id`;
  return db.all(sql, [now]);
}

export function findEndpoint(db: Queries, id: string): Promise<StoredEndpoint | undefined> {
  return db.one<StoredEndpoint>(`${ENDPOINT} WHERE id = $1 AND deleted_at IS NULL`, [id]);
}

/** Finds endpoints by id, including deleted endpoints that still have deliveries. */
export async function findEndpoints(db: Queries, ids: Iterable<string>): Promise<Map<string, StoredEndpoint>> {
  const read = (list: string) => `${ENDPOINT} WHERE id IN (${list})`;
  const found = await readListed<StoredEndpoint>(db, [...new Set(ids)], read);
  return new Map(found.map((each) => [each.id, each]));
}

/**
 * Until the transaction ends, no other transaction changes deliveries, or what endpoints get. Every such transaction starts with this lock, so that
 * it sees the changes of the others and no two of them deadlock. These transactions take milliseconds, and one server sends at a time.
 */
export function holdDeliveries(tx: Transaction): Promise<void> {
  return tx.hold('webhook deliveries', 'exclusive');
}

/** Moves the endpoint to a later position, unless its position, state or monitors have changed. Returns whether it moved. */
export async function advanceEndpoint(
  tx: Queries,
  { id, position, monitorIds }: Pick<StoredEndpoint, 'id' | 'position' | 'monitorIds'>,
  to: number,
): Promise<boolean> {
  const known = { id, position, monitorIds, disabledReason: null };
  return (await endpoints.update(tx, known, { position: to })) === 1;
}

export async function disableEndpoint(tx: Queries, id: string, reason: DisabledReason, now: number): Promise<boolean> {
  const change = { disabledReason: reason, disabledAt: now };
  return (await endpoints.update(tx, { id, disabledReason: null }, change)) === 1;
}

export async function findDeletedEndpoint(tx: Queries, before: number): Promise<string | undefined> {
  const sql = 'SELECT id FROM webhook_endpoints WHERE deleted_at < $1 ORDER BY deleted_at LIMIT 1';
  return (await tx.one<{ id: string }>(sql, [before]))?.id;
}

export async function deleteEndpoint(tx: Queries, id: string): Promise<void> {
  await tx.run('DELETE FROM webhook_endpoints WHERE id = $1', [id]);
}

export interface StoredDelivery {
  /** The value of the header `webhook-id`. */
  readonly id: string;
  readonly endpointId: string;
  readonly position: number;
  readonly type: string;
  readonly payload: string;
  /** The price in units: 0 for a test. */
  readonly units: number;
  readonly state: DeliveryState;
  /** The number of attempts since the delivery was last put in the queue. */
  readonly attempts: number;
  readonly attemptLog: string;
  readonly nextAt: number;
  /** The billing period of the charge, for a refund. Null while nothing is charged. */
  readonly chargedPeriod: number | null;
  readonly chargedDay: string | null;
  /** When the delivery was first sent, or may have been sent. From then on, its charge is not refunded. */
  readonly sentAt: number | null;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
}

const DELIVERY_FIELDS = [
  'id',
  'endpointId',
  'position',
  'type',
  'payload',
  'units',
  'state',
  'attempts',
  'attemptLog',
] as const;
const TIMES = ['nextAt', 'chargedPeriod', 'chargedDay', 'sentAt', 'createdAt', 'deliveredAt'] as const;
const DELIVERY = `SELECT ${defineTable<StoredDelivery>('webhook_deliveries').select('d', ...DELIVERY_FIELDS, ...TIMES)} FROM webhook_deliveries d`;

export interface NewDelivery
  extends Pick<StoredDelivery, 'id' | 'endpointId' | 'position' | 'type' | 'payload' | 'units'> {
  readonly entityId: string;
}

/** An existing delivery is sent again, unless it still waits. If it was delivered before, it is charged again. */
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
  rest: `ON CONFLICT (id) DO UPDATE SET state = 'waiting', attempts = 0, next_at = excluded.next_at, delivered_at = NULL,
    ${['charged_period', 'charged_day', 'sent_at'].map(keepUnlessDelivered).join(', ')} WHERE webhook_deliveries.state <> 'waiting'`,
};

function keepUnlessDelivered(column: string): string {
  return `${column} = CASE webhook_deliveries.state WHEN 'delivered' THEN NULL ELSE webhook_deliveries.${column} END`;
}

export async function insertDeliveries(tx: Transaction, rows: readonly NewDelivery[], now: number): Promise<void> {
  const values = rows.map(({ id, endpointId, position, entityId, type, payload, units }) => {
    return [id, endpointId, position, entityId, type, payload, units, 'waiting', 0, '[]', now, now];
  });
  await tx.insert(DELIVERY_ROWS, values);
}

/** Lists deliveries that may be sent now, in order: for each entity, only the first waiting one. */
export function listDue(tx: Queries, endpointId: string, now: number, limit: number): Promise<StoredDelivery[]> {
  const sql = `${DELIVERY}
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

export function markCharged(tx: Queries, charges: ReadonlyMap<string, Charge>): Promise<void> {
  const values = [...charges].map(([id, { periodStart, day }]) => [id, periodStart, day]);
  return updateAll(tx, 'charged_period = given.column2, charged_day = given.column3', CHARGE_TYPES, values);
}

const CHARGE_TYPES = ['TEXT', 'BIGINT', 'TEXT'] as const;

const MARK_SENT = (list: string) => `UPDATE webhook_deliveries SET sent_at = $1 WHERE id IN (${list})`;

export async function markSent(tx: Queries, ids: readonly string[], now: number): Promise<void> {
  await runListed(tx, ids, MARK_SENT, [now]);
}

export type Attempted = Pick<StoredDelivery, 'id' | 'state' | 'nextAt' | 'attemptLog' | 'deliveredAt' | 'sentAt'> & {
  /** 0 if the delivery was not tried. */
  readonly attempts: 0 | 1;
  readonly charge: Charge | null;
};

export function markAttempted(tx: Queries, rows: readonly Attempted[]): Promise<void> {
  const values = rows.map(({ id, attempts, state, nextAt, attemptLog, deliveredAt, sentAt, charge }) => {
    const { periodStart = null, day = null } = charge ?? {};
    return [id, state, nextAt, attemptLog, deliveredAt, periodStart, day, sentAt, attempts];
  });
  return updateAll(tx, ATTEMPT, ATTEMPT_TYPES, values);
}

const ATTEMPT_TYPES = ['TEXT', 'TEXT', 'BIGINT', 'TEXT', 'BIGINT', 'BIGINT', 'TEXT', 'BIGINT', 'BIGINT'] as const;
const ATTEMPT = `state = given.column2, next_at = given.column3, attempt_log = given.column4,
  delivered_at = given.column5, charged_period = given.column6, charged_day = given.column7, sent_at = given.column8,
  attempts = attempts + given.column9`;

type Types = readonly ('TEXT' | 'BIGINT')[];

/** Changes each delivery by a row of values. Both engines name the columns of these rows `column1`, which is the id, `column2`, … */
async function updateAll(tx: Queries, change: string, types: Types, rows: readonly Value[][]): Promise<void> {
  const writeRow = (at: number) =>
    types.map((type, index) => `CAST($${at * types.length + index + 1} AS ${type})`).join(', ');
  for (let at = 0; at < rows.length; at += MAX_LOOKUP_SIZE) {
    const part = rows.slice(at, at + MAX_LOOKUP_SIZE);
    const length = chooseLength(part.length);
    const values = Array.from({ length }, (_, row) => `(${writeRow(row)})`).join(', ');
    const padded = [...part, ...Array<Value[]>(length - part.length).fill(part[0] as Value[])];
    await tx.run(
      `UPDATE webhook_deliveries SET ${change} FROM (VALUES ${values}) AS given WHERE id = given.column1`,
      padded.flat(),
    );
  }
}

export type Paid = Pick<StoredDelivery, 'chargedPeriod' | 'chargedDay' | 'sentAt'>;

const FIND_WAITING = (list: string) => `SELECT id, charged_period AS "chargedPeriod", charged_day AS "chargedDay",
  sent_at AS "sentAt" FROM webhook_deliveries WHERE id IN (${list}) AND state = 'waiting'`;

export async function findWaiting(tx: Queries, ids: readonly string[]): Promise<Map<string, Paid>> {
  const found = await readListed<Paid & { readonly id: string }>(tx, ids, FIND_WAITING);
  return new Map(found.map((each) => [each.id, each]));
}

/** Sends again all events that were not delivered, starting with the first attempt. */
export async function restartDeliveries(tx: Queries, endpointId: string, now: number): Promise<void> {
  const sql = `UPDATE webhook_deliveries SET state = 'waiting', attempts = 0, next_at = $2
    WHERE endpoint_id = $1 AND state IN ('waiting', 'failed') AND units > 0`;
  await tx.run(sql, [endpointId, now]);
}

/** The tests in the limit of an endpoint: waiting tests and tests since a time, including those of deleted endpoints of the account. */
export async function countTests(tx: Queries, accountId: string, endpointId: string, since: number) {
  const sql = `SELECT count(*) AS count, min("createdAt") AS "oldestAt" FROM (
    SELECT d.id, d.created_at AS "createdAt" FROM webhook_endpoints e JOIN webhook_deliveries d ON d.endpoint_id = e.id
      WHERE e.account_id = $1 AND (e.id = $2 OR e.deleted_at IS NOT NULL) AND d.units = 0 AND d.created_at > $3
    UNION SELECT id, created_at FROM webhook_deliveries WHERE endpoint_id = $2 AND state = 'waiting' AND units = 0) AS tests`;
  const row = await tx.one<{ count: number; oldestAt: number | null }>(sql, [accountId, endpointId, since]);
  return row ?? { count: 0, oldestAt: null };
}

/** Ends the waiting tests of an endpoint that was disabled: tests do not wait until it is enabled. */
export async function endTests(tx: Queries, endpointId: string): Promise<void> {
  const sql = `UPDATE webhook_deliveries SET state = 'failed' WHERE endpoint_id = $1 AND state = 'waiting' AND units = 0`;
  await tx.run(sql, [endpointId]);
}

export function findDelivery(db: Queries, endpointId: string, id: string): Promise<StoredDelivery | undefined> {
  return db.one<StoredDelivery>(`${DELIVERY} WHERE endpoint_id = $1 AND id = $2`, [endpointId, id]);
}

/** Lists deliveries, the newest first. `before` is the last delivery of the previous page. */
export function listDeliveries(
  db: Queries,
  endpointId: string,
  { state, before, limit }: { state?: DeliveryState | undefined; before?: StoredDelivery | undefined; limit: number },
): Promise<StoredDelivery[]> {
  const sql = `${DELIVERY}
    WHERE endpoint_id = $1 AND ($2 = '' OR state = $2) AND (created_at < $3 OR (created_at = $3 AND id < $4))
    ORDER BY created_at DESC, id DESC LIMIT $5`;
  const start = before ?? { createdAt: Number.MAX_SAFE_INTEGER, id: '' };
  return db.all<StoredDelivery>(sql, [endpointId, state ?? '', start.createdAt, start.id, limit]);
}

export interface DeliveryFigures {
  readonly waiting: number;
  readonly failed: number;
  /** When the oldest waiting delivery was created. Null if none waits. */
  readonly oldestAt: number | null;
}

/** Counts waiting deliveries of enabled endpoints, and endpoints that were disabled because deliveries failed. */
export async function findFigures(db: Queries): Promise<DeliveryFigures> {
  const sql = `SELECT count(*) AS waiting, min(d.created_at) AS "oldestAt",
      (SELECT count(*) FROM webhook_endpoints WHERE disabled_reason = 'failing' AND deleted_at IS NULL) AS failed
    FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
    WHERE d.state = 'waiting' AND e.disabled_reason IS NULL`;
  return (await db.one<DeliveryFigures>(sql)) ?? { waiting: 0, oldestAt: null, failed: 0 };
}

/** Deliveries that are deleted: all of an endpoint, those delivered before a time, and tests before a time, delivered or not. */
const DELETED = {
  ofEndpoint: 'endpoint_id = $1 ORDER BY created_at, id',
  delivered: `state = 'delivered' AND delivered_at < $1 ORDER BY delivered_at`,
  tests: 'units = 0 AND created_at < $1 ORDER BY created_at',
} as const;

export function deleteDeliveries(tx: Queries, which: keyof typeof DELETED, value: string | number, limit: number) {
  const sql = `DELETE FROM webhook_deliveries WHERE id IN (
    SELECT id FROM webhook_deliveries WHERE ${DELETED[which]} LIMIT $2)`;
  return tx.run(sql, [value, limit]);
}
