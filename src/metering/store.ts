import type { Queries } from '../db/db.ts';

/**
 * The SQL of the meter. Taking is one statement: it adds the requested number, up to the limit, and returns how many were granted. So
 * no two callers on any machine get the same request. The rows of a statement have distinct keys in ascending order, so that two
 * concurrent statements cannot deadlock. The column `most` is the limit.
 */
export interface WindowRequest {
  readonly keyId: string;
  /** Start of the minute, epoch ms. */
  readonly minute: number;
  readonly requested: number;
  readonly limit: number;
}

export interface WindowTaken {
  readonly keyId: string;
  readonly minute: number;
  /** Requests used in this window, including those granted now. */
  readonly used: number;
  readonly granted: number;
}

/**
 * When a new window starts. A minute that is up to two minutes older does not start one: the clocks of several machines differ a
 * little, and a request from a slower clock counts in the current window. A larger difference means that a clock was set back.
 */
const STARTS_WINDOW = `excluded.minute > rate_windows.minute OR excluded.minute < rate_windows.minute - 120000`;
const LEFT_IN_WINDOW = `CASE WHEN ${STARTS_WINDOW} THEN excluded.granted
  WHEN rate_windows.used >= excluded.most THEN 0
  WHEN excluded.granted < excluded.most - rate_windows.used THEN excluded.granted
  ELSE excluded.most - rate_windows.used END`;

export async function takeFromWindows(tx: Queries, requests: readonly WindowRequest[]): Promise<WindowTaken[]> {
  if (requests.length === 0) return [];
  return tx.all<WindowTaken>(
    `INSERT INTO rate_windows (key_id, minute, used, granted, most) VALUES ${placeholders(requests.length, 5)}
      ON CONFLICT (key_id) DO UPDATE SET
        granted = ${LEFT_IN_WINDOW},
        used = CASE WHEN ${STARTS_WINDOW} THEN excluded.granted ELSE rate_windows.used + ${LEFT_IN_WINDOW} END,
        minute = CASE WHEN ${STARTS_WINDOW} THEN excluded.minute ELSE rate_windows.minute END,
        most = excluded.most
      RETURNING key_id AS "keyId", minute, used, granted`,
    requests.flatMap(({ keyId, minute, requested, limit }) => {
      const granted = Math.min(requested, limit);
      return [keyId, minute, granted, granted, limit];
    }),
  );
}

export interface QuotaRequest {
  readonly accountId: string;
  readonly periodStart: number;
  /** May be 0, to read what is left. */
  readonly requested: number;
  readonly limit: number;
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

export async function takeFromQuotas(tx: Queries, requests: readonly QuotaRequest[]): Promise<QuotaTaken[]> {
  if (requests.length === 0) return [];
  return tx.all<QuotaTaken>(
    `INSERT INTO quotas (account_id, period_start, used, granted, most) VALUES ${placeholders(requests.length, 5)}
      ON CONFLICT (account_id, period_start) DO UPDATE SET
        granted = ${LEFT_IN_QUOTA}, used = quotas.used + ${LEFT_IN_QUOTA}, most = excluded.most
      RETURNING account_id AS "accountId", period_start AS "periodStart", used, granted`,
    requests.flatMap(({ accountId, periodStart, requested, limit }) => {
      const granted = Math.min(requested, limit);
      return [accountId, periodStart, granted, granted, limit];
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
    `INSERT INTO usage_daily (key_id, day, account_id, requests, last_used_at) VALUES ${placeholders(uses.length, 5)}
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

/** Removes what `takeFromWindows`, `takeFromQuotas` and `addDailyUse` wrote under this id, as key and as account. */
export async function removeUse(tx: Queries, id: string): Promise<void> {
  await tx.run('DELETE FROM rate_windows WHERE key_id = $1', [id]);
  await tx.run('DELETE FROM quotas WHERE account_id = $1', [id]);
  await tx.run('DELETE FROM usage_daily WHERE key_id = $1', [id]);
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

/** `($1, $2), ($3, $4), …`, cached by number of rows and columns. */
function placeholders(rows: number, columns: number): string {
  const known = cache.get(rows * 8 + columns);
  if (known !== undefined) return known;
  const row = (index: number) =>
    `(${Array.from({ length: columns }, (_, column) => `$${index * columns + column + 1}`)})`;
  const text = Array.from({ length: rows }, (_, index) => row(index)).join(', ');
  cache.set(rows * 8 + columns, text);
  return text;
}

const cache = new Map<number, string>();
