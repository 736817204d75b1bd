import { crc32 } from 'node:zlib';
import { createBatch } from '../core/batch.ts';
import { MAX_LOOKUP_SIZE } from '../core/pad-list.ts';
import type { Caller } from '../core/usage.ts';
import type { Db } from '../db/db.ts';
import { describeTerms } from './accounts.ts';
import { findCallers } from './store.ts';

/**
 * Whose key a hash belongs to, remembered for less than a second: what another machine revokes or changes counts here
 * within that time, what this process changes at once, whichever of its threads did. Only hits are kept, under the hash and never the secret, so that
 * guesses cannot push out the keys that are in use.
 */
export interface KeyCache {
  find(hash: string): Promise<Caller | undefined>;
  /** Asks the database again about every key of the account. */
  forget(accountId: string): void;
}

/**
 * How often accounts were changed, on memory that all serving threads of the process share: first all changes, then those of
 * each group of accounts. What is remembered counts as long as its group has not moved, so a change is seen by every thread
 * with its next look, before any message could arrive.
 */
export type KeyChanges = Int32Array<SharedArrayBuffer>;

const GROUPS = 1_024;

export function createKeyChanges(): KeyChanges {
  return new Int32Array(new SharedArrayBuffer((1 + GROUPS) * Int32Array.BYTES_PER_ELEMENT));
}

const groupOf = (accountId: string) => 1 + (crc32(accountId) % GROUPS);

export interface KeyCacheOptions {
  readonly changes?: KeyChanges;
  readonly lifeMs?: number;
  readonly most?: number;
  /** Milliseconds that only go forward. */
  readonly elapsed?: () => number;
}

export function createKeyCache(db: Db, options: KeyCacheOptions = {}): KeyCache {
  const { lifeMs = 900, most = 10_000, elapsed = () => performance.now(), changes = createKeyChanges() } = options;
  const known = new Map<string, Known>();

  const lookUp = createBatch(
    async (hashes: readonly string[]) => {
      // Its life is counted from the question: the answer may have been long on its way.
      const [askedAt, changesBefore] = [elapsed(), Atomics.load(changes, 0)];
      const distinct = [...new Set(hashes)];
      const found = new Map<string, Caller>();
      for (const { hash, keyId, ...terms } of await findCallers(db, distinct)) {
        const caller = { keyId, ...describeTerms(terms) };
        found.set(hash, caller);
        const group = groupOf(caller.accountId);
        const answer = { caller, askedAt, group, seen: Atomics.load(changes, group) };
        // What was asked for before a change may be the old answer, and is not kept.
        if (Atomics.load(changes, 0) === changesBefore) remember(hash, answer);
      }
      return hashes.map((hash) => found.get(hash));
    },
    { most: MAX_LOOKUP_SIZE },
  );

  function remember(hash: string, answer: Known): void {
    // Deleted first, so that the order of the map is that of the questions and the oldest comes first.
    known.delete(hash);
    known.set(hash, answer);
    if (known.size <= most) return;
    for (const oldest of known.keys()) {
      known.delete(oldest);
      break;
    }
  }

  return {
    async find(hash) {
      const entry = known.get(hash);
      const counts =
        entry !== undefined && elapsed() - entry.askedAt < lifeMs && Atomics.load(changes, entry.group) === entry.seen;
      return counts ? entry.caller : lookUp(hash);
    },
    forget(accountId) {
      // In this order: whoever already sees the group moved must not find the sum of all as it was.
      Atomics.add(changes, 0, 1);
      Atomics.add(changes, groupOf(accountId), 1);
    },
  };
}

interface Known {
  readonly caller: Caller;
  readonly askedAt: number;
  readonly group: number;
  /** The count of its group at the time. */
  readonly seen: number;
}
