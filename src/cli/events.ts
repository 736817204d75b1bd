import { readDemoPayments } from '../../demo/demo-payments.ts';
import { readConfig, readEnvironment } from '../base/config/config.ts';
import { type Command, CommandError, type Invocation, parseAction, parseNumber } from '../base/terminal/command.ts';
import { print, printableJson, renderTable } from '../base/terminal/table.ts';
import type { Difference, Facts } from '../billing/webhook.ts';
import { open } from '../services/open.ts';
import type { Services } from '../services/services.ts';

/** Commands for payment events and webhooks. */
export const billingCommand: Command = {
  arguments: 'events | replay <event id> | sync',
  options: {
    unmatched: { type: 'boolean', description: 'events: only events that match no account.' },
    account: { type: 'string', description: 'events: only events of this account.' },
    limit: { type: 'string', description: 'events: how many to list, latest first (default: 50).' },
    demo: { type: 'boolean', description: "Use the running demo's payment sandbox." },
    json: { type: 'boolean', description: 'Print JSON.' },
  },
  help: `
billing events lists received events, latest first, with their outcome: applied, stale (the stored state was newer),
ignored (does not affect a plan), unknown_price (see STRIPE_PRICE_PRO and STRIPE_PRICE_BUSINESS), unreadable, or pending
(stored, not applied yet).

billing replay applies a stored event again, for example after you configured a price. This is always safe: an event that
is older than the stored state changes nothing. Events older than WEBHOOK_DAYS cannot be replayed.

billing sync compares every stored subscription with the provider's and prints the differences. It changes nothing: a plan
changes only after a signed event, which the provider can send again.`,
  examples: [
    ['billing events --unmatched', 'List events that match no account.'],
    ['billing replay evt_1Pq…', 'Apply this event again.'],
    ['billing sync', 'Show which subscriptions differ from the provider.'],
  ],
  async run(invocation) {
    const { action, argument } = parseAction('billing', invocation.positionals, BILLING_ACTIONS);
    const payments = invocation.values.demo === true && { payments: findDemoPayments() };
    await using opened = open({ ...payments });
    const { services } = opened;
    await services.requireSchema();
    if (action !== 'events' && !services.billing.isOn()) throw new CommandError(OFF);
    if (action === 'replay') await replay(services, argument);
    else if (action === 'events') await listEvents(services, invocation);
    else await compareSubscriptions(services, invocation);
  },
};

const BILLING_ACTIONS = { events: null, replay: 'event id', sync: null };

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
    limit: parseNumber(values, 'limit', 50),
  });
  const rows = events.map(({ created, receivedAt, outcome, reducedAt, ...event }) => ({
    ...event,
    created: toText(created * 1_000),
    receivedAt: toText(receivedAt),
    outcome: outcome ?? 'pending',
    reducedAt: reducedAt === null ? null : toText(reducedAt),
  }));
  if (values.json) return print(printableJson(rows));
  if (rows.length === 0) return print('No events.\n');
  const header = ['EVENT', 'KIND', 'CREATED', 'OUTCOME', 'ACCOUNT', 'SUBSCRIPTION', 'NOTE'];
  const cells = rows.map((row) => [
    row.id,
    row.kind,
    row.created.slice(0, 19).replace('T', ' '),
    row.outcome,
    row.accountId ?? '–',
    row.subscriptionId ?? '–',
    row.reducedAt === null ? '–' : `payload removed on ${row.reducedAt.slice(0, 10)}`,
  ]);
  print(renderTable(header, cells, { omit: ['NOTE', 'SUBSCRIPTION'] }));
}

const RESEND = `Nothing was changed: a plan changes only after a signed event. Let the provider send the latest event of each subscription
again: in Stripe's dashboard, open the subscription, choose the event and resend it, or run "stripe events resend <event id>". Stripe keeps
events for 30 days; a change of the subscription's metadata makes a new one.
`;

async function compareSubscriptions({ billing }: Services, { values, signal }: Invocation): Promise<void> {
  const found: Difference[] = [];
  for await (const difference of billing.compareAll()) {
    signal.throwIfAborted();
    found.push(difference);
    if (values.json !== true) print(`${renderDifference(difference)}\n`);
  }
  if (values.json === true) print(printableJson(found));
  else if (found.length === 0) print('All subscriptions match the provider.\n');
  else print(`Differences: ${found.length}. ${RESEND}`);
}

