import type { Insert, Queries, Transaction, Value } from '../../base/db/db.ts';
import { readListed } from '../../base/db/lists.ts';
import type { MonthlyUse, UsageHistory } from '../../base/usage.ts';

/**
 * The SQL of the meter. Taking is one statement: it adds the requested number, up to the limit, and returns how many requests were granted. So no two
 * callers on any machine get the same request. The rows of a statement have distinct keys in ascending order, so that two concurrent statements
 * cannot deadlock. The column `most` is the limit.
 */

/** A limit that several requests share. It is filled with what the database has granted, and then assigned to the requests one by one. */
export interface Share {
  /** If the plan changes within a batch, the latest limit applies. */
  limit: number;
  requested: number;
  /** Requests that are used. Does not include `granted`. */
  used: number;
  /** Requests that the database has granted and that are not assigned to a request yet. */
  granted: number;
}

/**
 * The window of a key, or the window of all API keys of an account, or of all its reconcile links: its limit is that of all keys that the plan allows
 * together. Otherwise a key that replaces a revoked one would have a fresh minute, and an account with more keys than its plan allows more than it
 * pays for. The id of a shared window is not the id of a key.
 */
export interface Window extends Share {
  readonly keyId: string;
  readonly minute: number;
  resetsAt: number;
}

export interface KeyWindow extends Window {
  readonly accountId: string;
  /** The quota that the first request of the key counts in. */
  readonly quota: Quota;
  /** Undefined if the account has only this key, as in the portal. */
  readonly shared: Window | undefined;
  isRevoked: boolean;
  /** Whether any request of the key was admitted. `charged`: how many were also charged to the quota. */
  isUsed: boolean;
  charged: number;
}

export interface Quota extends Share {
  readonly accountId: string;
  readonly periodStart: number;
}

/** Requests do not wait this long for a commit, but whether the commit succeeds decides whether they are refunded. */
export const COMMIT = { commitTimeoutMs: 5_000 } as const;

export interface WindowTaken {
  readonly keyId: string;
  readonly minute: number;
  /** Requests used in this window, including those granted now. */
  readonly used: number;
  readonly granted: number;
  /** 1 if the key is revoked. A revoked key is granted nothing. */
  readonly revoked: 0 | 1;
}

/**
 * The condition under which a new window starts. A minute that is up to two minutes older does not start one: the clocks of several machines differ a
 * little, and a request from a slower clock counts in the current window. A larger difference means that a clock was set back.
 */
const STARTS_WINDOW = `excluded.minute > rate_windows.minute OR excluded.minute < rate_windows.minute - 120000`;
const LEFT_IN_WINDOW = `CASE WHEN ${STARTS_WINDOW} THEN excluded.granted
  WHEN rate_windows.used >= excluded.most THEN 0
  WHEN excluded.granted < excluded.most - rate_windows.used THEN excluded.granted
  ELSE excluded.most - rate_windows.used END`;

/**
 * Servers cache keys for a moment. The statement that counts a request also sees a revocation that another machine has committed. A
 * rotated key ends with the start of a minute. The portal and probes count under ids that are not in the table.
 */
const REVOKED = `(SELECT count(*) FROM api_keys
  WHERE id = rate_windows.key_id AND (revoked_at IS NOT NULL OR expires_at <= rate_windows.minute))`;

const ADD_TO_WINDOW = `ON CONFLICT (key_id) DO UPDATE SET
      granted = ${LEFT_IN_WINDOW},
      used = CASE WHEN ${STARTS_WINDOW} THEN excluded.granted ELSE rate_windows.used + ${LEFT_IN_WINDOW} END,
      minute = CASE WHEN ${STARTS_WINDOW} THEN excluded.minute ELSE rate_windows.minute END,
      most = excluded.most`;
const WINDOW_ROWS: Insert = {
  table: 'rate_windows',
  columns: { key_id: 'TEXT', minute: 'BIGINT', used: 'BIGINT', granted: 'BIGINT', most: 'BIGINT' },
  rest: `${ADD_TO_WINDOW}
    RETURNING key_id AS "keyId", minute, used, CASE ${REVOKED} WHEN 0 THEN granted ELSE 0 END AS granted,
      ${REVOKED} AS revoked`,
};
/** The shared window of all keys of an account is a row like the window of a key, but it cannot be revoked. */
const SHARED_ROWS: Insert = { ...WINDOW_ROWS, rest: `${ADD_TO_WINDOW} RETURNING key_id AS "keyId", minute, granted` };

