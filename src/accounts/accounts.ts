import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Db, Transaction } from '../base/db/db.ts';
import { fail } from '../base/errors.ts';
import { findPlan } from '../base/plans.ts';
import { createToken, hashSecret } from '../base/secrets.ts';
import type { AccountTerms } from '../base/usage.ts';
import type { Identity, VerifyToken } from './issuer.ts';
import * as store from './store.ts';

export interface SignedIn {
  readonly user: { readonly id: string; readonly email: string | null; readonly name: string | null };
  readonly account: AccountTerms;
}

export type Accounts = ReturnType<typeof createAccounts>;

/** Users, their accounts, sessions and API keys. `metering/` owns usage; plans and payments belong to `billing/`. */
export function createAccounts(db: Db, clock: Clock) {
  async function findOrCreate(tx: Transaction, identity: Identity): Promise<store.StoredUser> {
    // Of two sign-ins at the same time, the second finds what the first one has created.
    await tx.hold('sign-in', 'exclusive');
    const { issuer, subject, email, name } = identity;
    const found = await store.findUser(tx, issuer, subject);
    if (found !== undefined) return found;
    const [id, accountId, createdAt] = [randomUUID(), randomUUID(), clock.now()];
    await store.insertAccount(tx, accountId, createdAt);
    await store.users.insert(tx, { id, accountId, issuer, subject, email, name, createdAt });
    return { userId: id, email, name, accountId, planId: 'free', periodAnchor: null, periodEnd: null };
  }

  return {
    /** Finds the user of an identity. The first sign-in creates exactly one user and one account, even if two happen at once. */
    async signIn(identity: Identity): Promise<SignedIn> {
      const { issuer, subject } = identity;
      const user =
        (await store.findUser(db, issuer, subject)) ?? (await db.transaction(async (tx) => findOrCreate(tx, identity)));
      // A token without these claims does not mean that the user has no e-mail address or name.
      const email = identity.email ?? user.email;
      const name = identity.name ?? user.name;
      if (email !== user.email || name !== user.name)
        await store.users.update(db, { id: user.userId }, { email, name });
      return describeUser({ ...user, email, name });
    },
    async findTerms(accountId: string): Promise<AccountTerms | undefined> {
      const stored = await store.findAccount(db, accountId);
      return stored && describeTerms(stored);
    },
    /** Moves the users of an issuer whose address changed, so that they keep their accounts. */
    async moveIssuer(from: string, to: string): Promise<void> {
      await store.moveUsers(db, from, to);
    },
  };
}

function describeUser(stored: store.StoredUser): SignedIn {
  const { userId: id, email, name } = stored;
  return { user: { id, email, name }, account: describeTerms(stored) };
}

export function describeTerms({ accountId, planId, periodAnchor, periodEnd }: store.StoredTerms): AccountTerms {
  return { accountId, plan: findPlan(planId), periodAnchor, periodEnd };
}

export interface StartedSession extends SignedIn {
  /** The value of the cookie. Returned only here; we store its hash. */
  readonly token: string;
  readonly maxAgeSeconds: number;
}

const DAY = 86_400_000;
/** A session ends this long after the sign-in, even if it is in use. */
const MAX_LIFE_MS = 30 * DAY;
const IDLE_MS = 7 * DAY;
/** The sessions of a user. A sign-in ends the least recently used ones above this number, so that a program cannot fill the table. */
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
      const session = await store.findSession(db, tokenHash, now, now - IDLE_MS);
      if (session === undefined) throw fail('invalid_session');
      if (now - session.lastSeenAt >= TOUCH_INTERVAL_MS)
        await store.sessions.update(db, { tokenHash }, { lastSeenAt: now });
      return describeUser(session);
    },

    /** Starts a session after a sign-in. Ends the browser's previous session, and the oldest sessions of a user that has too many. */
    async start(identity: Identity, replaced?: string): Promise<StartedSession> {
      const signedIn = await accounts.signIn(identity);
      const [token, createdAt] = [createToken(), clock.now()];
      const session = { tokenHash: hashSecret(token), userId: signedIn.user.id };
      const times = { createdAt, lastSeenAt: createdAt, expiresAt: createdAt + MAX_LIFE_MS };
      if (replaced !== undefined) await store.deleteSession(db, hashSecret(replaced));
      await db.transaction(async (tx) => {
        // Two sign-ins at the same time could delete the same sessions in a different order, which would be a deadlock.
        await tx.hold('sign-in', 'exclusive');
        await store.sessions.insert(tx, { ...session, ...times });
        await store.deleteDeadSessions(tx, createdAt, createdAt - IDLE_MS, MAX_DELETED);
        await store.deleteExcessSessions(tx, session, MAX_SESSIONS - 1, MAX_DELETED);
      });
      return { ...signedIn, token, maxAgeSeconds: MAX_LIFE_MS / 1000 };
    },

    async end(token: string): Promise<void> {
      await store.deleteSession(db, hashSecret(token));
    },
  };
}
