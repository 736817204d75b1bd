import { type Failure, fail } from '../core/errors.ts';
import { type Plan, plans } from '../core/plans.ts';
import type { Queries } from '../db/db.ts';
import { MAX_ENTITIES } from './monitor.ts';
import { countOfAccount, type Totals } from './store.ts';

/** Throws `monitor_limit_reached` if the account would have more than its plan allows. */
export async function checkLimits(
  tx: Queries,
  accountId: string,
  { id, maxMonitors, maxWatchedCompanies }: Plan,
  added: Totals,
): Promise<void> {
  const now = await countOfAccount(tx, accountId);
  const upgrade = id === plans.at(-1)?.id ? '' : ', or upgrade';
  const refuse = (allowed: string, advice: string) =>
    fail('monitor_limit_reached', { message: `Your plan allows ${allowed}: ${advice}${upgrade}.` });
  if (now.monitors + added.monitors > maxMonitors) throw refuse(`${maxMonitors} monitors`, 'delete one first');
  if (now.entities + added.entities > maxWatchedCompanies) {
    const left = Math.max(0, maxWatchedCompanies - now.entities);
    throw refuse(`${maxWatchedCompanies} watched companies, ${left} more than now`, 'watch fewer');
  }
}

export function tooLarge(): Failure {
  return fail('monitor_limit_reached', {
    message: `A monitor has at most ${MAX_ENTITIES} companies: create another one.`,
  });
}

export function tooBroad(total: number, most: number): Failure {
  const message = `The search matches ${total} companies, and a monitor can have ${most}: narrow it down.`;
  return fail('monitor_limit_reached', { message });
}
