import { crc32 } from 'node:zlib';
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
      // The lifetime starts with the query, because its result may be old by the time it arrives.
      const [askedAt, changesBefore, now] = [elapsed(), Atomics.load(changes, 0), clock.now()];
      const distinct = [...new Set(hashes)];
      const found = new Map<string, Caller>();
      for (const { hash, keyId, kind, canManage, expiresAt, ...terms } of await findCallers(db, distinct)) {
        if (expiresAt !== null && expiresAt <= now) continue;
        const caller = { keyId, kind, canManage: canManage === 1, ...describeTerms(terms) };
        found.set(hash, caller);
        const group = groupOf(caller.accountId);
        const validUntil = askedAt + Math.min(LIFE_MS, (expiresAt ?? Number.POSITIVE_INFINITY) - now);
        const answer = { caller, validUntil, group, seen: Atomics.load(changes, group) };
        // A query that started before a change may have returned the old row, so the result is not cached.
        if (Atomics.load(changes, 0) === changesBefore) remember(hash, answer);
      }
      return hashes.map((hash) => found.get(hash));
    },
    { maxSize: MAX_LOOKUP_SIZE },
  );

  function remember(hash: string, answer: Known): void {
    // Deleted first, so that the map stays in order of insertion and its first entry is the oldest.
    known.delete(hash);
    known.set(hash, answer);
    if (known.size <= maxEntries) return;
    for (const oldest of known.keys()) {
      known.delete(oldest);
      break;
    }
  }

  function peek(hash: string): Caller | undefined {
    const entry = known.get(hash);
    const counts =
      entry !== undefined && elapsed() < entry.validUntil && Atomics.load(changes, entry.group) === entry.seen;
    return counts ? entry.caller : undefined;
  }

  return {
    peek,
    async find(hash: string, deadline?: Deadline): Promise<Caller | undefined> {
      const caller = peek(hash);
      if (caller !== undefined) return caller;
      return deadline === undefined ? lookUp(hash) : within(deadline, lookUp(hash), 'the lookup of the API key');
    },
    forget(accountId: string): void {
      // The order matters: a thread that sees the new group counter must also see the new total.
      Atomics.add(changes, 0, 1);
      Atomics.add(changes, groupOf(accountId), 1);
    },
  };
}

interface Known {
  readonly caller: Caller;
  /** When the entry or the key expires, whichever comes first. */
  readonly validUntil: number;
  readonly group: number;
  /** The group's counter when the entry was cached. */
  readonly seen: number;
}

/**
 * Change counters in memory shared by all serving threads: the first counts all changes, each of the other counters counts the changes of one group
 * of accounts. A cached entry is valid as long as its group's counter has not changed, so every thread sees a change on its next lookup, before a
 * message could arrive.
 */
export type KeyChanges = Int32Array<SharedArrayBuffer>;

const GROUPS = 1_024;
const LIFE_MS = 900;

export function createKeyChanges(): KeyChanges {
  return new Int32Array(new SharedArrayBuffer((1 + GROUPS) * Int32Array.BYTES_PER_ELEMENT));
}

const groupOf = (accountId: string) => 1 + (crc32(accountId) % GROUPS);

interface KeyCacheOptions {
  readonly changes?: KeyChanges;
  readonly maxEntries?: number;
  /** Decides whether a key has expired. */
  readonly clock?: Clock;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed?: () => number;
}
