import type { Queries } from '../../base/db/db.ts';
import type { StatusDay } from '../../base/status.ts';

export interface StoredDay extends Pick<StatusDay, 'starts' | 'checks' | 'ready' | 'overdue'> {
  /** Days since the Unix epoch. */
  readonly day: number;
}

export async function addToDay(db: Queries, { day, starts, checks, ready, overdue }: StoredDay): Promise<void> {
  await db.run(
    `INSERT INTO service_days (day, starts, checks, ready, overdue) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (day) DO UPDATE SET starts = service_days.starts + $2, checks = service_days.checks + $3,
      ready = service_days.ready + $4, overdue = CASE WHEN service_days.overdue < $5 THEN $5 ELSE service_days.overdue END`,
    [day, starts, checks, ready, overdue],
  );
}

export function readDays(db: Queries, since: number): Promise<StoredDay[]> {
  const sql = 'SELECT day, starts, checks, ready, overdue FROM service_days WHERE day >= $1 ORDER BY day';
  return db.all<StoredDay>(sql, [since]);
}

export async function deleteDays(db: Queries, before: number): Promise<void> {
  await db.run('DELETE FROM service_days WHERE day < $1', [before]);
}
