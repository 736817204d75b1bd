import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Db, Transaction } from '../base/db/db.ts';
import { findPlan } from '../base/plans.ts';
import type { AccountTerms } from '../base/usage.ts';
import { findAccount, findUser, insertAccount, moveUsers, type StoredTerms, type StoredUser, users } from './store.ts';

export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly name: string | null;
}

export interface SignedIn {
  readonly user: { readonly id: string; readonly email: string | null; readonly name: string | null };
  readonly account: AccountTerms;
}

export type Accounts = ReturnType<typeof createAccounts>;

/**
 * Users, their accounts, sessions and API keys. This folder authenticates callers and issues secrets. Usage belongs to
 * `metering/`, plans and payments to `billing/`.
 */
export function createAccounts(db: Db, clock: Clock) {
  async function findOrCreate(tx: Transaction, identity: Identity): Promise<StoredUser> {
    // Of two sign-ins at the same time, the second finds what the first one has created.
    await tx.hold('sign-in', 'exclusive');
    const { issuer, subject, email, name } = identity;
    const found = await findUser(tx, issuer, subject);
    if (found !== undefined) return found;
    const [id, accountId, createdAt] = [randomUUID(), randomUUID(), clock.now()];
    await insertAccount(tx, accountId, createdAt);
    await users.insert(tx, { id, accountId, issuer, subject, email, name, createdAt });
    return { userId: id, email, name, accountId, planId: 'free', periodAnchor: null, periodEnd: null };
  }

  return {
    /** Finds the user of an identity. The first sign-in creates exactly one user and one account, even if two happen at once. */
    async signIn(identity: Identity): Promise<SignedIn> {
      const { issuer, subject } = identity;
      const user =
        (await findUser(db, issuer, subject)) ?? (await db.transaction(async (tx) => findOrCreate(tx, identity)));
      // A token without these claims does not mean that the user has no e-mail address or name.
      const email = identity.email ?? user.email;
      const name = identity.name ?? user.name;
      if (email !== user.email || name !== user.name) await users.update(db, { id: user.userId }, { email, name });
      return describeUser({ ...user, email, name });
    },
    /** Undefined if there is no such account. */
    async findTerms(accountId: string): Promise<AccountTerms | undefined> {
      const stored = await findAccount(db, accountId);
      return stored && describeTerms(stored);
    },
    /** Moves the users of an issuer whose address changed, so that they keep their accounts. */
    async moveIssuer(from: string, to: string): Promise<void> {
      await moveUsers(db, from, to);
    },
  };
}

export function describeUser(stored: StoredUser): SignedIn {
  const { userId: id, email, name } = stored;
  return { user: { id, email, name }, account: describeTerms(stored) };
}

export function describeTerms({ accountId, planId, periodAnchor, periodEnd }: StoredTerms): AccountTerms {
  return { accountId, plan: findPlan(planId), periodAnchor, periodEnd };
}
