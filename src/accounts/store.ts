import type { Db, Queries } from '../base/db/db.ts';
import { readListed } from '../base/db/lists.ts';
import { defineTable } from '../base/db/rows.ts';

/** The columns from which an account's plan and billing period are read. */
const TERMS = `a.id AS "accountId", a.plan AS "planId", a.period_anchor AS "periodAnchor", a.period_end AS "periodEnd"`;

export interface StoredTerms {
  readonly accountId: string;
  readonly planId: string;
  readonly periodAnchor: number | null;
  readonly periodEnd: number | null;
}

interface Profile {
  readonly email: string | null;
  readonly name: string | null;
}

export interface StoredUser extends StoredTerms, Profile {
  readonly userId: string;
}

interface UserRow extends Profile {
  readonly id: string;
  readonly accountId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly createdAt: number;
}

export const users = defineTable<UserRow>('users');

const USER = `u.id AS "userId", u.email AS email, u.name AS name, ${TERMS}`;

export function findUser(db: Queries, issuer: string, subject: string): Promise<StoredUser | undefined> {
  const sql = `SELECT ${USER} FROM users u JOIN accounts a ON a.id = u.account_id WHERE u.issuer = $1 AND u.subject = $2`;
  return db.one<StoredUser>(sql, [issuer, subject]);
}

export function findAccount(db: Queries, id: string): Promise<StoredTerms | undefined> {
  return db.one<StoredTerms>(`SELECT ${TERMS} FROM accounts a WHERE a.id = $1`, [id]);
}

export async function insertAccount(tx: Queries, id: string, createdAt: number): Promise<void> {
  await tx.run("INSERT INTO accounts (id, plan, created_at) VALUES ($1, 'free', $2)", [id, createdAt]);
}

export function moveUsers(db: Queries, from: string, to: string): Promise<number> {
  const sql = `
    UPDATE users SET issuer = $2 WHERE issuer = $1
    AND NOT EXISTS (SELECT 1 FROM users other WHERE other.issuer = $2 AND other.subject = users.subject)`;
  return db.run(sql, [from, to]);
}

interface SessionRow {
  readonly tokenHash: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
}

export const sessions = defineTable<SessionRow>('sessions');

interface StoredSession extends StoredUser {
  readonly lastSeenAt: number;
}

/** Finds a session that has not expired and was used after `idleSince`. */
export function findSession(db: Queries, tokenHash: string, now: number, idleSince: number) {
  const sql = `
    SELECT s.last_seen_at AS "lastSeenAt", ${USER} FROM sessions s
    JOIN users u ON u.id = s.user_id JOIN accounts a ON a.id = u.account_id
    WHERE s.token_hash = $1 AND s.expires_at > $2 AND s.last_seen_at > $3`;
  return db.one<StoredSession>(sql, [tokenHash, now, idleSince]);
}

export async function deleteSession(db: Queries, tokenHash: string): Promise<void> {
  await db.run('DELETE FROM sessions WHERE token_hash = $1', [tokenHash]);
}

/**
 * Deletes up to `limit` sessions that have expired, and up to `limit` that were not used after `idleSince`. The limit bounds how long the statement
 * holds the event loop (on SQLite) and its locks; later calls delete the rest.
 */
export async function deleteDeadSessions(tx: Queries, now: number, idleSince: number, limit: number): Promise<void> {
  const deleteOldest = (column: 'expires_at' | 'last_seen_at') => `
    DELETE FROM sessions WHERE token_hash IN (
      SELECT token_hash FROM sessions WHERE ${column} <= $1 ORDER BY ${column} LIMIT $2)`;
  await tx.run(deleteOldest('expires_at'), [now, limit]);
  await tx.run(deleteOldest('last_seen_at'), [idleSince, limit]);
}

/** Deletes up to `limit` sessions of the user, but neither this session nor the `kept` most recently used ones. */
export async function deleteExcessSessions(
  tx: Queries,
  { userId, tokenHash }: Pick<SessionRow, 'userId' | 'tokenHash'>,
  kept: number,
  limit: number,
): Promise<void> {
  const sql = `
    DELETE FROM sessions WHERE token_hash IN (
      SELECT token_hash FROM sessions WHERE user_id = $1 AND token_hash <> $2
      ORDER BY last_seen_at DESC, token_hash LIMIT $4 OFFSET $3)`;
  await tx.run(sql, [userId, tokenHash, kept, limit]);
}

/** Returns the secret that signs pending sign-ins: the stored one, or `created`, which is then stored. */
export async function holdSignInKey(db: Queries, created: string, createdAt: number): Promise<string> {
  const sql = `INSERT INTO sign_in_key (id, secret, created_at) VALUES (1, $1, $2)
    ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING secret`;
  return (await db.one<{ secret: string }>(sql, [created, createdAt]))?.secret ?? created;
}

export interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: number;
  /** When the key stops working because a new key has replaced it. Null if no new key has. */
  readonly expiresAt: number | null;
  /** 1 if the key may change monitors and webhook endpoints. */
  readonly canManage: number;
}

