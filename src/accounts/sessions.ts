import type { Clock } from '../core/clock.ts';
import { fail } from '../core/errors.ts';
import { createSessionToken, hashSecret } from '../core/secrets.ts';
import type { Db } from '../db/db.ts';
import { type Accounts, describeUser, type Identity, type SignedIn } from './accounts.ts';
import { deleteExpiredSessions, deleteSession, findSession, insertSession, touchSession } from './store.ts';
import type { VerifyToken } from './token-verifier.ts';

/** Proofs of who is calling: a token of the identity provider, or our own session after a sign-in in the browser. */
export interface Sessions {
  /** Whose session token this is. Throws `invalid_session`, or `service_unavailable` when that cannot be told now. */
  authenticateToken(token: string): Promise<SignedIn>;
  /** Whose session cookie this is. Throws `invalid_session`. */
  authenticateCookie(token: string): Promise<SignedIn>;
  /** Starts a session for who just signed in, and ends the one the browser had. */
  start(identity: Identity, replaced?: string): Promise<StartedSession>;
  end(token: string): Promise<void>;
}

export interface StartedSession extends SignedIn {
  /** For the cookie. Told here and never again. */
  readonly token: string;
  readonly maxAgeSeconds: number;
}

const DAY = 86_400_000;
/** However much it is used. */
const MOST_MS = 30 * DAY;
/** Without a request. */
const IDLE_MS = 7 * DAY;
/** How exactly we remember the last request: writing at each of them would be dear for nothing. */
const SEEN_EVERY_MS = 5 * 60_000;

export interface SessionParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly verifyToken: VerifyToken;
}

export function createSessions({ db, clock, accounts, verifyToken }: SessionParts): Sessions {
  return {
    authenticateToken: async (token) => accounts.signIn(await verifyToken(token)),

    async authenticateCookie(token) {
      const [tokenHash, now] = [hashSecret(token), clock.now()];
      const session = await findSession(db, tokenHash, now, now - IDLE_MS);
      if (session === undefined) throw fail('invalid_session');
      if (now - session.lastSeenAt >= SEEN_EVERY_MS) await touchSession(db, tokenHash, now);
      return describeUser(session);
    },

    async start(identity, replaced) {
      const signedIn = await accounts.signIn(identity);
      const [token, createdAt] = [createSessionToken(), clock.now()];
      const expiresAt = createdAt + MOST_MS;
      if (replaced !== undefined) await deleteSession(db, hashSecret(replaced));
      await insertSession(db, { tokenHash: hashSecret(token), userId: signedIn.user.id, createdAt, expiresAt });
      await deleteExpiredSessions(db, createdAt, createdAt - IDLE_MS);
      return { ...signedIn, token, maxAgeSeconds: MOST_MS / 1000 };
    },

    async end(token) {
      await deleteSession(db, hashSecret(token));
    },
  };
}
