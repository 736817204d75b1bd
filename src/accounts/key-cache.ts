import { createBatch } from '../core/batch.ts';
import type { Caller } from '../core/usage.ts';
import type { Db } from '../db/db.ts';
import { describeTerms } from './accounts.ts';
import { findCallers } from './store.ts';

/**
 * Whose key a hash belongs to, remembered for less than a second: what another machine revokes or changes counts here
 * within that time, what this process changes at once. Only hits are kept, under the hash and never the secret, so that
 * guesses cannot push out the keys that are in use.
 */
export interface KeyCache {
  find(hash: string): Promise<Caller | undefined>;
  /** Asks the database again about every key of the account. */
  forget(accountId: string): void;
}

export interface KeyCacheOptions {
  readonly lifeMs?: number;
  readonly most?: number;
  /** Milliseconds that only go forward. */
  readonly elapsed?: () => number;
}

/** List sizes of the look-up: a statement is prepared for each of them. */
const LOOK_UP_SIZES = [1, 4, 16, 64];
const MOST_AT_ONCE = 64;

export function createKeyCache(db: Db, options: KeyCacheOptions = {}): KeyCache {
  const { lifeMs = 900, most = 10_000, elapsed = () => performance.now() } = options;
  const known = new Map<string, { readonly caller: Caller; readonly askedAt: number }>();
  /** Raised by every `forget`: an answer that was asked for before may be the old one, and is not kept. */
  let changes = 0;

  const lookUp = createBatch(
    async (hashes: readonly string[]) => {
      // Its life is counted from the question: the answer may have been long on its way.
      const [askedAt, changesBefore] = [elapsed(), changes];
      const distinct = [...new Set(hashes)];
      const size = LOOK_UP_SIZES.find((candidate) => candidate >= distinct.length) ?? MOST_AT_ONCE;
      const found = new Map<string, Caller>();
      for (const { hash, keyId, ...terms } of await findCallers(db, distinct, size)) {
        const caller = { keyId, ...describeTerms(terms) };
        found.set(hash, caller);
        if (changes === changesBefore) remember(hash, caller, askedAt);
      }
      return hashes.map((hash) => found.get(hash));
    },
    { most: MOST_AT_ONCE },
  );

  function remember(hash: string, caller: Caller, askedAt: number): void {
    // Deleted first, so that the order of the map is that of the questions and the oldest comes first.
    known.delete(hash);
    known.set(hash, { caller, askedAt });
    if (known.size <= most) return;
    for (const oldest of known.keys()) {
      known.delete(oldest);
      break;
    }
  }

  return {
    async find(hash) {
      const entry = known.get(hash);
      return entry !== undefined && elapsed() - entry.askedAt < lifeMs ? entry.caller : lookUp(hash);
    },
    forget(accountId) {
      changes++;
      for (const [hash, { caller }] of known) if (caller.accountId === accountId) known.delete(hash);
    },
  };
}
