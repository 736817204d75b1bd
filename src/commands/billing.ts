import { readDemoPayments } from '../../demo/demo-payments.ts';
import type { RecordedChange } from '../billing/changes.ts';
import type { StoredEvent } from '../billing/store.ts';
import { readConfig, readEnvironment } from '../config/config.ts';
import type { Services } from '../services/services.ts';
import { type Command, CommandError, type Invocation, readNumber, UsageError } from '../terminal/command.ts';
import { describeUnknown } from '../terminal/invocation.ts';
import { print } from '../terminal/printable.ts';
import { renderTable } from '../terminal/table.ts';
import { findWidth } from '../terminal/width.ts';
import { checkSyncOptions, syncSubscriptions } from './billing-sync.ts';
import { open } from './open.ts';

export const billing: Command = {
  name: 'billing',
  arguments: 'events | replay <event id> | sync',
  options: {
    unmatched: { type: 'boolean', description: 'events: only events that match no account.' },
    account: { type: 'string', description: 'events: only events of this account.' },
    limit: { type: 'string', description: 'events: how many to list, latest first (default: 50).' },
    apply: { type: 'boolean', description: 'sync: apply the differences, after a confirmation.' },
    yes: { type: 'boolean', description: 'sync --apply: do not ask for confirmation.' },
    operator: { type: 'string', description: 'sync --apply: who makes the change (default: user@host).' },
    demo: { type: 'boolean', description: "Use the running demo's payment sandbox." },
    json: { type: 'boolean', description: 'Print JSON.' },
  },
  help: `
billing events lists received events, latest first, with their outcome: applied, stale (the stored state was newer),
ignored (does not affect a plan), unknown_price (see STRIPE_PRICE_PRO and STRIPE_PRICE_BUSINESS), unreadable, or pending
(stored, not applied yet). Changes without an event are listed with the kind operator.sync (by an operator), server.check
(the provider's answer about an overdue subscription) or server.expiry (a plan has ended).

billing replay applies a stored event again, for example after you configured a price. This is always safe: an event that
is older than the stored state changes nothing. Events older than WEBHOOK_DAYS cannot be replayed.

billing sync compares every stored subscription with the provider's and reports the differences. With --apply it applies
them, after you have confirmed, and records each change as an operator event.`,
  examples: [
    ['billing events --unmatched', 'List events that match no account.'],
    ['billing replay evt_1Pq…', 'Apply this event again.'],
    ['billing sync', 'Show which subscriptions differ from the provider.'],
  ],
  async run(invocation) {
    const [action = '', ...rest] = invocation.positionals;
    const isReplay = action === 'replay';
    if (action === '') throw new UsageError(`billing needs an action: ${ACTIONS.join(', ')}.`);
    if (!ACTIONS.includes(action)) throw new UsageError(describeUnknown('action', action, ACTIONS));
    if (rest.length !== (isReplay ? 1 : 0)) {
      throw new UsageError(isReplay ? 'billing replay needs one event id.' : `billing ${action} takes no arguments.`);
    }
    if (action === 'sync') checkSyncOptions(invocation);
    const payments = invocation.values.demo === true && { payments: findDemoPayments() };
    await using opened = open({ ...payments });
    const { services } = opened;
    await services.requireSchema();
    if (action !== 'events' && !services.billing.isOn()) throw new CommandError(OFF);
    if (isReplay) await replay(services, rest[0] ?? '');
    else if (action === 'events') await listEvents(services, invocation);
    else await syncSubscriptions(services, invocation);
  },
};

const ACTIONS = ['events', 'replay', 'sync'];

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
  const rows = events.map(({ created, receivedAt, outcome, reducedAt, change, ...event }) => ({
    ...event,
    created: toText(created * 1_000),
    receivedAt: toText(receivedAt),
    outcome: outcome ?? 'pending',
    reducedAt: reducedAt === null ? null : toText(reducedAt),
    change: change === null ? null : (JSON.parse(change) as RecordedChange),
  }));
  if (values.json) return print(`${JSON.stringify(rows, null, 2)}\n`);
  if (rows.length === 0) return print('No events.\n');
  const header = ['EVENT', 'KIND', 'CREATED', 'OUTCOME', 'ACCOUNT', 'SUBSCRIPTION', 'NOTE'];
  const cells = rows.map((row) => [
    row.id,
    row.kind,
    row.created.slice(0, 19).replace('T', ' '),
    row.outcome,
    row.accountId ?? '–',
    row.subscriptionId ?? '–',
    describeNote(row),
  ]);
  print(renderTable(header, cells, { width: findWidth(process.stdout), omit: ['NOTE', 'SUBSCRIPTION'] }));
}

function describeNote({ operator, change, reducedAt }: EventNote): string {
  if (change !== null)
    return `${change.before.plan ?? 'no account'} → ${change.after.plan ?? 'no account'} by ${operator}`;
  return reducedAt === null ? '–' : `payload removed on ${reducedAt.slice(0, 10)}`;
}

type EventNote = Pick<StoredEvent, 'operator'> & {
  readonly change: RecordedChange | null;
  readonly reducedAt: string | null;
};

async function replay(services: Services, id: string): Promise<void> {
  const replayed = await services.billing.replay(id);
  if ('outcome' in replayed) return print(`${id}: ${replayed.outcome}\n`);
  switch (replayed.problem) {
    case 'unknown':
      throw new CommandError(`There is no event ${id}: list the events with "firmament billing events".`);
    case 'operator':
      throw new CommandError(
        `${id} is a change by an operator or the server, not an event of the payment provider: nothing to replay.`,
      );
    case 'reduced': {
      const day = toText(replayed.reducedAt).slice(0, 10);
      throw new CommandError(
        `${id} cannot be replayed: its payload was removed on ${day}, because it was older than WEBHOOK_DAYS. ` +
          'Compare the subscription with the provider\'s: "firmament billing sync".',
      );
    }
  }
}

function toText(instant: number): string {
  return new Date(instant).toISOString();
}
