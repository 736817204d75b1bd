import type { Clock } from '../base/clock.ts';
import type { Db } from '../base/db/db.ts';
import { fail } from '../base/errors.ts';
import { createToken, hashSecret } from '../base/secrets.ts';
import { type Accounts, describeUser, type Identity, type SignedIn } from './accounts.ts';
import { deleteDeadSessions, deleteExcessSessions, deleteSession, findSession, sessions } from './store.ts';
import type { VerifyToken } from './token-verifier.ts';

export interface StartedSession extends SignedIn {
  /** The value of the cookie. Returned only here; we store its hash. */
  readonly token: string;
  readonly maxAgeSeconds: number;
}

const DAY = 86_400_000;
/** A session ends this long after the sign-in, even if it is in use. */
const MAX_LIFE_MS = 30 * DAY;
/** A session ends after this time without a request. */
const IDLE_MS = 7 * DAY;
/**
 * How many sessions a user can have. A sign-in ends the least recently used ones above this number, so that a program that
 * signs in again and again cannot fill the table.
 */
const MAX_SESSIONS = 20;
/** How many expired and how many excess sessions a sign-in deletes. More than one, so that the table shrinks after a peak. */
const MAX_DELETED = 100;
/** How often the last use is written. Writing it on every request would cost a transaction each. */
const TOUCH_INTERVAL_MS = 5 * 60_000;

interface SessionParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly verifyToken: VerifyToken;
}

export type Sessions = ReturnType<typeof createSessions>;

/** Authenticates callers by a token of the identity provider, or by our own session cookie after a sign-in in the browser. */
export function createSessions({ db, clock, accounts, verifyToken }: SessionParts) {
  return {
    /** Throws `invalid_session`, or `service_unavailable` if the token cannot be verified at the moment. */
    authenticateToken: async (token: string): Promise<SignedIn> => accounts.signIn(await verifyToken(token)),

    /** Throws `invalid_session`. */
    async authenticateCookie(token: string): Promise<SignedIn> {
      const [tokenHash, now] = [hashSecret(token), clock.now()];
      const session = await findSession(db, tokenHash, now, now - IDLE_MS);
      if (session === undefined) throw fail('invalid_session');
      if (now - session.lastSeenAt >= TOUCH_INTERVAL_MS) await sessions.update(db, { tokenHash }, { lastSeenAt: now });
      return describeUser(session);
    },

    /** Starts a session after a sign-in. Ends the browser's previous session, and the oldest sessions of a user that has too many. */
    async start(identity: Identity, replaced?: string): Promise<StartedSession> {
      const signedIn = await accounts.signIn(identity);
      const [token, createdAt] = [createToken(), clock.now()];
      const session = { tokenHash: hashSecret(token), userId: signedIn.user.id };
      const times = { createdAt, lastSeenAt: createdAt, expiresAt: createdAt + MAX_LIFE_MS };
      if (replaced !== undefined) await deleteSession(db, hashSecret(replaced));
      await db.transaction(async (tx) => {
        // Two sign-ins at the same time could delete the same sessions in a different order, which would be a deadlock.
        await tx.hold('sign-in', 'exclusive');
        await sessions.insert(tx, { ...session, ...times });
        await deleteDeadSessions(tx, createdAt, createdAt - IDLE_MS, MAX_DELETED);
        await deleteExcessSessions(tx, session, MAX_SESSIONS - 1, MAX_DELETED);
      });
      return { ...signedIn, token, maxAgeSeconds: MAX_LIFE_MS / 1000 };
    },

    async end(token: string): Promise<void> {
      await deleteSession(db, hashSecret(token));
    },
  };
}
