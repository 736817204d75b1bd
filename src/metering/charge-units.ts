import type { Deadline } from '../core/deadline.ts';
import type { Caller } from '../core/usage.ts';
import type { Charged, Limits } from './charge.ts';
import type { Meter } from './meter.ts';

/**
 * Work that costs several requests, such as a file with many results. All of them are charged in advance, or none: if the quota does
 * not reach, nothing is taken and nothing is done. In the rate window it counts as one request.
 */
export interface UnitsRequest<T> {
  readonly units: number;
  readonly deadline: Deadline;
  /** Returns the answer and how many units it is worth; the others are refunded. If it throws, all are. */
  work(): Promise<{ readonly answer: T; readonly units: number }>;
}

export async function chargeUnits<T>(
  meter: Pick<Meter, 'takeUnits' | 'refund'>,
  caller: Caller,
  { units, deadline, work }: UnitsRequest<T>,
): Promise<Charged<T>> {
  const { outcome, window, quota, receipt } = await meter.takeUnits(caller, units, deadline);
  const limits: Limits = { window, quota };
  if (outcome === 'rate_limited')
    return { outcome: 'denied', code: 'rate_limit_exceeded', resetsAt: window.resetsAt, limits };
  if (receipt === null) return { outcome: 'denied', code: 'monthly_quota_exceeded', resetsAt: quota.resetsAt, limits };
  const refund = (count: number) => Promise.all(Array.from({ length: count }, () => meter.refund(receipt, deadline)));
  try {
    const done = await work();
    const unused = units - done.units;
    await refund(unused);
    const left = { ...quota, remaining: quota.remaining + unused };
    return { outcome: 'served', answer: done.answer, limits: { window, quota: left } };
  } catch (error) {
    await refund(units);
    throw error;
  }
}