function renderDifference({ subscriptionId, accountId, stored, provider, result }: Difference): string {
  const owner = accountId === null ? 'without account' : `of account ${accountId}`;
  return `${subscriptionId} ${owner}: ${renderFacts(stored)} → ${renderFacts(provider)}: ${result}`;
}

function renderFacts(facts: Facts | null): string {
  if (facts === null) return 'none';
  const { status, plan, periodEnd, cancelAtPeriodEnd } = facts;
  const end = periodEnd === null ? '' : ` until ${toText(periodEnd).slice(0, 10)}`;
  return `${status} ${plan ?? 'with unknown price'}${end}${cancelAtPeriodEnd ? ', then cancelled' : ''}`;
}

async function replay(services: Services, id: string): Promise<void> {
  const replayed = await services.billing.replay(id);
  if ('outcome' in replayed) return print(`${id}: ${replayed.outcome}\n`);
  if (replayed.problem === 'unknown') {
    throw new CommandError(`There is no event ${id}: list the events with "firmament billing events".`);
  }
  const day = toText(replayed.reducedAt).slice(0, 10);
  throw new CommandError(
    `${id} cannot be replayed: its payload was removed on ${day}, because it was older than WEBHOOK_DAYS. ` +
      'Compare the subscription with the provider\'s: "firmament billing sync".',
  );
}

function toText(instant: number): string {
  return new Date(instant).toISOString();
}

export const webhooksCommand: Command = {
  arguments: 'list | disable <endpoint id> | replay <endpoint id>',
  options: {
    cursor: { type: 'string', description: 'replay: send the events after this cursor (default: all that are kept).' },
    json: { type: 'boolean', description: 'list: print JSON.' },
  },
  help: `
webhooks list shows the endpoints of all accounts, oldest first. A disabled one says why: owner or operator disabled it, the
receiver answered 410 (gone), or ten attempts to deliver an event failed (failing).

webhooks disable stops sending to an endpoint. Its owner sees that an operator did it, and can enable it again; nothing is lost.

webhooks replay lets the running server send the events after a cursor again, with the same ids.`,
  examples: [
    ['webhooks list', 'List all endpoints.'],
    ['webhooks disable 5a9bb1a6-…', 'Stop sending to this one.'],
  ],
  async run(invocation) {
    const { action, argument: id } = parseAction('webhooks', invocation.positionals, WEBHOOK_ACTIONS);
    await using opened = open();
    const { services } = opened;
    await services.requireSchema();
    if (action === 'list') return await listEndpoints(services, invocation);
    const found = (await services.webhooks.listAll()).find((each) => each.id === id);
    if (found === undefined) {
      throw new CommandError(`There is no endpoint ${id}: list them with "firmament webhooks list".`);
    }
    if (action === 'disable') {
      const isDone = await services.webhooks.disable(id);
      return print(isDone ? `${id}: disabled\n` : `${id}: is disabled already\n`);
    }
    const { cursor } = invocation.values;
    await services.webhooks.replay(found.accountId, id, typeof cursor === 'string' ? cursor : undefined);
    const isEnabled = found.disabledReason === null;
    print(
      `${id}: ${isEnabled ? 'the running server sends its events again' : 'its events are sent when it is enabled'}\n`,
    );
  },
};

const WEBHOOK_ACTIONS = { list: null, disable: 'endpoint id', replay: 'endpoint id' };

async function listEndpoints({ webhooks }: Services, { values }: Invocation): Promise<void> {
  const endpoints = await webhooks.listAll();
  if (values.json) return print(printableJson(endpoints));
  if (endpoints.length === 0) return print('No endpoints.\n');
  const rows = endpoints.map(({ id, accountId, url, disabledReason: state }) => [
    id,
    accountId,
    state ?? 'enabled',
    url,
  ]);
  print(renderTable(['ENDPOINT', 'ACCOUNT', 'STATE', 'URL'], rows, { omit: ['URL'] }));
}
