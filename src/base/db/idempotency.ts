import { hash } from 'node:crypto';
import { fail } from '../errors.ts';
import type { Transaction } from './db.ts';

/** A request that creates a resource, which a client may send again because the reply was lost. */
export interface Creation {
  readonly accountId: string;
  readonly operation: string;
  /** The client's `Idempotency-Key`. Without one, the request is carried out every time. */
  readonly key: string | undefined;
}

const KEPT_MS = 86_400_000;
const MAX_DELETED = 100;

/**
 * Takes the key for the resource with this id, in the transaction that creates the resource, so that both are stored or neither. Throws
 * `idempotency_key_reused` with the id of the resource that another request created with the key in the last 24 hours. Waits for a request that has
 * not committed yet. Replies are not stored: they may contain a secret, which is returned only once.
 */
export async function takeIdempotencyKey(tx: Transaction, creation: Creation, id: string, now: number): Promise<void> {
  const { accountId, operation, key } = creation;
  if (key === undefined) return;
  const name = hash('sha256', JSON.stringify([accountId, operation, key]), 'hex');
  const sql = `
    INSERT INTO idempotency_keys (id, resource_id, expires_at) VALUES ($1, $2, $3)
    ON CONFLICT (id) DO UPDATE SET
      resource_id = CASE WHEN idempotency_keys.expires_at <= $4 THEN excluded.resource_id ELSE idempotency_keys.resource_id END,
      expires_at = CASE WHEN idempotency_keys.expires_at <= $4 THEN excluded.expires_at ELSE idempotency_keys.expires_at END
    RETURNING resource_id AS "resourceId"`;
  const { resourceId = id } = (await tx.one<{ resourceId: string }>(sql, [name, id, now + KEPT_MS, now])) ?? {};
  if (resourceId !== id) throw reused(resourceId);
  // Only one transaction at a time deletes rows: two could lock the same rows in a different order.
  if (await tx.claim('idempotency keys')) await deleteExpiredKeys(tx, now, MAX_DELETED);
}

export function deleteExpiredKeys(tx: Pick<Transaction, 'run'>, now: number, limit: number): Promise<number> {
  const sql = `
    DELETE FROM idempotency_keys WHERE id IN (
      SELECT id FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`;
  return tx.run(sql, [now, limit]);
}

function reused(resourceId: string) {
  const message =
    `A request with this Idempotency-Key has already made ${resourceId}. If you need a secret from its reply, remove what it made and ` +
    'send a new request with a new key.';
  return fail('idempotency_key_reused', { message, resourceId });
}
