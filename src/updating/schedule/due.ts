import { type Freshness, periodOf, type Rhythm } from '../../core/freshness.ts';
import type { SourceCheck } from '../../registry/checks/checks.ts';

/** What decides when a register is checked. */
export interface KeptRegister {
  readonly id: string;
  readonly rhythm: Rhythm;
  readonly freshness: Freshness | null;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** For publishers without a known rhythm. */
const USUAL_PERIOD = 7 * DAY;

/**
 * Returns the registers whose publishers are to be asked now, in the given order. `tick` is the latest scheduled time. A register
 * that was not attempted since is due, unless its publisher can hardly have anything new. One that failed does not wait for the
 * next tick. The result depends only on what is stored, so a server that was down at the tick, or that takes over from one that
 * crashed, finds exactly what is left to do.
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
