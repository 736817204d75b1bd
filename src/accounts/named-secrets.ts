import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Db, Transaction } from '../base/db/db.ts';
import { MAX_LOOKUP_SIZE } from '../base/db/lists.ts';
import { fail } from '../base/errors.ts';
import { createApiKey, hashSecret, isWellFormedSecret, type KeyMode, prefixOf } from '../base/secrets.ts';
import { validateName } from '../base/storable.ts';
import { createBatch } from '../base/system/batch.ts';
import { type Deadline, within } from '../base/system/deadline.ts';
import type { Caller, ReadLastUsed } from '../base/usage.ts';
import { describeTerms } from './accounts.ts';
import { requireFound, requireRoom, resources, takeKey, type WithSecret } from './resources.ts';
import * as store from './store.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;
/** How many secrets of a kind an account may create in 24 hours. With `REVOKED_DAYS`, this number bounds the rows of an account. */
const SECRETS_PER_DAY = 100;
/** How long a revoked secret is stored. Usage is stored separately, so pages and quotas do not change when the secret is deleted. */
const REVOKED_DAYS = 30;

/** The first letters of a secret, which show its kind. */
const LABELS = { api_key: 'frm', reconcile_link: 'frl' } as const;

export interface ListedSecret extends store.StoredKey {
  /** When the secret was last used, epoch ms. Undefined if it was never used. */
  readonly lastUsedAt: number | undefined;
}

export type CreatedSecret = WithSecret<store.StoredKey>;

interface NamedSecretsOptions extends Pick<KeyCacheOptions, 'changes' | 'elapsed'> {
  readonly mode: KeyMode;
  readonly readLastUsed: ReadLastUsed;
}

export type NamedSecrets = ReturnType<typeof createNamedSecrets>;

/** Secrets that a user creates, names and revokes, and that requests are charged to. A lookup by one kind does not find secrets of another kind. */
export function createNamedSecrets(
  db: Db,
  clock: Clock,
  kind: store.StoredKind,
  { mode, readLastUsed, changes, elapsed }: NamedSecretsOptions,
) {
  const { noun } = resources[kind];
  const label = LABELS[kind];
  const cache = createKeyCache(db, { clock, changes, elapsed });

  async function insertSecret(
    tx: Transaction,
    accountId: string,
    { id, name, canManage }: Pick<store.StoredKey, 'id' | 'name' | 'canManage'>,
  ): Promise<CreatedSecret> {
    const now = clock.now();
    const { count, oldest } = await store.countCreated(tx, accountId, kind, now - DAY);
    if (count >= SECRETS_PER_DAY) throw tooMany(oldest + DAY - now);
    await store.deleteRevokedKeys(tx, accountId, now - REVOKED_DAYS * DAY);
    const secret = createApiKey(mode, label);
    const key = { id, name, prefix: prefixOf(secret), createdAt: now, canManage, expiresAt: null };
    await store.keys.insert(tx, { ...key, accountId, kind, hash: hashSecret(secret) });
    return { ...key, secret };
  }

  function tooMany(waitMs: number) {
    const message = `An account can create ${SECRETS_PER_DAY} ${noun}s in 24 hours: wait as long as Retry-After says, or reuse one.`;
    return fail('account_rate_limit_exceeded', { message, retryAfter: Math.ceil(waitMs / 1_000) });
  }

  /** Drops cached secrets, also after an error: the database may have committed the change before the connection broke. */
  async function forgetAfter<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      cache.forget();
    }
  }

  return {
    /**
     * Throws `invalid_request` if the name is invalid, the kind's `…_limit_reached` if the plan allows no more secrets of this kind, and
     * `account_rate_limit_exceeded` if the account has created too many today. An idempotency key creates at most one secret, which is returned once:
     * then this throws `idempotency_key_reused`.
     */
    async create(accountId: string, text: string, canManage = false, key?: string): Promise<CreatedSecret> {
      const name = validateName(text, noun);
      return db.transaction(async (tx) => {
        const id = randomUUID();
        await takeKey(tx, accountId, { kind, id, key, now: clock.now() });
        const terms = describeTerms(await store.lockAccount(tx, accountId));
        requireRoom(kind, terms, await store.countKeys(tx, accountId, kind));
        return insertSecret(tx, accountId, { id, name, canManage: canManage ? 1 : 0 });
      });
    },
    /**
     * Replaces a secret by a new one with its name and right. The old secret stops working after `endsInMs`, at the end of a minute; at once if
     * `endsInMs` is 0. Secrets that are about to end do not count in the limit of the plan, but their number is limited in the same way. Throws what
     * `create` throws, and the kind's `…_not_found`.
     */
    rotate: (accountId: string, id: string, endsInMs: number, key?: string): Promise<CreatedSecret> =>
      forgetAfter(() =>
        db.transaction(async (tx) => {
          const newId = randomUUID();
          await takeKey(tx, accountId, { kind, id: newId, key, now: clock.now() }, '/rotate');
          const { plan } = describeTerms(await store.lockAccount(tx, accountId));
          const active = await store.listKeys(tx, accountId, kind, clock.now());
          const replaced = active.find((each) => each.id === id && each.expiresAt === null);
          const old = requireFound(kind, replaced);
          const ending = active.filter(({ expiresAt }) => expiresAt !== null).length;
          if (endsInMs > 0 && ending >= plan.maxApiKeys) {
            const message = `An earlier ${noun} that was replaced still works: revoke it first, or wait until it ends.`;
            throw fail(`${kind}_limit_reached`, { message });
          }
          const expiresAt = Math.ceil((clock.now() + endsInMs) / MINUTE) * MINUTE;
          if (endsInMs > 0) await store.keys.update(tx, { id }, { expiresAt });
          else await store.revokeKey(tx, accountId, kind, id, clock.now());
          return insertSecret(tx, accountId, { ...old, id: newId });
        }),
      ),
    async list(accountId: string): Promise<ListedSecret[]> {
      const active = await store.listKeys(db, accountId, kind, clock.now());
      const lastUsed = await readLastUsed(active.map(({ id }) => id));
      return active.map((key) => ({ ...key, lastUsedAt: lastUsed.get(key.id) }));
    },
    /** Throws the kind's `…_not_found` unless the account has an active secret of this kind with this id. */
    revoke: (accountId: string, id: string): Promise<void> =>
      forgetAfter(async () => {
        requireFound(kind, await store.revokeKey(db, accountId, kind, id, clock.now()));
      }),
    /** Finds the caller of a secret. Returns undefined if it is malformed, unknown, revoked or of another kind. */
    async findKey(secret: string, deadline?: Deadline): Promise<Caller | undefined> {
      return isWellFormedSecret(secret, label) ? cache.find(hashSecret(secret), deadline) : undefined;
    },
    /** Finds the caller of a secret that was used less than a second ago, without the database. Only well-formed secrets are cached. */
    peekKey: (secret: string): Caller | undefined => cache.peek(hashSecret(secret)),
    /** Drops all cached secrets, of all kinds and in all threads of this process, after the plan or period of an account has changed. */
    forget: cache.forget,
  };
}

