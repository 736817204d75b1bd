import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { fail } from '../core/errors.ts';
import { findPlan } from '../core/plans.ts';
import { createApiKey, hashSecret, isWellFormedKey, type KeyMode, prefixOf } from '../core/secrets.ts';
import type { Caller, ReadLastUsed } from '../core/usage.ts';
import type { Db } from '../db/db.ts';
import { createKeyCache, type KeyChanges } from './key-cache.ts';
import { countKeys, insertKey, listKeys, lockAccount, revokeKey, type StoredKey } from './store.ts';

export interface ApiKeys {
  /** Throws `invalid_request` for a name that is none, `api_key_limit_reached` when the plan allows no more. */
  create(accountId: string, name: string): Promise<CreatedKey>;
  /** Active keys, oldest first, without secrets. */
  list(accountId: string): Promise<ListedKey[]>;
  /** Throws `api_key_not_found` for a key that is not an active one of this account. */
  revoke(accountId: string, id: string): Promise<void>;
  /** Whose key this is: undefined for one that is damaged, unknown or revoked. */
  findKey(secret: string): Promise<Caller | undefined>;
  /** For who changes an account's plan or period: its keys count by the new terms at once, in all threads of this process. */
  forget(accountId: string): void;
}

export type ApiKey = StoredKey;

export interface ListedKey extends ApiKey {
  /** Time of its last request, epoch ms; undefined if it was never used. */
  readonly lastUsedAt: number | undefined;
}

export interface CreatedKey extends ApiKey {
  /** Told here and never again. */
  readonly secret: string;
}

const MOST_CHARACTERS = 60;

export interface ApiKeysOptions {
  readonly mode: KeyMode;
  readonly readLastUsed: ReadLastUsed;
  readonly changes?: KeyChanges;
}

export function createApiKeys(db: Db, clock: Clock, { mode, readLastUsed, changes }: ApiKeysOptions): ApiKeys {
  const cache = createKeyCache(db, { ...(changes && { changes }) });
  return {
    async create(accountId, text) {
      const name = readKeyName(text);
      const secret = createApiKey(mode);
      const key = { id: randomUUID(), name, prefix: prefixOf(secret), createdAt: clock.now() };
      await db.transaction(async (tx) => {
        const { maxApiKeys } = findPlan((await lockAccount(tx, accountId)).planId);
        if ((await countKeys(tx, accountId)) >= maxApiKeys) throw limitReached(maxApiKeys);
        await insertKey(tx, accountId, key, hashSecret(secret));
      });
      return { ...key, secret };
    },
    async list(accountId) {
      const keys = await listKeys(db, accountId);
      const lastUsed = await readLastUsed(keys.map(({ id }) => id));
      return keys.map((key) => ({ ...key, lastUsedAt: lastUsed.get(key.id) }));
    },
    async revoke(accountId, id) {
      try {
        if (!(await revokeKey(db, accountId, id, clock.now()))) throw fail('api_key_not_found');
      } finally {
        // Also when the database broke off: it may have been revoked all the same.
        cache.forget(accountId);
      }
    },
    async findKey(secret) {
      return isWellFormedKey(secret) ? cache.find(hashSecret(secret)) : undefined;
    },
    forget: (accountId) => cache.forget(accountId),
  };
}

/** Trimmed, 1 to 60 characters, a character being a code point. */
function readKeyName(text: string): string {
  const name = text.trim();
  const length = [...name].length;
  if (length === 0) throw refusal('is empty: say what the key is for.');
  if (length > MOST_CHARACTERS) throw refusal(`has ${length} characters and may have ${MOST_CHARACTERS}.`);
  if (!name.isWellFormed() || /\p{Cc}/u.test(name)) throw refusal('holds control characters: leave them out.');
  return name;
}

function refusal(problem: string) {
  return fail('invalid_request', { message: `The name of the key ${problem}` });
}

function limitReached(most: number) {
  const keys = most === 1 ? 'one active API key' : `${most} active API keys`;
  return fail('api_key_limit_reached', { message: `The plan allows ${keys}: revoke one first, or change the plan.` });
}
