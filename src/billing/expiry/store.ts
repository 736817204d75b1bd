import type { Queries } from '../../db/db.ts';
import { fromRow, type StoredSubscription, SUBSCRIPTION, type SubscriptionRow } from '../store.ts';

/** The SQL that finds overdue subscriptions and ended plans. Both queries read an index, up to their limit. */

export async function listOverdue(tx: Queries, now: number, limit: number): Promise<StoredSubscription[]> {
  const sql = `
    SELECT ${SUBSCRIPTION} FROM subscriptions WHERE check_at IS NOT NULL AND check_at <= $1 ORDER BY check_at LIMIT $2`;
  return (await tx.all<SubscriptionRow>(sql, [now, limit])).map(fromRow);
}

export async function scheduleCheck(tx: Queries, id: string, checkAt: number | null): Promise<void> {
  await tx.run('UPDATE subscriptions SET check_at = $2 WHERE id = $1', [id, checkAt]);
}

/** The accounts whose paid plan has ended, longest ago first. */
export function listEndedPlans(db: Queries, now: number, limit: number): Promise<{ accountId: string }[]> {
  const sql = `
    SELECT id AS "accountId" FROM accounts WHERE plan_ends_at IS NOT NULL AND plan_ends_at <= $1
    ORDER BY plan_ends_at LIMIT $2`;
  return db.all<{ accountId: string }>(sql, [now, limit]);
}
