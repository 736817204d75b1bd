import { hostname } from 'node:os';
import type { Clock } from '../../../base/clock.ts';
import type { UpdateTimes } from '../../../base/config/update-times.ts';
import type { Queries } from '../../../base/db/db.ts';
import type { Lease } from '../../../base/db/lease.ts';
import { type Freshness, periodOf, type Rhythm } from '../../../base/freshness.ts';
import type { Log } from '../../../base/log.ts';
import { createBackgroundWork, logFailures } from '../../../base/system/background-work.ts';
import { listChecks, recordFailure, type SourceCheck } from '../../../registry/records/imports/store.ts';
import { describeUpdate, type UpdateOutcome, type UpdateResult } from '../update.ts';
import type { UpdateRun } from './update-process.ts';

export interface ScheduleOptions {
  readonly times: UpdateTimes;
  readonly lease: Lease;
  readonly db: Queries;
  readonly clock: Clock;
  readonly log: Log;
  readonly listRegisters: (now: number) => Promise<KeptRegister[]>;
  readonly runUpdate: (id: string, signal: AbortSignal) => Promise<UpdateRun>;
  readonly exports?: ScheduledExports | undefined;
  readonly count: (outcome: UpdateOutcome) => void;
  readonly machine?: string;
  /** Milliseconds on a clock that never jumps. */
  readonly measure?: () => number;
}

/** Exports of the newest data. Exports are made after an update that changed the data, and at scheduled times if an export is missing. */
export interface ScheduledExports {
  /** Whether an export is missing, because it failed or because the data was imported by hand. */
  areMissing(): Promise<boolean>;
  make(signal: AbortSignal): Promise<void>;
}

const INTERVAL_MS = 5_000;
/** The head start of the machine that has the files: any other machine would have to download all files again. */
const HEAD_START_MS = 60_000;
/** The shortest pause between two attempts. */
const PAUSE_MS = 10 * 60_000;
const HOUR = 3_600_000;

export type UpdateSchedule = ReturnType<typeof createUpdateSchedule>;

