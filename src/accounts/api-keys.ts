import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { fail } from '../core/errors.ts';
import { type Plan, plans } from '../core/plans.ts';
import { createSalt, deriveApiKey, hashSecret, isWellFormedKey, type KeyMode, prefixOf } from '../core/secrets.ts';
import type { Caller, ReadLastUsed } from '../core/usage.ts';
import type { Db } from '../db/db.ts';
import type { Deadline } from '../system/deadline.ts';
import { describeTerms } from './accounts.ts';
import type { Idempotency, Outcome } from './idempotency/idempotency.ts';
import { createKeyCache, type KeyChanges } from './key-cache.ts';
import { readKeyName } from './key-name.ts';
import {
  countCreated,
  countKeys,
  deleteRevokedKeys,
  insertKey,
  isActive,
  listKeys,
  lockAccount,
  revokeKey,
  type StoredKey,
} from './store.ts';

const DAY = 86_400_000;
/** Keys that an account may create in 24 hours, revoked or not. Together with the next number it bounds the rows of an account. */
const KEYS_PER_DAY = 100;
/** How long a revoked key is stored. Usage is stored apart from it, so pages and quotas do not change when it is deleted. */
const REVOKED_DAYS = 30;

export interface ApiKeys {
  /**
   * Throws `invalid_request` if the name is invalid, `api_key_limit_reached` if the plan allows no more keys, and
   * `account_rate_limit_exceeded` if the account has created too many today.
   */
  create(accountId: string, name: string): Promise<CreatedKey>;
  /**
   * Creates a key, once per idempotency key: repeated calls return the same key. Also throws `idempotency_key_reused` if the name
   * differs from the first one, and `api_key_revoked` if that key was revoked since.
   */
  createOnce(accountId: string, name: string, idempotencyKey: string | undefined): Promise<Outcome<CreatedKey>>;
  /** Lists active keys, oldest first, without secrets. */
  list(accountId: string): Promise<ListedKey[]>;
  /** Throws `api_key_not_found` unless the account has an active key with this id. */
  revoke(accountId: string, id: string): Promise<void>;
  /** Finds the caller of a key. Returns undefined if the key is malformed, unknown or revoked. */
  findKey(secret: string, deadline?: Deadline): Promise<Caller | undefined>;
  /** Finds the caller of a key that was used less than a second ago. Returns undefined if it has to be looked up. */
  peekKey(secret: string): Caller | undefined;
  /**
   * Drops cached keys of an account after its plan or period changed. Takes effect immediately in all threads of this
   * process.
   */
  forget(accountId: string): void;
}

export type ApiKey = StoredKey;

export interface ListedKey extends ApiKey {
  /** Time of its last request, epoch ms; undefined if it was never used. */
  readonly lastUsedAt: number | undefined;
}

export interface CreatedKey extends ApiKey {
  /** Returned only here; we store its hash. */
  readonly secret: string;
}

export interface ApiKeysOptions {
  readonly mode: KeyMode;
  readonly readLastUsed: ReadLastUsed;
  readonly idempotency: Pick<Idempotency, 'onceInTransaction'>;
  readonly changes?: KeyChanges;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed?: () => number;
}

export function createApiKeys(db: Db, clock: Clock, options: ApiKeysOptions): ApiKeys {
  const { mode, readLastUsed, idempotency, changes, elapsed } = options;
  const cache = createKeyCache(db, { clock, ...(changes && { changes }), ...(elapsed && { elapsed }) });

  async function createOnce(
    accountId: string,
    text: string,
    idempotencyKey: string | undefined,
  ): Promise<Outcome<CreatedKey>> {
    const name = readKeyName(text);
    const request = { accountId, operation: 'createApiKey', key: idempotencyKey, body: name };
    // The reply to a repeated request has the secret again, which must not be stored: it is derived again from the idempotency key
    // and a salt, which is stored as long as the request can be repeated.
    const seed = idempotencyKey ?? createSalt();
    const { result, isReplay } = await idempotency.onceInTransaction(request, {
      lock: (tx) => lockAccount(tx, accountId),
      async make(tx, account) {
        const now = clock.now();
        const { plan } = describeTerms(account, now);
        if ((await countKeys(tx, accountId)) >= plan.maxApiKeys) throw limitReached(plan);
        const { count, oldest } = await countCreated(tx, accountId, now - DAY);
        if (count >= KEYS_PER_DAY) throw tooMany(oldest + DAY - now);
        await deleteRevokedKeys(tx, accountId, now - REVOKED_DAYS * DAY);
        const salt = createSalt();
        const secret = deriveApiKey(mode, seed, salt);
        const key = { id: randomUUID(), name, prefix: prefixOf(secret), createdAt: now };
        await insertKey(tx, accountId, key, hashSecret(secret));
        return { key, salt };
      },
    });
    if (isReplay && !(await isActive(db, accountId, result.key.id))) throw fail('api_key_revoked');
    return { result: { ...result.key, secret: deriveApiKey(mode, seed, result.salt) }, isReplay };
  }

  return {
    create: async (accountId, text) => (await createOnce(accountId, text, undefined)).result,
    createOnce,
    async list(accountId) {
      const keys = await listKeys(db, accountId);
      const lastUsed = await readLastUsed(keys.map(({ id }) => id));
      return keys.map((key) => ({ ...key, lastUsedAt: lastUsed.get(key.id) }));
    },
    async revoke(accountId, id) {
      try {
        if (!(await revokeKey(db, accountId, id, clock.now()))) throw fail('api_key_not_found');
      } finally {
        // Also after an error: the database may have committed the change before the connection broke.
        cache.forget(accountId);
      }
    },
    async findKey(secret, deadline) {
      return isWellFormedKey(secret) ? cache.find(hashSecret(secret), deadline) : undefined;
    },
    // Only well-formed keys are cached.
    peekKey: (secret) => cache.peek(hashSecret(secret)),
    forget: (accountId) => cache.forget(accountId),
  };
}

function tooMany(waitMs: number) {
  const message = `An account can create ${KEYS_PER_DAY} API keys in 24 hours: wait as long as Retry-After says, or reuse a key.`;
  return fail('account_rate_limit_exceeded', { message, retryAfter: Math.ceil(waitMs / 1_000) });
}

function limitReached({ id, maxApiKeys }: Plan) {
  const keys = maxApiKeys === 1 ? 'one active API key' : `${maxApiKeys} active API keys`;
  const upgrade = id === plans.at(-1)?.id ? '' : ', or upgrade';
  return fail('api_key_limit_reached', { message: `Your plan allows ${keys}: revoke one first${upgrade}.` });
}
