import { setAnswerTime } from '../../src/base/system/deadline.ts';
import { multiplyLimits, type TimeLimits } from '../../src/base/system/time-limits.ts';

/** The limits for parts that a test creates itself. Services and processes read the same from PATIENCE. */
export function readLimits(): TimeLimits {
  return multiplyLimits(Number(process.env.PATIENCE ?? 10));
}

/** Multiplies the time limits of production, also in the processes that this one starts from now on. */
export function setPatience(factor: number): void {
  process.env.PATIENCE = String(factor);
  // For tests without a service, which would set it.
  setAnswerTime(readLimits().answerMs);
}
