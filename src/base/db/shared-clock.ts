import { type Clock, systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Db } from './db.ts';

/**
 * The clock that all machines on one database share: each corrects the difference between its own clock and the database's. Otherwise a machine with a
 * wrong clock would count in rate windows of its own, reject signed events, and end sessions and plans at the wrong time. SQLite has no other machines.
 */
interface SharedClockOptions {
  readonly db: Pick<Db, 'engine' | 'one'>;
  readonly log: Log;
  readonly local?: Clock;
}

const MEASURE_INTERVAL_MS = 10_000;
/** Differences up to this limit are not corrected: synchronized clocks differ by less. */
const TOLERANCE_MS = 1_000;
const READ_TIME = 'SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT) AS time';

export function createSharedClock({ db, log, local = systemClock }: SharedClockOptions) {
  let correction = 0;
  let timer: NodeJS.Timeout | undefined;

  /** Asks the database for its time. Fails with `service_unavailable` if the database does not answer. */
  async function measure(): Promise<void> {
    if (db.engine !== 'postgres') return;
    const before = local.now();
    const answer = await db.one<{ time: number }>(READ_TIME);
    const after = local.now();
    if (answer === undefined) return;
    // The database read its clock between `before` and `after`: a slow answer must not look like a wrong clock.
    const fits = (offset: number) =>
      before + offset - TOLERANCE_MS <= answer.time && answer.time <= after + offset + TOLERANCE_MS;
    if (fits(correction)) return;
    correction = fits(0) ? 0 : answer.time - (answer.time > after ? after : before);
    const seconds = Math.round(correction / 1_000);
    if (correction === 0) log.info({}, "the clock of this machine agrees with the database's again");
    else log.warn({ seconds }, "the clock of this machine differs from the database's, which is used: check NTP");
  }

  return {
    now: () => local.now() + correction,
    measure,
    /** Measures every ten seconds until `stop`. If the database does not answer, the last correction stays in force. */
    start(): void {
      if (db.engine !== 'postgres') return;
      timer ??= setInterval(() => measure().catch(() => undefined), MEASURE_INTERVAL_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
