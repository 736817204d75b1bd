import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { type ErrorCode, fail } from '../core/errors.ts';
import { readName } from '../core/given-name.ts';
import { type Plan, plans } from '../core/plans.ts';
import {
  createApiKey,
  hashSecret,
  isWellFormedSecret,
  type KeyMode,
  prefixOf,
  type SecretLabel,
} from '../core/secrets.ts';
import type { Caller, ReadLastUsed } from '../core/usage.ts';
import type { Db, Transaction } from '../db/db.ts';
import { takeIdempotencyKey } from '../db/idempotency.ts';
import type { Deadline } from '../system/deadline.ts';
import { describeTerms } from './accounts.ts';
import { createKeyCache, type KeyChanges } from './key-cache.ts';
import {
  countCreated,
  countKeys,
  deleteRevokedKeys,
  expireKey,
  insertKey,
  listKeys,
  lockAccount,
  revokeKey,
  type StoredKey,
  type StoredKind,
} from './store.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;
/** How many secrets of a kind an account may create in 24 hours. With the next number, it bounds the rows of an account. */
const SECRETS_PER_DAY = 100;
/** How long a revoked secret is stored. Usage is stored apart from it, so pages and quotas do not change when it is deleted. */
const REVOKED_DAYS = 30;

/**
 * Secrets that a user creates, names and revokes, and that requests are charged to: API keys (`api-keys.ts`) and reconcile links
 * (`reconcile-links.ts`). A secret of one kind is unknown to the others.
 */
export interface NamedSecrets {
  /**
   * Throws `invalid_request` if the name is invalid, the kind's `limitReached` if the plan allows no more of them, and
   * `account_rate_limit_exceeded` if the account has created too many today. An idempotency key creates at most one secret, which is
   * returned once: then this throws `idempotency_key_reused`.
   */
  create(accountId: string, name: string, canManage?: boolean, idempotencyKey?: string): Promise<CreatedSecret>;
  /**
   * Creates a secret with the name and right of this one, which stops working after `endsInMs`, at the end of a minute; at once if that is 0. It
   * does not count in the limit of the plan any more, but at most as many can end at a time as the plan allows. Throws what `create`
   * throws, and the kind's `notFound`.
   */
  rotate(accountId: string, id: string, endsInMs: number, idempotencyKey?: string): Promise<CreatedSecret>;
  /** Lists what is active, oldest first, without secrets. */
  list(accountId: string): Promise<ListedSecret[]>;
  /** Throws the kind's `notFound` unless the account has an active secret of this kind with this id. */
  revoke(accountId: string, id: string): Promise<void>;
  /** Finds the caller of a secret. Returns undefined if it is malformed, unknown, revoked or of another kind. */
  findKey(secret: string, deadline?: Deadline): Promise<Caller | undefined>;
  /** Finds the caller of a secret that was used less than a second ago. Returns undefined if it has to be looked up. */
  peekKey(secret: string): Caller | undefined;
  /**
   * Drops cached secrets of an account after its plan or period changed. Takes effect immediately in all threads of this
   * process, for all kinds.
   */
  forget(accountId: string): void;
}

interface SecretKind {
  readonly kind: StoredKind;
  readonly label: SecretLabel;
  /** As in "one active API key". */
  readonly noun: string;
  /** The operation that idempotency keys belong to. */
  readonly operation: string;
  readonly codes: Readonly<Record<'notFound' | 'limitReached', ErrorCode>>;
}

export interface ListedSecret extends StoredKey {
  /** Time of its last request, epoch ms; undefined if it was never used. */
  readonly lastUsedAt: number | undefined;
}

export interface CreatedSecret extends StoredKey {
  /** Returned only here; we store its hash. */
  readonly secret: string;
}

export interface NamedSecretsOptions {
  readonly mode: KeyMode;
  readonly readLastUsed: ReadLastUsed;
  readonly changes?: KeyChanges;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed?: () => number;
}

