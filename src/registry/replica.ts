import type { Log } from '../core/log.ts';
import type { Db } from '../db/db.ts';
import { readVersion } from '../db/version.ts';
import { type FoundEntities, findEntities } from './store.ts';

/**
 * Reads records from a streaming replica, which may be behind, slow or gone, and never lets that show. Its answer
 * counts only if it comes from the very version of the data that the primary has while we ask: the statement that finds
 * the records reads the version with them, the primary is asked for its own at the same time. A version is one import,
 * and nothing else changes records, so equal versions mean equal records, and a missing record is missing. Whatever
 * else comes out, the caller asks the primary.
 *
 * A replica that has failed or is behind rests. It is then looked at beside the requests, never by one of them, so none
 * waits for it.
 */
export interface Replica {
  /** Undefined: ask the primary. */
  find(ids: readonly string[], size: number): Promise<FoundEntities | undefined>;
  close(): Promise<void>;
}

/** `behind`: it had other data than the primary. `failed`: no answer in time, or an error. `resting`: not asked. */
export type ReplicaOutcome = 'used' | 'behind' | 'failed' | 'resting';

export interface ReplicaOptions {
  readonly db: Db;
  readonly primary: Db;
  readonly log: Log;
  count(outcome: ReplicaOutcome, records: number): void;
}

const PAUSE_MS = 1_000;
/** One that answers when looked at but fails when used would otherwise make requests wait every second. */
const LONGEST_PAUSE_MS = 30_000;

export function createReplica({ db, primary, log, count }: ReplicaOptions): Replica {
  let inUse = false;
  let usedSince = 0;
  let pauseMs = PAUSE_MS;
  let lookAgainAt = 0;
  let looking: Promise<void> | undefined;
  /** Whether the log has told of it, so that it tells once. */
  let reported = false;

  function rest(ms: number): void {
    inUse = false;
    lookAgainAt = performance.now() + ms;
  }

  function report(error: unknown): void {
    if (!reported) log.warn({ err: error }, 'the replica fails: records are read from the primary');
    reported = true;
  }

  function failed(error: unknown): void {
    if (inUse) {
      const wasSteady = performance.now() - usedSince > LONGEST_PAUSE_MS;
      pauseMs = wasSteady ? PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      rest(pauseMs);
    }
    report(error);
  }

  async function look(): Promise<void> {
    const version = await readVersion(db).catch(report);
    // Without the primary nothing can be said about the replica; requests will notice that it is away by themselves.
    const isCurrent = version !== undefined && version === (await readVersion(primary).catch(() => undefined));
    if (!isCurrent) return rest(PAUSE_MS);
    inUse = true;
    usedSince = performance.now();
    if (reported) log.info('the replica is used again');
    reported = false;
  }

  return {
    async find(ids, size) {
      if (!inUse) {
        if (looking === undefined && performance.now() >= lookAgainAt) {
          looking = look().finally(() => {
            looking = undefined;
          });
        }
        count('resting', ids.length);
        return undefined;
      }
      const [found, version] = await Promise.all([findEntities(db, ids, size).catch(failed), readVersion(primary)]);
      if (found?.version === version) {
        count('used', ids.length);
        return found;
      }
      // The usual moment after an import: nothing to report.
      if (found !== undefined && inUse) rest(PAUSE_MS);
      count(found === undefined ? 'failed' : 'behind', ids.length);
      return undefined;
    },
    async close() {
      await looking;
      await db.close();
    },
  };
}