/** The column `kind` of a secret. Secrets of different kinds differ in their form, so the lookup by hash needs no kind. */
export type StoredKind = 'api_key' | 'reconcile_link';

interface KeyRow extends StoredKey {
  readonly accountId: string;
  readonly kind: StoredKind;
  readonly hash: string;
}

export const keys = defineTable<KeyRow>('api_keys');
const KEY = keys.select('k', 'id', 'name', 'prefix', 'createdAt', 'expiresAt', 'canManage');
/** The condition of a secret that works at `now`. */
const isActive = (now: string) => `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`;

export function listKeys(db: Queries, accountId: string, kind: StoredKind, now: number): Promise<StoredKey[]> {
  const sql = `SELECT ${KEY} FROM api_keys k WHERE account_id = $1 AND kind = $2 AND ${isActive('$3')} ORDER BY created_at, id`;
  return db.all<StoredKey>(sql, [accountId, kind, now]);
}

/** Locks the account until the transaction ends, so that the number of its keys cannot change between count and insert. */
export async function lockAccount(tx: Queries, accountId: string): Promise<StoredTerms> {
  const sql = `
    UPDATE accounts SET plan = plan WHERE id = $1
    RETURNING id AS "accountId", plan AS "planId", period_anchor AS "periodAnchor", period_end AS "periodEnd"`;
  const row = await tx.one<StoredTerms>(sql, [accountId]);
  if (row === undefined) throw new Error('the account of the user does not exist');
  return row;
}

/** Does not count keys that are about to end: each was replaced by a key that counts. */
export async function countKeys(tx: Queries, accountId: string, kind: StoredKind): Promise<number> {
  const sql =
    'SELECT count(*) AS count FROM api_keys WHERE account_id = $1 AND kind = $2 AND revoked_at IS NULL AND expires_at IS NULL';
  return (await tx.one<{ count: number }>(sql, [accountId, kind]))?.count ?? 0;
}

/** How many keys were created after this time, including keys that were revoked since, and when the first of them was created. */
export async function countCreated(tx: Queries, accountId: string, kind: StoredKind, after: number) {
  const sql = `
    SELECT count(*) AS count, min(created_at) AS oldest FROM api_keys
    WHERE account_id = $1 AND kind = $2 AND created_at > $3`;
  const row = await tx.one<{ count: number; oldest: number | null }>(sql, [accountId, kind, after]);
  return { count: row?.count ?? 0, oldest: row?.oldest ?? after };
}

export async function deleteRevokedKeys(tx: Queries, accountId: string, before: number): Promise<void> {
  await tx.run('DELETE FROM api_keys WHERE account_id = $1 AND (revoked_at <= $2 OR expires_at <= $2)', [
    accountId,
    before,
  ]);
}

/** Returns whether a key was revoked: false if the account has no active key of this kind with this id. */
export async function revokeKey(db: Queries, accountId: string, kind: StoredKind, id: string, now: number) {
  const sql = `UPDATE api_keys SET revoked_at = $4 WHERE id = $1 AND account_id = $2 AND kind = $3 AND ${isActive('$4')}`;
  return (await db.run(sql, [id, accountId, kind, now])) === 1;
}

interface StoredCaller extends StoredTerms {
  readonly hash: string;
  readonly keyId: string;
  readonly kind: StoredKind;
  readonly canManage: number;
  /** `findCallers` also returns expired keys, so its caller checks this time. */
  readonly expiresAt: number | null;
}

const FIND_CALLERS = (
  list: string,
) => `SELECT k.hash AS hash, k.id AS "keyId", k.kind AS kind, k.can_manage AS "canManage",
  k.expires_at AS "expiresAt", ${TERMS}
  FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.hash IN (${list}) AND k.revoked_at IS NULL`;

export function findCallers(db: Db, hashes: readonly string[]): Promise<StoredCaller[]> {
  return readListed(db, hashes, FIND_CALLERS);
}

/** Takes a client's key for the resource with this id. Returns the id of the resource that has the key. */
export async function claimIdempotencyKey(
  tx: Queries,
  { name, id, expiresAt }: { readonly name: string; readonly id: string; readonly expiresAt: number },
  now: number,
): Promise<string> {
  const sql = `
    INSERT INTO idempotency_keys (id, resource_id, expires_at) VALUES ($1, $2, $3)
    ON CONFLICT (id) DO UPDATE SET
      resource_id = CASE WHEN idempotency_keys.expires_at <= $4 THEN excluded.resource_id ELSE idempotency_keys.resource_id END,
      expires_at = CASE WHEN idempotency_keys.expires_at <= $4 THEN excluded.expires_at ELSE idempotency_keys.expires_at END
    RETURNING resource_id AS "resourceId"`;
  return (await tx.one<{ resourceId: string }>(sql, [name, id, expiresAt, now]))?.resourceId ?? id;
}

export function deleteExpiredKeys(tx: Queries, now: number, limit: number): Promise<number> {
  const sql = `
    DELETE FROM idempotency_keys WHERE id IN (
      SELECT id FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`;
  return tx.run(sql, [now, limit]);
}
