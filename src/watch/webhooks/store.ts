import type { Queries, Transaction } from '../../base/db/db.ts';
import { readListed } from '../../base/db/lists.ts';
import type { DisabledReason } from './states.ts';

export interface StoredEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly description: string | null;
  /** A JSON array. Null: all monitors of the account. */
  readonly monitorIds: string | null;
  /** The sealed secret. */
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousEndsAt: number | null;
  /** The position of the last event that deliveries were created from. */
  readonly position: number;
  readonly disabledReason: DisabledReason | null;
  readonly disabledAt: number | null;
  readonly pausedUntil: number;
  readonly failing: 0 | 1;
  readonly createdAt: number;
}

const COLUMNS = `id, account_id AS "accountId", url, description, monitor_ids AS "monitorIds", secret,
  previous_secret AS "previousSecret", previous_ends_at AS "previousEndsAt", position, disabled_reason AS "disabledReason",
  disabled_at AS "disabledAt", paused_until AS "pausedUntil", failing, created_at AS "createdAt"`;

export function listEndpoints(db: Queries, accountId: string): Promise<StoredEndpoint[]> {
  const sql = `SELECT ${COLUMNS} FROM webhook_endpoints WHERE account_id = $1 AND deleted_at IS NULL ORDER BY created_at, id`;
  return db.all<StoredEndpoint>(sql, [accountId]);
}

export function listAllEndpoints(db: Queries): Promise<StoredEndpoint[]> {
  return db.all<StoredEndpoint>(
    `SELECT ${COLUMNS} FROM webhook_endpoints WHERE deleted_at IS NULL ORDER BY created_at, id`,
  );
}

/** The enabled endpoints that have not seen the event at this position. */
export function listBehind(db: Queries, position: number): Promise<StoredEndpoint[]> {
  const sql = `SELECT ${COLUMNS} FROM webhook_endpoints WHERE disabled_reason IS NULL AND position < $1 ORDER BY id`;
  return db.all<StoredEndpoint>(sql, [position]);
}

export function listReady(db: Queries, now: number): Promise<Pick<StoredEndpoint, 'id' | 'accountId' | 'failing'>[]> {
  const sql = `SELECT id, account_id AS "accountId", failing FROM webhook_endpoints e
    WHERE disabled_reason IS NULL AND paused_until <= $1 AND EXISTS (
      SELECT 1 FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'waiting' AND d.next_at <= $1) ORDER BY id`;
  return db.all(sql, [now]);
}

export function findEndpoint(db: Queries, id: string): Promise<StoredEndpoint | undefined> {
  return db.one<StoredEndpoint>(`SELECT ${COLUMNS} FROM webhook_endpoints WHERE id = $1 AND deleted_at IS NULL`, [id]);
}

/** Finds endpoints by id, including deleted endpoints that still have deliveries. */
export async function findEndpoints(db: Queries, ids: Iterable<string>): Promise<Map<string, StoredEndpoint>> {
  const read = (list: string) => `SELECT ${COLUMNS} FROM webhook_endpoints WHERE id IN (${list})`;
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

export type NewEndpoint = Pick<
  StoredEndpoint,
  'id' | 'accountId' | 'url' | 'description' | 'monitorIds' | 'secret' | 'position' | 'createdAt'
>;

export async function insertEndpoint(tx: Queries, endpoint: NewEndpoint): Promise<void> {
  const { id, accountId, url, description, monitorIds, secret, position, createdAt } = endpoint;
  const sql = `INSERT INTO webhook_endpoints
    (id, account_id, url, description, monitor_ids, secret, position, paused_until, failing, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, $8)`;
  await tx.run(sql, [id, accountId, url, description, monitorIds, secret, position, createdAt]);
}

export type EndpointChange = Pick<
  StoredEndpoint,
  'id' | 'url' | 'description' | 'monitorIds' | 'disabledReason' | 'disabledAt'
>;

export async function updateEndpoint(tx: Queries, change: EndpointChange): Promise<void> {
  const { id, url, description, monitorIds, disabledReason, disabledAt } = change;
  const sql = `UPDATE webhook_endpoints SET url = $2, description = $3, monitor_ids = $4, disabled_reason = $5, disabled_at = $6,
    paused_until = 0, failing = 0 WHERE id = $1`;
  await tx.run(sql, [id, url, description, monitorIds, disabledReason, disabledAt]);
}

/** The previous secret also signs until `previousEndsAt`. */
export async function rotateSecret(tx: Queries, id: string, secret: string, previousEndsAt: number): Promise<void> {
  const sql = `UPDATE webhook_endpoints SET previous_secret = secret, previous_ends_at = $3, secret = $2 WHERE id = $1`;
  await tx.run(sql, [id, secret, previousEndsAt]);
}

/** Moves the endpoint to a later position, unless its position, state or monitors have changed. Returns whether it moved. */
export async function advanceEndpoint(
  tx: Queries,
  { id, position, monitorIds }: Pick<StoredEndpoint, 'id' | 'position' | 'monitorIds'>,
  to: number,
): Promise<boolean> {
  const sql = `UPDATE webhook_endpoints SET position = $3 WHERE id = $1 AND position = $2 AND disabled_reason IS NULL
    AND coalesce(monitor_ids, '') = $4`;
  return (await tx.run(sql, [id, position, to, monitorIds ?? ''])) === 1;
}

export async function moveEndpoint(tx: Queries, id: string, position: number): Promise<void> {
  await tx.run('UPDATE webhook_endpoints SET position = $2 WHERE id = $1', [id, position]);
}

export async function disableEndpoint(tx: Queries, id: string, reason: DisabledReason, now: number): Promise<boolean> {
  const sql = `UPDATE webhook_endpoints SET disabled_reason = $2, disabled_at = $3 WHERE id = $1 AND disabled_reason IS NULL`;
  return (await tx.run(sql, [id, reason, now])) === 1;
}

/** Records whether the last attempt failed, and a pause that the receiver asked for. */
export async function markHealth(tx: Queries, id: string, failing: 0 | 1, pausedUntil: number): Promise<void> {
  await tx.run('UPDATE webhook_endpoints SET failing = $2, paused_until = $3 WHERE id = $1', [
    id,
    failing,
    pausedUntil,
  ]);
}

/** Marks an endpoint as deleted: from now on it is invisible and gets nothing. Its rows are removed later. */
export async function markEndpointDeleted(tx: Queries, id: string, now: number): Promise<void> {
  const sql = `UPDATE webhook_endpoints SET deleted_at = $2, disabled_reason = coalesce(disabled_reason, 'owner') WHERE id = $1`;
  await tx.run(sql, [id, now]);
}

/** Finds an endpoint that was deleted before this time. */
export async function findDeletedEndpoint(tx: Queries, before: number): Promise<string | undefined> {
  const sql = 'SELECT id FROM webhook_endpoints WHERE deleted_at < $1 ORDER BY deleted_at LIMIT 1';
  return (await tx.one<{ id: string }>(sql, [before]))?.id;
}

export async function deleteEndpoint(tx: Queries, id: string): Promise<void> {
  await tx.run('DELETE FROM webhook_endpoints WHERE id = $1', [id]);
}
