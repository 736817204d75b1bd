import type { Queries } from '../../db/db.ts';

/** The SQL for the replies to repeatable requests. */

interface StoredReply {
  readonly requestHash: string;
  /** The stored reply, encrypted. */
  readonly reply: string;
}

export function findReply(db: Queries, id: string, now: number): Promise<StoredReply | undefined> {
  const sql = 'SELECT request_hash AS "requestHash", reply FROM idempotent_replies WHERE id = $1 AND expires_at > $2';
  return db.one<StoredReply>(sql, [id, now]);
}

interface NewReply extends StoredReply {
  readonly id: string;
  readonly expiresAt: number;
}

/** Replaces a reply that has expired, and the reply `outdated`. Returns false if there is another one. */
export async function insertReply(
  db: Queries,
  reply: NewReply,
  now: number,
  outdated: string | undefined,
): Promise<boolean> {
  const sql = `
    INSERT INTO idempotent_replies (id, request_hash, reply, expires_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (id) DO UPDATE SET request_hash = excluded.request_hash, reply = excluded.reply, expires_at = excluded.expires_at
    WHERE idempotent_replies.expires_at <= $5 OR idempotent_replies.reply = $6`;
  const values = [reply.id, reply.requestHash, reply.reply, reply.expiresAt, now, outdated ?? null];
  return (await db.run(sql, values)) === 1;
}

/** Returns how many were deleted. */
export function deleteExpiredReplies(tx: Queries, now: number, limit: number): Promise<number> {
  const sql = `
    DELETE FROM idempotent_replies WHERE id IN (
      SELECT id FROM idempotent_replies WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`;
  return tx.run(sql, [now, limit]);
}
