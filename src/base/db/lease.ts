import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createBackgroundWork } from '../system/background-work.ts';
import type { Db } from './db.ts';

export type Lease = ReturnType<typeof createLease>;

interface LeaseOptions {
  /** The store that holds the lease. It must never be locked for long. */
  readonly db: Pick<Db, 'engine' | 'one' | 'run'>;
  readonly name: string;
  readonly machine?: string;
  /** How long other processes wait after a crash. A short lease is for work that may be done twice. */
  readonly leaseMs?: number;
  readonly renewMs?: number;
  /** Milliseconds on a clock that never jumps. */
  readonly measure?: () => number;
}

const LEASE_MS = 60_000;
/** For work that users wait for, and that two processes may do at the same time without harm. */
export const SHORT_LEASE_MS = 15_000;

const NOW = {
  sqlite: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  postgres: 'CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)',
} as const;

/**
 * A lease: work that only one process of a cluster does at a time, although any of them may crash. The clock of the database decides when a lease
 * expires, so machines with wrong clocks agree. SQLite has no clock of its own and uses the clock of the machine.
 */
export function createLease(options: LeaseOptions) {
  const { db, name, machine = hostname(), leaseMs = LEASE_MS, measure = () => performance.now() } = options;
  const { renewMs = leaseMs / 6 } = options;
  /** Work is stopped a third of the lease early: one renewal interval to notice the loss, and one for the work to end. */
  const stopAfterMs = leaseMs - leaseMs / 3;
  const now = NOW[db.engine];

  /** Takes or renews the lease in one statement, so that two callers cannot both succeed. */
  async function take(owner: string): Promise<boolean> {
    const row = await db.one(
      `INSERT INTO leases (name, owner, expires_at) VALUES ($1, $2, ${now} + $3)
        ON CONFLICT (name) DO UPDATE SET owner = $2, expires_at = ${now} + $3
        WHERE leases.owner = $2 OR leases.expires_at <= ${now} RETURNING owner`,
      [name, owner, leaseMs],
    );
    return row !== undefined;
  }

  /** Keeps the owner in the row, so that other machines can find the files of the last update. */
  async function release(owner: string): Promise<void> {
    await db.run('UPDATE leases SET expires_at = 0 WHERE name = $1 AND owner = $2', [name, owner]);
  }

  return {
    /** The machine that holds or last held the lease. Undefined if there was none. */
    async readLastMachine(): Promise<string | undefined> {
      const row = await db.one<{ owner: string }>('SELECT owner FROM leases WHERE name = $1', [name]);
      return row?.owner.slice(0, row.owner.lastIndexOf(' '));
    },
    /**
     * Runs `work` if no other process has the lease, and returns whether it ran. `signal` is aborted when the lease is lost, or could not be renewed
     * for so long that another process may soon take it: `work` then has to end within a sixth of the lease time.
     */
    async hold(work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
      const owner = `${machine} ${randomUUID()}`;
      const lost = new AbortController();
      // The time before the statement: the lease expires later than computed from it.
      let takenAt = measure();
      if (!(await take(owner))) return false;
      const renew = async () => {
        const askedAt = measure();
        const isOurs = await take(owner).catch(() => undefined);
        if (isOurs === true) takenAt = askedAt;
        if (isOurs === false || measure() - takenAt >= stopAfterMs) lost.abort();
      };
      const renewal = createBackgroundWork(renewMs, async () => {
        if (!lost.signal.aborted) await renew();
      });
      renewal.start();
      try {
        await work(lost.signal);
        return true;
      } finally {
        await renewal.stop();
        // If releasing fails, the lease expires by itself.
        await release(owner).catch(() => undefined);
      }
    },
  };
}
