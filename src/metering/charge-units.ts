import { type Deadline, startDeadline } from '../core/deadline.ts';
import { fail } from '../core/errors.ts';
import type { Caller } from '../core/usage.ts';
import type { Allowance } from './batch.ts';
import type { Charged, Denial, Limits } from './charge.ts';
import type { Meter } from './meter.ts';

/**
 * Work that costs several requests, such as a file with many results. In the rate window it counts as one request, which is counted
 * first, because finding out what the work costs is work as well. All units are charged in advance, or none: if the quota does not
 * reach, nothing is taken and nothing is done.
 */
export interface UnitsRequest<T> {
  readonly units: number;
  readonly deadline: Deadline;
  /** Returns the answer and how many units it is worth; the others are refunded. If it throws, all are. */
  work(limits: Limits): Promise<{ readonly answer: T; readonly units: number }>;
}

/** A quota that is not used up still pays for other requests, so the client must not wait for the next period. */
function nameShortage({ remaining }: Allowance): Denial['code'] {
  return remaining === 0 ? 'monthly_quota_exceeded' : 'insufficient_quota';
}

/** Counts a request in the rate window. Throws `invalid_api_key` if its key is revoked. */
export async function countRequest(
  meter: Pick<Meter, 'take'>,
  caller: Caller,
  deadline: Deadline,
): Promise<Denial | { readonly outcome: 'counted'; readonly limits: Limits }> {
  const { outcome, window, quota } = await meter.take(caller, false, deadline);
  if (outcome === 'revoked') throw fail('invalid_api_key');
  const limits = { window, quota };
  if (outcome !== 'rate_limited') return { outcome: 'counted', limits };
  return { outcome: 'denied', code: 'rate_limit_exceeded', resetsAt: window.resetsAt, limits };
}

/** Charges a request that was counted in this window. */
export async function chargeUnits<T>(
  meter: Pick<Meter, 'takeUnits' | 'refund'>,
  caller: Caller,
  window: Allowance,
  { units, deadline, work }: UnitsRequest<T>,
): Promise<Charged<T>> {
  const { quota, receipt } = await meter.takeUnits(caller, units, deadline);
  const limits: Limits = { window, quota };
  if (receipt === null) return { outcome: 'denied', code: nameShortage(quota), resetsAt: quota.resetsAt, limits };
  // The work may have taken much longer than the deadline.
  const refund = (unused: number) => meter.refund(receipt, startDeadline(), unused);
  try {
    const done = await work(limits);
    const unused = units - done.units;
    if (unused > 0) await refund(unused);
    const left = { ...quota, remaining: quota.remaining + unused };
    return { outcome: 'served', answer: done.answer, limits: { window, quota: left } };
  } catch (error) {
    await refund(units);
    throw error;
  }
}
