import { type Clock, systemClock } from '../base/clock.ts';
import type { Db } from '../base/db/db.ts';
import { MAX_LOOKUP_SIZE } from '../base/db/lists.ts';
import { createBatch } from '../base/system/batch.ts';
import { type Deadline, within } from '../base/system/deadline.ts';
import type { Caller } from '../base/usage.ts';
import { describeTerms } from './accounts.ts';
import { findCallers } from './store.ts';

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
      for (const { hash, keyId, kind, canManage, expiresAt, ...terms } of await findCallers(db, distinct)) {
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
  /** The number of changes when the entry was asked for. */
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

export interface KeyCacheOptions {
  readonly changes?: KeyChanges | undefined;
  readonly maxEntries?: number;
  /** Decides whether a key has expired. */
  readonly clock?: Clock;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed?: (() => number) | undefined;
}
