import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Db } from '../base/db/db.ts';
import { findPlan } from '../base/plans.ts';
import type { AccountTerms } from '../base/usage.ts';
import {
  deleteAccount,
  findAccount,
  findUser,
  insertAccount,
  insertUser,
  moveUsers,
  type StoredTerms,
  type StoredUser,
  updateProfile,
} from './store.ts';

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
  /** The account comes first because the user row refers to it. If another sign-in created the user meanwhile, the new account is removed. */
  async function create(identity: Identity): Promise<void> {
    const createdAt = clock.now();
    const [userId, accountId] = [randomUUID(), randomUUID()];
    await db.transaction(async (tx) => {
      await insertAccount(tx, accountId, createdAt);
      const stored = await insertUser(tx, { ...identity, userId, accountId, createdAt });
      if (stored.accountId !== accountId) await deleteAccount(tx, accountId);
    });
  }

  return {
    /** Finds the user of an identity. The first sign-in creates exactly one user and one account, even if two happen at once. */
    async signIn(identity: Identity): Promise<SignedIn> {
      let user = await findUser(db, identity.issuer, identity.subject);
      if (user === undefined) {
        await create(identity);
        user = await findUser(db, identity.issuer, identity.subject);
      }
      if (user === undefined) throw new Error('the user of this sign-in was not found after it was created');
      // A token without these claims does not mean that the user has no e-mail address or name.
      const email = identity.email ?? user.email;
      const name = identity.name ?? user.name;
      if (email !== user.email || name !== user.name) await updateProfile(db, user.userId, email, name);
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