export function createNamedSecrets(
  db: Db,
  clock: Clock,
  { kind, label, noun, operation, codes }: SecretKind,
  { mode, readLastUsed, changes, elapsed }: NamedSecretsOptions,
): NamedSecrets {
  const cache = createKeyCache(db, { clock, ...(changes && { changes }), ...(elapsed && { elapsed }) });

  async function create(accountId: string, text: string, canManage = false, key?: string): Promise<CreatedSecret> {
    const name = readName(text, noun);
    return db.transaction(async (tx) => {
      const id = randomUUID();
      await takeIdempotencyKey(tx, { accountId, operation, key }, id, clock.now());
      const { plan } = describeTerms(await lockAccount(tx, accountId));
      if ((await countKeys(tx, accountId, kind)) >= plan.maxApiKeys) throw limitReached(plan);
      return insertSecret(tx, accountId, { id, name, canManage: canManage ? 1 : 0 });
    });
  }

  async function insertSecret(
    tx: Transaction,
    accountId: string,
    { id, name, canManage }: Pick<StoredKey, 'id' | 'name' | 'canManage'>,
  ): Promise<CreatedSecret> {
    const now = clock.now();
    const { count, oldest } = await countCreated(tx, accountId, kind, now - DAY);
    if (count >= SECRETS_PER_DAY) throw tooMany(oldest + DAY - now);
    await deleteRevokedKeys(tx, accountId, now - REVOKED_DAYS * DAY);
    const secret = createApiKey(mode, label);
    const key = { id, name, prefix: prefixOf(secret), createdAt: now, canManage };
    await insertKey(tx, accountId, kind, key, hashSecret(secret));
    return { ...key, expiresAt: null, secret };
  }

  async function rotate(accountId: string, id: string, endsInMs: number, key?: string): Promise<CreatedSecret> {
    try {
      return await db.transaction(async (tx) => {
        const newId = randomUUID();
        await takeIdempotencyKey(tx, { accountId, operation: `${operation}/rotate`, key }, newId, clock.now());
        const { plan } = describeTerms(await lockAccount(tx, accountId));
        const active = await listKeys(tx, accountId, kind, clock.now());
        const old = active.find((each) => each.id === id && each.expiresAt === null);
        if (old === undefined) throw fail(codes.notFound);
        const ending = active.filter(({ expiresAt }) => expiresAt !== null).length;
        if (endsInMs > 0 && ending >= plan.maxApiKeys) throw stillEnding();
        if (endsInMs > 0) await expireKey(tx, id, Math.ceil((clock.now() + endsInMs) / MINUTE) * MINUTE);
        else await revokeKey(tx, accountId, kind, id, clock.now());
        return insertSecret(tx, accountId, { ...old, id: newId });
      });
    } finally {
      cache.forget(accountId);
    }
  }

  function stillEnding() {
    const message = `An earlier ${noun} that was replaced still works: revoke it first, or wait until it ends.`;
    return fail(codes.limitReached, { message });
  }

  function tooMany(waitMs: number) {
    const message = `An account can create ${SECRETS_PER_DAY} ${noun}s in 24 hours: wait as long as Retry-After says, or reuse one.`;
    return fail('account_rate_limit_exceeded', { message, retryAfter: Math.ceil(waitMs / 1_000) });
  }

  function limitReached({ id, maxApiKeys }: Plan) {
    const allowed = maxApiKeys === 1 ? `one active ${noun}` : `${maxApiKeys} active ${noun}s`;
    const upgrade = id === plans.at(-1)?.id ? '' : ', or upgrade';
    return fail(codes.limitReached, { message: `Your plan allows ${allowed}: revoke one first${upgrade}.` });
  }

  return {
    create,
    rotate,
    async list(accountId) {
      const keys = await listKeys(db, accountId, kind, clock.now());
      const lastUsed = await readLastUsed(keys.map(({ id }) => id));
      return keys.map((key) => ({ ...key, lastUsedAt: lastUsed.get(key.id) }));
    },
    async revoke(accountId, id) {
      try {
        if (!(await revokeKey(db, accountId, kind, id, clock.now()))) throw fail(codes.notFound);
      } finally {
        // Also after an error: the database may have committed the change before the connection broke.
        cache.forget(accountId);
      }
    },
    async findKey(secret, deadline) {
      return isWellFormedSecret(secret, label) ? cache.find(hashSecret(secret), deadline) : undefined;
    },
    // Only well-formed secrets of this kind are cached.
    peekKey: (secret) => cache.peek(hashSecret(secret)),
    forget: (accountId) => cache.forget(accountId),
  };
}
