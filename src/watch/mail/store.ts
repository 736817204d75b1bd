import type { Queries } from '../../base/db/db.ts';
import { defineTable } from '../../base/db/rows.ts';

export type Rhythm = 'immediate' | 'daily';

/** `new`: the confirmation is still to be sent. `removed`: the row only counts towards the limit of a day. */
export type AlertState = 'new' | 'asked' | 'active' | 'stopped' | 'refused' | 'removed';

export interface StoredAlert {
  readonly id: string;
  readonly accountId: string;
  readonly monitor: number;
  readonly address: string;
  readonly rhythm: Rhythm;
  readonly state: AlertState;
  readonly token: string;
  readonly position: number;
  readonly nextAt: number;
  readonly failures: number;
  readonly createdAt: number;
}

export interface NamedAlert extends StoredAlert {
  readonly monitorId: string;
  readonly monitorName: string;
}

const FIELDS = ['id', 'accountId', 'monitor', 'address', 'rhythm', 'state', 'token', 'position'] as const;
export const alerts = defineTable<StoredAlert>('monitor_alerts');
const ALERT = alerts.select('a', ...FIELDS, 'nextAt', 'failures', 'createdAt');
const NAMED = `${ALERT}, m.id AS "monitorId", m.name AS "monitorName"
  FROM monitor_alerts a JOIN monitors m ON m.number = a.monitor AND m.deleted_at IS NULL`;

/** Lists the alerts of a monitor, the oldest first, except removed ones. */
export function listAlerts(db: Queries, monitor: number): Promise<StoredAlert[]> {
  const sql = `SELECT ${ALERT} FROM monitor_alerts a WHERE a.monitor = $1 AND a.state <> 'removed' ORDER BY a.created_at, a.id`;
  return db.all<StoredAlert>(sql, [monitor]);
}

export function findByToken(db: Queries, token: string): Promise<NamedAlert | undefined> {
  return db.one<NamedAlert>(`SELECT ${NAMED} WHERE a.token = $1 AND a.state <> 'removed'`, [token]);
}

/** Lists due alerts: confirmations to send, daily alerts whose time has come, and immediate alerts that also have new events. */
export function listDue(db: Queries, now: number, limit: number): Promise<NamedAlert[]> {
  const sql = `SELECT ${NAMED} WHERE a.next_at <= $1 AND (a.state = 'new' OR (a.state = 'active' AND (a.rhythm = 'daily'
    OR EXISTS (SELECT 1 FROM monitor_events e WHERE e.monitor = a.monitor AND e.position > a.position))))
    ORDER BY a.next_at, a.id LIMIT $2`;
  return db.all<NamedAlert>(sql, [now, limit]);
}

/** Counts the events that an alert has not reported, and finds the position of the last one. */
export async function countNews(db: Queries, { monitor, position }: StoredAlert) {
  const sql =
    'SELECT count(*) AS total, max(position) AS last FROM monitor_events WHERE monitor = $1 AND position > $2';
  return (await db.one<{ total: number; last: number | null }>(sql, [monitor, position])) ?? { total: 0, last: null };
}

export async function countCreated(db: Queries, accountId: string, since: number): Promise<number> {
  const sql = 'SELECT count(*) AS created FROM monitor_alerts WHERE account_id = $1 AND created_at > $2';
  return (await db.one<{ created: number }>(sql, [accountId, since]))?.created ?? 0;
}

/** Deletes alerts that were removed, whose monitor was removed, or that were never confirmed. Returns their number. */
export function deleteOld(tx: Queries, removedBefore: number, askedBefore: number, limit: number): Promise<number> {
  const sql = `DELETE FROM monitor_alerts WHERE id IN (SELECT a.id FROM monitor_alerts a WHERE a.created_at < $1 AND (
      a.state = 'removed' OR (a.state IN ('new', 'asked') AND a.created_at < $2)
      OR NOT EXISTS (SELECT 1 FROM monitors m WHERE m.number = a.monitor AND m.deleted_at IS NULL)) LIMIT $3)`;
  return tx.run(sql, [removedBefore, askedBefore, limit]);
}