export function takeFromWindows(tx: Transaction, requests: readonly Window[]): Promise<WindowTaken[]> {
  return tx.insert<WindowTaken>(WINDOW_ROWS, requests.map(toWindowRow));
}

type SharedTaken = Pick<WindowTaken, 'keyId' | 'minute' | 'granted'>;

/** Called after `takeFromWindows` with the number that was granted: requests beyond the limit of one key must not use up the shared window. */
export function takeFromShared(tx: Transaction, requests: readonly Window[]): Promise<SharedTaken[]> {
  return tx.insert<SharedTaken>(SHARED_ROWS, requests.map(toWindowRow));
}

function toWindowRow({ keyId, minute, requested, limit }: Window): Value[] {
  const granted = Math.min(requested, limit);
  return [keyId, minute, granted, granted, limit];
}

type QuotaTaken = Readonly<Omit<Quota, 'limit' | 'requested'>>;

const LEFT_IN_QUOTA = `CASE WHEN quotas.used >= excluded.most THEN 0
  WHEN excluded.granted < excluded.most - quotas.used THEN excluded.granted
  ELSE excluded.most - quotas.used END`;

const QUOTA_ROWS: Insert = {
  table: 'quotas',
  columns: { account_id: 'TEXT', period_start: 'BIGINT', used: 'BIGINT', granted: 'BIGINT', most: 'BIGINT' },
  rest: `ON CONFLICT (account_id, period_start) DO UPDATE SET
      granted = ${LEFT_IN_QUOTA}, used = quotas.used + ${LEFT_IN_QUOTA}, most = excluded.most
    RETURNING account_id AS "accountId", period_start AS "periodStart", used, granted`,
};

export async function takeFromQuotas(tx: Transaction, quotas: readonly Quota[]): Promise<QuotaTaken[]> {
  const rows = quotas.map(({ accountId, periodStart, requested, limit }) => {
    const granted = Math.min(requested, limit);
    return [accountId, periodStart, granted, granted, limit];
  });
  return tx.insert<QuotaTaken>(QUOTA_ROWS, rows);
}

interface DailyUse {
  readonly keyId: string;
  readonly day: string;
  readonly accountId: string;
  readonly requests: number;
  readonly at: number;
}

const DAILY_ROWS: Insert = {
  table: 'usage_daily',
  columns: { key_id: 'TEXT', day: 'TEXT', account_id: 'TEXT', requests: 'BIGINT', last_used_at: 'BIGINT' },
  rest: `ON CONFLICT (key_id, day) DO UPDATE SET requests = usage_daily.requests + excluded.requests,
      last_used_at = CASE WHEN excluded.last_used_at > usage_daily.last_used_at THEN excluded.last_used_at
        ELSE usage_daily.last_used_at END`,
};

export async function addDailyUse(tx: Transaction, uses: readonly DailyUse[]): Promise<void> {
  const rows = uses.map(({ keyId, day, accountId, requests, at }) => [keyId, day, accountId, requests, at]);
  await tx.insert(DAILY_ROWS, rows);
}

interface KeyTaken extends WindowTaken {
  readonly quotaUsed: number;
  readonly quotaGranted: number;
  /** Null if the key shares no window, or its own window has granted nothing. */
  readonly sharedGranted: number | null;
  readonly sharedMinute: number | null;
}

/**
 * PostgreSQL only: takes from windows and quotas and adds the daily use in one statement, which is its own transaction. Each key and each account
 * occurs once. A part of the statement that reads the result of another part runs after that part, so rows are locked in the order that the
 * statements above use.
 */
export function takeAtOnce(
  run: RunStatement,
  windows: readonly KeyWindow[],
  { minute, day, at }: { readonly minute: number; readonly day: string; readonly at: number },
): Promise<KeyTaken[]> {
  const requests = windows.map(({ keyId, accountId, requested, limit, quota, shared }) => {
    const { periodStart, limit: perMonth } = quota;
    const together = { sharedId: shared?.keyId ?? null, sharedPerMinute: shared?.limit ?? 0 };
    return { keyId, accountId, periodStart, requested, perMinute: limit, perMonth, ...together };
  });
  return run(TAKE_AT_ONCE, [JSON.stringify(requests), minute, day, at]);
}

export type RunStatement = (sql: string, params: readonly Value[]) => Promise<KeyTaken[]>;

