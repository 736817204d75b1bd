import { hostname, userInfo } from 'node:os';
import type { Facts } from '../billing/changes.ts';
import type { ApplyResult, Difference } from '../billing/sync.ts';
import type { Services } from '../services/services.ts';
import { CommandError, type Invocation, UsageError } from '../terminal/command.ts';
import { confirm } from '../terminal/confirm.ts';
import { print } from '../terminal/printable.ts';

/** What became of a difference. Without `--apply`, it is only reported. */
type Result = ApplyResult | 'differs' | 'unknown_price';

/**
 * `billing sync`: reports how stored subscriptions differ from the provider's and, with `--apply`, applies what it
 * reported. Plans otherwise change only by signed events, so this needs a confirmation and leaves a record.
 */
export async function syncSubscriptions({ billing }: Services, { values, signal }: Invocation): Promise<void> {
  const show = values.json === true ? () => undefined : print;
  const rows: object[] = [];
  const report = (difference: Difference, result: Result) => {
    rows.push(describe(difference, result));
    show(`${render(difference)}: ${result}\n`);
  };

  const applicable: Difference[] = [];
  for await (const difference of billing.compareAll()) {
    signal.throwIfAborted();
    if (difference.reading === undefined) report(difference, 'unknown_price');
    else if (values.apply !== true) report(difference, 'differs');
    else {
      applicable.push(difference);
      show(`${render(difference)}\n`);
    }
  }
  if (applicable.length > 0) {
    if (values.yes !== true && !(await confirm(`Apply ${formatChanges(applicable.length)}?`, signal))) {
      throw new CommandError('Not confirmed: nothing was changed.');
    }
    const operator = readOperator(values);
    for (const difference of applicable) {
      signal.throwIfAborted();
      report(difference, await billing.applyDifference(difference, operator));
    }
  }
  if (values.json === true) print(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length === 0) print('All subscriptions match the provider.\n');
  else if (values.apply !== true) {
    print(`Differences: ${rows.length}. Nothing was changed: "firmament billing sync --apply" applies them.\n`);
  }
}

/** Checked before the provider is asked, so that a script fails immediately. */
export function checkSyncOptions({ values }: Invocation): void {
  if (values.apply !== true) {
    if (values.yes === undefined && values.operator === undefined) return;
    throw new UsageError('--yes and --operator are for --apply: add it, or leave them out.');
  }
  readOperator(values);
  if (values.yes === true) return;
  if (values.json === true) throw new UsageError('--apply with --json cannot ask for confirmation: add --yes.');
  if (!process.stdin.isTTY) {
    throw new CommandError(
      '--apply asks for confirmation, but standard input is not a terminal: add --yes to confirm.',
    );
  }
}

/** Who makes the change: `--operator`, or the user of the operating system. */
function readOperator({ operator }: Invocation['values']): string {
  if (typeof operator !== 'string') return `${readUserName()}@${hostname()}`;
  const name = operator.trim();
  if (/^[^\p{C}]{1,100}$/u.test(name)) return name;
  throw new UsageError('--operator needs a name of 1 to 100 printable characters.');
}

/** In a container, the user id often has no name. */
function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

function describe({ subscriptionId, accountId, stored, provider }: Difference, result: Result): object {
  return { subscriptionId, accountId, stored, provider, result };
}

function render({ subscriptionId, accountId, stored, provider }: Difference): string {
  const owner = accountId === null ? 'without account' : `of account ${accountId}`;
  return `${subscriptionId} ${owner}: ${renderFacts(stored)} → ${renderFacts(provider)}`;
}

function renderFacts(facts: Facts | null): string {
  if (facts === null) return 'none';
  const { status, plan, periodEnd, cancelAtPeriodEnd } = facts;
  const end = periodEnd === null ? '' : ` until ${new Date(periodEnd).toISOString().slice(0, 10)}`;
  return `${status} ${plan ?? 'with unknown price'}${end}${cancelAtPeriodEnd ? ', then cancelled' : ''}`;
}

function formatChanges(count: number): string {
  return count === 1 ? 'this change' : `these ${count} changes`;
}