/**
 * Caches which caller a key hash belongs to, for less than a second. A change of plan made by another machine takes effect
 * within that time; a change made by any thread of this process takes effect immediately. The meter sees revocations by
 * other machines. Only hits are cached, so guesses cannot push out keys that are in use.
 */
export function createKeyCache(db: Db, options: KeyCacheOptions = {}) {
  const {
    maxEntries = 10_000,
    clock = systemClock,
    elapsed = () => performance.now(),
    changes = createKeyChanges(),
  } = options;
  const known = new Map<string, Known>();

  const lookUp = createBatch(
    async (hashes: readonly string[]) => {
      // The lifetime starts with the query, because its result may be old by the time it arrives. For the same reason, a change during the query makes
      // its result invalid.
      const [askedAt, seen, now] = [elapsed(), Atomics.load(changes, 0), clock.now()];
      const distinct = [...new Set(hashes)];
      const found = new Map<string, Caller>();
      for (const { hash, keyId, kind, canManage, expiresAt, ...terms } of await store.findCallers(db, distinct)) {
        if (expiresAt !== null && expiresAt <= now) continue;
        const caller = { keyId, kind, canManage: canManage === 1, ...describeTerms(terms) };
        found.set(hash, caller);
        const validUntil = askedAt + Math.min(LIFE_MS, (expiresAt ?? Number.POSITIVE_INFINITY) - now);
        remember(hash, { caller, validUntil, seen });
      }
      return hashes.map((hash) => found.get(hash));
    },
    { maxSize: MAX_LOOKUP_SIZE },
  );

  function remember(hash: string, answer: Known): void {
    // Deleted first, so that the map stays in order of insertion and its first entry is the oldest.
    known.delete(hash);
    known.set(hash, answer);
    if (known.size > maxEntries) known.delete(known.keys().next().value as string);
  }

  function peek(hash: string): Caller | undefined {
    const entry = known.get(hash);
    if (entry === undefined || elapsed() >= entry.validUntil || Atomics.load(changes, 0) !== entry.seen)
      return undefined;
    return entry.caller;
  }

  return {
    peek,
    async find(hash: string, deadline?: Deadline): Promise<Caller | undefined> {
      const caller = peek(hash);
      if (caller !== undefined) return caller;
      return deadline === undefined ? lookUp(hash) : within(deadline, lookUp(hash), 'the lookup of the API key');
    },
    forget: (): void => void Atomics.add(changes, 0, 1),
  };
}

interface Known {
  readonly caller: Caller;
  /** When the entry or the key expires, whichever comes first. */
  readonly validUntil: number;
  readonly seen: number;
}

/**
 * The number of changes of keys and accounts, in memory shared by all serving threads: a change in one thread makes all cached entries invalid, before
 * a message could arrive. Changes are rare, and the lookups that follow share a statement.
 */
export type KeyChanges = Int32Array<SharedArrayBuffer>;

const LIFE_MS = 900;

export function createKeyChanges(): KeyChanges {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

interface KeyCacheOptions {
  readonly changes?: KeyChanges | undefined;
  readonly maxEntries?: number;
  /** Decides whether a key has expired. */
  readonly clock?: Clock;
  readonly elapsed?: (() => number) | undefined;
}