const TAKE_AT_ONCE = `
  WITH wanted AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS wanted ("keyId" TEXT, "accountId" TEXT, "periodStart" BIGINT,
      requested BIGINT, "perMinute" BIGINT, "perMonth" BIGINT, "sharedId" TEXT, "sharedPerMinute" BIGINT)),
  windows AS (
    INSERT INTO rate_windows (key_id, minute, used, granted, most)
    SELECT "keyId", $2, least(requested, "perMinute"), least(requested, "perMinute"), "perMinute" FROM wanted ORDER BY 1
    ${WINDOW_ROWS.rest}),
  shared AS (
    INSERT INTO rate_windows (key_id, minute, used, granted, most)
    SELECT "sharedId", $2, least(granted, "sharedPerMinute"), least(granted, "sharedPerMinute"), "sharedPerMinute"
      FROM wanted JOIN windows USING ("keyId") WHERE "sharedId" IS NOT NULL AND granted > 0 ORDER BY 1
    ${SHARED_ROWS.rest}),
  passed AS (
    SELECT wanted.*, windows.minute, windows.used, windows.granted, revoked, shared.minute AS "sharedMinute",
        shared.granted AS "sharedGranted", coalesce(shared.granted, windows.granted) AS paying
      FROM wanted JOIN windows USING ("keyId") LEFT JOIN shared ON shared."keyId" = "sharedId"),
  quota AS (
    INSERT INTO quotas (account_id, period_start, used, granted, most)
    SELECT "accountId", "periodStart", least(paying, "perMonth"), least(paying, "perMonth"), "perMonth"
      FROM passed ORDER BY 1, 2
    ${QUOTA_ROWS.rest}),
  taken AS (
    SELECT passed.*, quota.used AS "quotaUsed", quota.granted AS "quotaGranted"
      FROM passed JOIN quota USING ("accountId", "periodStart")),
  daily AS (
    INSERT INTO usage_daily (key_id, day, account_id, requests, last_used_at)
    SELECT "keyId", $3, "accountId", "quotaGranted", $4 FROM taken WHERE paying > 0 ORDER BY 1
    ${DAILY_ROWS.rest})
  SELECT "keyId", minute, used, granted, revoked, "sharedMinute", "sharedGranted", "quotaUsed", "quotaGranted" FROM taken`;

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

/** Removes the rows that the statements above wrote under these ids: `id` is both key and account, `sharedId` is the shared window. */
export async function removeUse(tx: Queries, id: string, sharedId: string): Promise<void> {
  await tx.run('DELETE FROM rate_windows WHERE key_id IN ($1, $2)', [id, sharedId]);
  await tx.run('DELETE FROM quotas WHERE account_id = $1', [id]);
  await tx.run('DELETE FROM usage_daily WHERE key_id = $1', [id]);
}

/** Lists the last two periods with requests that start at `periodStart` or earlier, the latest first. */
export function listPeriods(db: Queries, accountId: string, periodStart: number) {
  const sql = `SELECT period_start AS "periodStart", used FROM quotas
    WHERE account_id = $1 AND period_start <= $2 ORDER BY period_start DESC LIMIT 2`;
  return db.all<{ periodStart: number; used: number }>(sql, [accountId, periodStart]);
}

/** Days are inclusive. */
export async function listUse(db: Queries, accountId: string, firstDay: string, lastDay: string) {
  return db.all<UsageHistory['counts'][number]>(
    `SELECT day AS date, key_id AS "keyId", requests FROM usage_daily
      WHERE account_id = $1 AND day >= $2 AND day <= $3 ORDER BY day, key_id`,
    [accountId, firstDay, lastDay],
  );
}

export async function listMonthlyUse(db: Queries, accountId: string, firstDay: string): Promise<MonthlyUse[]> {
  return db.all<MonthlyUse>(
    `SELECT substr(day, 1, 7) AS month, CAST(sum(requests) AS BIGINT) AS requests FROM usage_daily
      WHERE account_id = $1 AND day >= $2 GROUP BY substr(day, 1, 7)`,
    [accountId, firstDay],
  );
}

const FIND_LAST_USED = (list: string) =>
  `SELECT key_id AS "keyId", max(last_used_at) AS at FROM usage_daily WHERE key_id IN (${list}) GROUP BY key_id`;

export function findLastUsed(db: Queries, keyIds: readonly string[]): Promise<Array<{ keyId: string; at: number }>> {
  return readListed(db, keyIds, FIND_LAST_USED);
}
