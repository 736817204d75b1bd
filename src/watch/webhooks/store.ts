import type { Queries, Transaction } from '../../base/db/db.ts';
import { readListed } from '../../base/db/lists.ts';
import { defineTable } from '../../base/db/rows.ts';
import type { DisabledReason } from './events.ts';

export interface StoredEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly description: string | null;
  /** A JSON array. Null: all monitors of the account. */
  readonly monitorIds: string | null;
  /** The sealed secret. */
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
  /** Whether the last attempt failed. */
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

/** Returns whether the endpoint was enabled before. */
export async function disableEndpoint(tx: Queries, id: string, reason: DisabledReason, now: number): Promise<boolean> {
  const change = { disabledReason: reason, disabledAt: now };
  return (await endpoints.update(tx, { id, disabledReason: null }, change)) === 1;
}

/** Finds an endpoint that was deleted before this time. */
export async function findDeletedEndpoint(tx: Queries, before: number): Promise<string | undefined> {
  const sql = 'SELECT id FROM webhook_endpoints WHERE deleted_at < $1 ORDER BY deleted_at LIMIT 1';
  return (await tx.one<{ id: string }>(sql, [before]))?.id;
}

export async function deleteEndpoint(tx: Queries, id: string): Promise<void> {
  await tx.run('DELETE FROM webhook_endpoints WHERE id = $1', [id]);
}
