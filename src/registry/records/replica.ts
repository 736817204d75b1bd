import type { Db } from '../../base/db/db.ts';
import { findVersion } from '../../base/db/version.ts';
import type { Log } from '../../base/log.ts';

export type Replica = ReturnType<typeof createReplica>;

/** `behind`: its data differs from the primary's. `failed`: timeout or error. `resting`: the replica is paused, so it was not used. */
type ReplicaOutcome = 'used' | 'behind' | 'failed' | 'resting';

interface ReplicaOptions {
  readonly db: Db;
  readonly primary: Db;
  readonly log: Log;
  count(outcome: ReplicaOutcome, records: number): void;
}

/** A replica is behind for a moment after every import. */
const PAUSE_MS = 1_000;
/** Longer, because a replica may fail although it answers probes: then each use delays requests. */
const FAILURE_PAUSE_MS = 5_000;

/**
 * Reads records from a streaming replica, which may be behind, slow or down, without clients noticing. A result is used only if its version of the data
 * is that of the primary, which is read at the same time: each import has its own version, so equal versions mean equal records. In all other cases the
 * caller reads from the primary. A replica that failed or is behind is paused, and then probed in the background, so that no request waits for it.
 */
export function createReplica({ db, primary, log, count }: ReplicaOptions) {
  let inUse = false;
  let probeAt = 0;
  let probing: Promise<void> | undefined;
  /** Whether the current failure was logged, so that it is logged once. */
  let reported = false;

  function pause(ms: number): void {
    inUse = false;
    probeAt = performance.now() + ms;
  }

  function report(error: unknown): void {
    if (!reported) log.warn({ err: error }, 'the replica fails: reading records from the primary');
    reported = true;
  }

  async function probe(): Promise<void> {
    const version = await findVersion(db).catch(report);
    // Without the primary the replica's version cannot be checked. Requests report that the primary is down.
    const isCurrent = version !== undefined && version === (await findVersion(primary).catch(() => undefined));
    if (!isCurrent) return pause(PAUSE_MS);
    inUse = true;
    if (reported) log.info('the replica is used again');
    reported = false;
  }

  return {
    /** Calls `read`, which reads this many records. Returns undefined if the caller must read from the primary. */
    async read<Found extends { readonly version: string }>(
      records: number,
      read: (from: Db) => Promise<Found>,
    ): Promise<Found | undefined> {
      if (!inUse) {
        if (performance.now() >= probeAt) {
          probing ??= probe().finally(() => {
            probing = undefined;
          });
        }
        count('resting', records);
        return undefined;
      }
      const [found, version] = await Promise.all([read(db).catch(report), findVersion(primary)]);
      if (found && found.version === version) {
        count('used', records);
        return found;
      }
      // Other requests may have paused it meanwhile.
      if (inUse) pause(found === undefined ? FAILURE_PAUSE_MS : PAUSE_MS);
      count(found === undefined ? 'failed' : 'behind', records);
      return undefined;
    },
    async close(): Promise<void> {
      await probing;
      await db.close();
    },
  };
}