/** Updates registers at the configured times, as background work of a server. In a cluster, only one process at a time runs updates. */
export function createUpdateSchedule(options: ScheduleOptions) {
  const { times, lease, db, clock, log, listRegisters, runUpdate, exports, count } = options;
  const { machine = hostname(), measure = () => performance.now() } = options;
  const stopping = new AbortController();
  /** Not every attempt is recorded: another process may be updating the register, or the database may have failed. */
  const pausedUntil = new Map<string, number>();
  let dueSince: number | undefined;
  /** When this process last made exports, or found that none is missing. Failed exports are tried again at the next scheduled time. */
  let exportsAt = Number.NEGATIVE_INFINITY;

  async function findDue(): Promise<{ ids: string[]; known: readonly SourceCheck[] }> {
    const now = clock.now();
    const known = await listChecks(db);
    const due = listDue(await listRegisters(now), known, { now, tick: times.findLatest(now) });
    return { ids: due.filter((id) => (pausedUntil.get(id) ?? 0) <= now), known };
  }

  async function areExportsDue(): Promise<boolean> {
    if (exports === undefined || exportsAt >= times.findLatest(clock.now())) return false;
    if (await exports.areMissing()) return true;
    exportsAt = clock.now();
    return false;
  }

  async function step(): Promise<void> {
    const { ids } = await findDue();
    const isDue = ids.length > 0 || (await areExportsDue());
    dueSince = isDue ? (dueSince ?? measure()) : undefined;
    if (dueSince === undefined) return;
    const last = await lease.readLastMachine();
    const isOurTurn = last === undefined || last === machine || measure() - dueSince >= HEAD_START_MS;
    if (isOurTurn) await lease.hold(update);
  }

  async function update(lost: AbortSignal): Promise<void> {
    // Another process may have updated the registers since.
    const { ids, known } = await findDue();
    const hasNewData = await updateAll(ids, known, lost);
    const signal = AbortSignal.any([stopping.signal, lost]);
    if (signal.aborted || !(hasNewData || (await areExportsDue()))) return;
    exportsAt = clock.now();
    await exports?.make(signal);
  }

  async function updateAll(ids: readonly string[], known: readonly SourceCheck[], lost: AbortSignal): Promise<boolean> {
    const signal = AbortSignal.any([stopping.signal, lost]);
    let hasNewData = false;
    for (const id of ids) {
      log.info({ register: id }, 'update started');
      const { result, ending } = await runUpdate(id, signal);
      pausedUntil.set(id, clock.now() + PAUSE_MS);
      if (result !== undefined) report(result, known);
      else if (lost.aborted)
        log.warn('update stopped: another server may continue it, because this one lost its lease');
      else if (signal.aborted) log.info('update stopped');
      else {
        const message = `The update process ended early (${ending}): see the log of the server.`;
        // Without a record, the update would be started again immediately, and could crash again and again.
        await recordFailure(db, id, message, clock.now());
        report(describeUpdate(id, 'failed', { message }), known);
      }
      if (signal.aborted) return false;
      hasNewData ||= result?.outcome === 'updated';
    }
    return hasNewData;
  }

  function report(result: UpdateResult, known: readonly SourceCheck[]): void {
    const { register, outcome, message, generation, counts, seconds } = result;
    count(outcome);
    const notice = message === null ? {} : { notice: message };
    if (outcome === 'updated') log.info({ register, generation, ...counts, seconds, ...notice }, 'register updated');
    else if (outcome === 'unchanged') log.info({ register, seconds, ...notice }, 'register is up to date');
    else if (outcome === 'busy') log.info({ register }, 'register is being updated by another process');
    else {
      const failures = 1 + (known.find((check) => check.register === register)?.failures ?? 0);
      const retryInHours = findPause(failures) / HOUR;
      log.warn({ register, failures, retryInHours, problem: message }, 'register could not be updated: will retry');
    }
  }

  const work = logFailures(log, 'registers could not be updated', step);
  const background = createBackgroundWork(INTERVAL_MS, work, { atOnce: true });
  return {
    /** Updates what is due now, unless another process does. Resolves when the updates are done. */
    step,
    start: background.start,
    /** Stops a running update. The register that was being updated is then unchanged. */
    stop(): Promise<void> {
      stopping.abort();
      return background.stop();
    },
  };
}

/** What decides when a register is checked. */
export interface KeptRegister {
  readonly id: string;
  readonly rhythm: Rhythm;
  readonly freshness: Freshness | null;
}

const DAY = 24 * HOUR;
/** The period of publishers without a known rhythm. */
const USUAL_PERIOD = 7 * DAY;

/**
 * Returns the registers whose publishers must be checked now, in the given order. `tick` is the latest scheduled time. A register
 * that was not attempted since `tick` is due, unless its publisher can hardly have anything new. A failed register does not wait for
 * the next tick. The result depends only on stored data, so a server that was down at the tick, or that replaces a crashed server,
 * finds exactly what is left to do.
 */
export function listDue(
  registers: readonly KeptRegister[],
  checks: readonly SourceCheck[],
  { now, tick }: { readonly now: number; readonly tick: number },
): string[] {
  const checkOf = new Map(checks.map((check) => [check.register, check]));
  const isDue = (register: KeptRegister): boolean => {
    const check = checkOf.get(register.id);
    if (check === undefined) return true;
    if (check.failures > 0) return now - check.attemptedAt >= findPause(check.failures);
    return check.attemptedAt < tick && now - (check.checkedAt ?? 0) >= findInterval(register);
  };
  return registers.filter(isDue).map(({ id }) => id);
}

/** How long after a failure the register is tried again: an hour, then twice as long each time, up to a day. */
export function findPause(failures: number): number {
  return Math.min(HOUR * 2 ** (failures - 1), DAY);
}

/** The shortest time between two checks: half a period, and half a day once new data is expected. */
function findInterval({ rhythm, freshness }: KeptRegister): number {
  const half = (periodOf(rhythm) ?? USUAL_PERIOD) / 2;
  return freshness === 'due' || freshness === 'overdue' ? Math.min(half, DAY / 2) : half;
}
