import type { Difference, Facts } from '../billing/sync.ts';
import { readConfig, readEnvironment } from '../config.ts';
import { readDemoPayments } from '../demo/demo-payments.ts';
import type { Services } from '../services.ts';
import { type Command, CommandError, type Invocation, readNumber, UsageError } from '../terminal/command.ts';
import { renderTable } from '../terminal/table.ts';
import { open } from './open.ts';

export const billing: Command = {
  name: 'billing',
  summary: 'List payment events, replay one, or compare subscriptions with the provider.',
  arguments: 'events | replay <event id> | sync',
  options: {
    unmatched: { type: 'boolean', description: 'events: only events that match no account.' },
    account: { type: 'string', description: 'events: only events of this account.' },
    limit: { type: 'string', description: 'events: how many to list, latest first (default: 50).' },
    'dry-run': { type: 'boolean', description: 'sync: report differences without repairing them.' },
    demo: { type: 'boolean', description: "Use the running demo's payment sandbox." },
    json: { type: 'boolean', description: 'Print JSON.' },
  },
  help: `
billing events lists received events, latest first, with their outcome: applied, stale (the stored state was newer),
ignored (does not affect a plan), unknown_price (see STRIPE_PRICE_PRO and STRIPE_PRICE_BUSINESS), unreadable, or pending
(stored, not applied yet).

billing replay applies a stored event again, for example after you configured a price. This is always safe: an event that
is older than the stored state changes nothing.

billing sync compares every stored subscription with the provider's, reports the differences and repairs them.`,
  async run(invocation) {
    const [action = '', ...rest] = invocation.positionals;
    const isReplay = action === 'replay';
    if (!['events', 'replay', 'sync'].includes(action) || rest.length !== (isReplay ? 1 : 0)) {
      throw new UsageError('Use one of: billing events, billing replay <event id>, billing sync.');
    }
    const { services, close } = open(invocation.values.demo === true ? { payments: findDemoPayments() } : {});
    try {
      await services.requireSchema();
      if (action !== 'events' && !services.billing.isOn()) throw new CommandError(OFF);
      if (isReplay) await replay(services, rest[0] ?? '');
      else if (action === 'events') await listEvents(services, invocation);
      else await sync(services, invocation);
    } finally {
      await close();
    }
  },
};

const OFF = 'Billing is off: set the STRIPE_ variables of .env.example, or use --demo for the running demo.';

function findDemoPayments() {
  const { dataDir } = readConfig(readEnvironment());
  const settings = readDemoPayments(dataDir);
  if (settings !== undefined) return () => settings;
  throw new CommandError(`No demo is running with DATA_DIR ${dataDir}: start it with "npm start" and try again.`);
}

async function listEvents(services: Services, { values }: Invocation): Promise<void> {
  const { account, unmatched } = values;
  const events = await services.billing.listEvents({
    accountId: typeof account === 'string' ? account : undefined,
    unmatched: unmatched === true,
    limit: readNumber(values, 'limit', 50),
  });
  const rows = events.map(({ created, receivedAt, outcome, ...event }) => ({
    ...event,
    created: toText(created * 1_000),
    receivedAt: toText(receivedAt),
    outcome: outcome ?? 'pending',
  }));
  if (values.json) return print(`${JSON.stringify(rows, null, 2)}\n`);
  if (rows.length === 0) return print('No events.\n');
  const header = ['EVENT', 'KIND', 'CREATED', 'OUTCOME', 'ACCOUNT', 'SUBSCRIPTION'];
  const cells = rows.map((row) => [
    row.id,
    row.kind,
    row.created.slice(0, 19).replace('T', ' '),
    row.outcome,
    row.accountId ?? '–',
    row.subscriptionId ?? '–',
  ]);
  print(renderTable(header, cells));
}

async function replay(services: Services, id: string): Promise<void> {
  const outcome = await services.billing.replay(id);
  if (outcome === undefined)
    throw new CommandError(`There is no event ${id}: list the events with "firmament billing events".`);
  print(`${id}: ${outcome}\n`);
}

async function sync(services: Services, { values, signal }: Invocation): Promise<void> {
  const differences: Difference[] = [];
  for await (const difference of services.billing.compareAll({ repair: values['dry-run'] !== true })) {
    signal.throwIfAborted();
    differences.push(difference);
    if (!values.json) print(`${describe(difference)}\n`);
  }
  if (values.json) print(`${JSON.stringify(differences, null, 2)}\n`);
  else
    print(
      differences.length === 0 ? 'All subscriptions match the provider.\n' : `Differences: ${differences.length}\n`,
    );
}

function describe({ subscriptionId, accountId, stored, provider, result }: Difference): string {
  const owner = accountId === null ? 'without account' : `of account ${accountId}`;
  return `${subscriptionId} ${owner}: ${render(stored)} → ${render(provider)}: ${result}`;
}

function render(facts: Facts | null): string {
  if (facts === null) return 'none';
  const { status, plan, periodEnd, cancelAtPeriodEnd } = facts;
  const end = periodEnd === null ? '' : ` until ${toText(periodEnd).slice(0, 10)}`;
  return `${status} ${plan ?? 'with unknown price'}${end}${cancelAtPeriodEnd ? ', then cancelled' : ''}`;
}

function toText(instant: number): string {
  return new Date(instant).toISOString();
}

function print(text: string): void {
  process.stdout.write(text);
}
