import type { Queries } from '../db/db.ts';

/**
 * The SQL of the meter. Taking is one statement: it adds what is asked for up to the limit and tells how much that was, so
 * that no two callers, wherever they run, are given the same request. All rows of a statement differ in their key, and come in
 * order of it, so that two statements at once cannot wait for each other.
 */
export interface WindowAsk {
  readonly keyId: string;
  /** Start of the minute, epoch ms. */
  readonly minute: number;
  readonly asked: number;
  readonly most: number;
}

export interface WindowTaken {
  readonly keyId: string;
  readonly minute: number;
  /** After this statement. */
  readonly used: number;
  readonly granted: number;
}

/**
 * A window never goes back by less than two minutes: clocks of several machines differ by a little at the turn of a minute,
 * and a request of the minute before must count in the window that has begun. Further back is a clock that was set.
 */
const BEGINS = `excluded.minute > rate_windows.minute OR excluded.minute < rate_windows.minute - 120000`;
const LEFT_IN_WINDOW = `CASE WHEN ${BEGINS} THEN excluded.granted
  WHEN rate_windows.used >= excluded.most THEN 0
  WHEN excluded.granted < excluded.most - rate_windows.used THEN excluded.granted
  ELSE excluded.most - rate_windows.used END`;

export async function takeFromWindows(tx: Queries, asks: readonly WindowAsk[]): Promise<WindowTaken[]> {
  if (asks.length === 0) return [];
  return tx.all<WindowTaken>(
    `INSERT INTO rate_windows (key_id, minute, used, granted, most) VALUES ${places(asks.length, 5)}
      ON CONFLICT (key_id) DO UPDATE SET
        granted = ${LEFT_IN_WINDOW},
        used = CASE WHEN ${BEGINS} THEN excluded.granted ELSE rate_windows.used + ${LEFT_IN_WINDOW} END,
        minute = CASE WHEN ${BEGINS} THEN excluded.minute ELSE rate_windows.minute END,
        most = excluded.most
      RETURNING key_id AS "keyId", minute, used, granted`,
    asks.flatMap(({ keyId, minute, asked, most }) => {
      const granted = Math.min(asked, most);
      return [keyId, minute, granted, granted, most];
    }),
  );
}

export interface QuotaAsk {
  readonly accountId: string;
  readonly periodStart: number;
  /** May be 0, to be told what is left. */
  readonly asked: number;
  readonly most: number;
}

export interface QuotaTaken {
  readonly accountId: string;
  readonly periodStart: number;
  readonly used: number;
  readonly granted: number;
}

const LEFT_IN_QUOTA = `CASE WHEN quotas.used >= excluded.most THEN 0
  WHEN excluded.granted < excluded.most - quotas.used THEN excluded.granted
  ELSE excluded.most - quotas.used END`;

export async function takeFromQuotas(tx: Queries, asks: readonly QuotaAsk[]): Promise<QuotaTaken[]> {
  if (asks.length === 0) return [];
  return tx.all<QuotaTaken>(
    `INSERT INTO quotas (account_id, period_start, used, granted, most) VALUES ${places(asks.length, 5)}
      ON CONFLICT (account_id, period_start) DO UPDATE SET
        granted = ${LEFT_IN_QUOTA}, used = quotas.used + ${LEFT_IN_QUOTA}, most = excluded.most
      RETURNING account_id AS "accountId", period_start AS "periodStart", used, granted`,
    asks.flatMap(({ accountId, periodStart, asked, most }) => {
      const granted = Math.min(asked, most);
      return [accountId, periodStart, granted, granted, most];
    }),
  );
}

export interface DailyUse {
  readonly keyId: string;
  readonly day: string;
  readonly accountId: string;
  readonly requests: number;
  readonly at: number;
}

export async function addDailyUse(tx: Queries, uses: readonly DailyUse[]): Promise<void> {
  if (uses.length === 0) return;
  await tx.run(
    `INSERT INTO usage_daily (key_id, day, account_id, requests, last_used_at) VALUES ${places(uses.length, 5)}
      ON CONFLICT (key_id, day) DO UPDATE SET requests = usage_daily.requests + excluded.requests,
        last_used_at = CASE WHEN excluded.last_used_at > usage_daily.last_used_at THEN excluded.last_used_at
          ELSE usage_daily.last_used_at END`,
    uses.flatMap(({ keyId, day, accountId, requests, at }) => [keyId, day, accountId, requests, at]),
  );
}

export async function refundQuota(tx: Queries, accountId: string, periodStart: number, count: number): Promise<void> {
  await tx.run('UPDATE quotas SET used = used - $1 WHERE account_id = $2 AND period_start = $3', [
    count,
    accountId,
    periodStart,
  ]);
}

export async function refundDailyUse(tx: Queries, keyId: string, day: string, count: number): Promise<void> {
  await tx.run('UPDATE usage_daily SET requests = requests - $1 WHERE key_id = $2 AND day = $3', [count, keyId, day]);
}

export async function readUsed(db: Queries, accountId: string, periodStart: number): Promise<number> {
  const sql = 'SELECT used FROM quotas WHERE account_id = $1 AND period_start = $2';
  return (await db.one<{ used: number }>(sql, [accountId, periodStart]))?.used ?? 0;
}

/** Days are inclusive. */
export async function readDaily(
  db: Queries,
  accountId: string,
  firstDay: string,
  lastDay: string,
): Promise<Array<{ date: string; requests: number }>> {
  return db.all<{ date: string; requests: number }>(
    `SELECT day AS date, CAST(sum(requests) AS BIGINT) AS requests FROM usage_daily
      WHERE account_id = $1 AND day >= $2 AND day <= $3 GROUP BY day ORDER BY day`,
    [accountId, firstDay, lastDay],
  );
}

/** Days are inclusive. */
export async function readUsedByKey(
  db: Queries,
  accountId: string,
  firstDay: string,
  lastDay: string,
): Promise<Array<{ keyId: string; requests: number }>> {
  return db.all<{ keyId: string; requests: number }>(
    `SELECT key_id AS "keyId", CAST(sum(requests) AS BIGINT) AS requests FROM usage_daily
      WHERE account_id = $1 AND day >= $2 AND day <= $3 GROUP BY key_id ORDER BY key_id`,
    [accountId, firstDay, lastDay],
  );
}

export async function readLastUsed(
  db: Queries,
  keyIds: readonly string[],
): Promise<Array<{ keyId: string; at: number }>> {
  if (keyIds.length === 0) return [];
  const list = keyIds.map((_, index) => `$${index + 1}`).join(', ');
  return db.all<{ keyId: string; at: number }>(
    `SELECT key_id AS "keyId", max(last_used_at) AS at FROM usage_daily WHERE key_id IN (${list}) GROUP BY key_id`,
    keyIds,
  );
}

/** `($1, $2), ($3, $4)` …, made once for each number of rows. */
function places(rows: number, columns: number): string {
  const known = written.get(rows * 8 + columns);
  if (known !== undefined) return known;
  const row = (at: number) => `(${Array.from({ length: columns }, (_, column) => `$${at * columns + column + 1}`)})`;
  const text = Array.from({ length: rows }, (_, at) => row(at)).join(', ');
  written.set(rows * 8 + columns, text);
  return text;
}

const written = new Map<number, string>();
