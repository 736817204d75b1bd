import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { findPlan } from '../core/plans.ts';
import type { AccountTerms } from '../core/usage.ts';
import type { Db } from '../db/db.ts';
import {
  deleteAccount,
  findUser,
  insertAccount,
  insertUser,
  moveUsers,
  type StoredTerms,
  type StoredUser,
  updateProfile,
} from './store.ts';

/**
 * Who may do what: people, their accounts, sessions and API keys. This folder proves identities and hands out secrets; what
 * a key has used is metering's business, what a plan costs billing's.
 */
export interface Accounts {
  /** The user an identity provider vouches for. The first sign-in makes user and account, exactly one of each. */
  signIn(identity: Identity): Promise<SignedIn>;
  /** For an issuer that moves to another address: its people stay who they are. */
  moveIssuer(from: string, to: string): Promise<void>;
}

/** What an identity provider says of a person. */
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

export function createAccounts(db: Db, clock: Clock): Accounts {
  /** Account first, for the user points to it; when somebody else made the user meanwhile, ours was never needed. */
  async function create(identity: Identity): Promise<void> {
    const createdAt = clock.now();
    const [userId, accountId] = [randomUUID(), randomUUID()];
    await db.transaction(async (tx) => {
      await insertAccount(tx, accountId, createdAt);
      const stored = await insertUser(tx, { ...identity, userId, accountId, createdAt });
      if (stored.accountId !== accountId) await deleteAccount(tx, accountId);
    });
  }

  async function find({ issuer, subject }: Identity): Promise<StoredUser | undefined> {
    return findUser(db, issuer, subject);
  }

  return {
    async signIn(identity) {
      let user = await find(identity);
      if (user === undefined) {
        await create(identity);
        user = await find(identity);
      }
      if (user === undefined) throw new Error('a user who just signed in is gone');
      // A token that does not mention the address is no news about it.
      const email = identity.email ?? user.email;
      const name = identity.name ?? user.name;
      if (email !== user.email || name !== user.name) await updateProfile(db, user.userId, email, name);
      return describeUser({ ...user, email, name });
    },
    async moveIssuer(from, to) {
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
