import { fail } from '../core/errors.ts';
import { isPaid } from '../core/plans.ts';
import type { Caller } from '../core/usage.ts';

export function requirePaidPlan({ plan }: Pick<Caller, 'plan'>): void {
  if (!isPaid(plan)) throw fail('plan_required');
}
