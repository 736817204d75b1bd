import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { holdCustomer } from '../../src/billing/store.ts';
import { histories, type Story, tell } from '../billing/history.ts';
import { createDatabase, usualEngines } from '../harness/databases.ts';
import { type Office, openOffice } from '../harness/keys.ts';
import { startServers } from '../harness/load.ts';
import { paymentEnv, sign } from '../harness/payment-events.ts';

/**
 * test/billing/order.test.ts proves order, repetition and crashes statement by statement in one process. Here events
 * arrive concurrently over HTTP at two servers, and one of the servers is killed.
 */
const CONCURRENCY = 48;
const EVENTS = 1_000;

interface Customer {
  readonly accountId: string;
  readonly story: Story;
}

async function invent({ services }: Office): Promise<Customer[]> {
  const { accountsDb, clock } = services;
  const customers: Customer[] = [];
  for (let events = 0; events < EVENTS; ) {
    const [history] = fc.sample(histories(3), 1);
    if (history === undefined) continue;
    const accountId = randomUUID();
    const sql = "INSERT INTO accounts (id, plan, created_at) VALUES ($1, 'free', $2)";
    await accountsDb.run(sql, [accountId, clock.now()]);
    const story = tell(history, accountId, Math.floor(clock.now() / 1_000));
    for (const id of history.link === 'stored' ? story.customerIds : []) {
      await holdCustomer(accountsDb, id, accountId, clock.now());
    }
    customers.push({ accountId, story });
    events += story.deliveries.length;
  }
  return customers;
}

/** A payment provider that knows the final state of each subscription. It is asked when two events have the same second. */
async function startProvider(customers: readonly Customer[]): Promise<Server> {
  const objects = new Map<string, string>();
  for (const { story } of customers) {
    for (const { text, life, step } of story.deliveries) {
      if (life === undefined || step !== story.lastStep(life)) continue;
      objects.set(story.subscriptionId(life), JSON.stringify(JSON.parse(text).data.object));
    }
  }
  const server = createServer((request, response) => {
    const object = objects.get(request.url?.split('/').at(-1) ?? '');
    response.writeHead(object === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(object ?? '{"error":{"type":"invalid_request_error","code":"resource_missing"}}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

function shuffle<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

for (const engine of usualEngines) {
  const title = `${EVENTS} payment events on ${engine}, shuffled and repeated, to two servers of which one is killed`;
  test(`${title}: no event is lost, and every account ends as the model says`, async (t) => {
    const database = await createDatabase(engine);
    const office = openOffice(database);
    await office.createAccount();
    const customers = await invent(office);
    const provider = await startProvider(customers);
    const { port } = provider.address() as AddressInfo;
    const stripe = { STRIPE_SECRET_KEY: 'sk_test_of_firmament', STRIPE_API_URL: `http://127.0.0.1:${port}` };
    const servers = await startServers(database, 2, { ...paymentEnv, ...stripe });
    t.after(async () => {
      await servers.close();
      provider.closeAllConnections();
      provider.close();
      await office[Symbol.asyncDispose]();
      await database.remove();
    });

    const all = customers.flatMap(({ story }) => story.deliveries.map(({ text }) => text));
    const queue = shuffle([...all, ...shuffle(all).slice(0, all.length / 4)]);
    const [half, statuses] = [queue.length / 2, new Map<number, number>()];
    let restarting: Promise<void> | undefined;
    let sent = 0;

    async function deliver(text: string): Promise<void> {
      for (;;) {
        const url = `${servers.urls[sent++ % 2]}/api/v1/billing/webhook`;
        const headers = { 'content-type': 'application/json', 'stripe-signature': sign(text, Date.now()) };
        const reply = await fetch(url, { method: 'POST', headers, body: text }).catch(() => undefined);
        await reply?.arrayBuffer().catch(() => undefined);
        const status = reply?.status ?? 0;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 200) return;
        assert.ok(status === 0 || status === 503, `answered ${status}`);
        await sleep(100 * Math.random());
      }
    }
    async function deliverInTurn(): Promise<void> {
      for (let text = queue.pop(); text !== undefined; text = queue.pop()) {
        if (queue.length < half && restarting === undefined) {
          servers.at(1).kill('SIGKILL');
          restarting = servers.at(1).ended.then(() => servers.restart(1));
        }
        await deliver(text);
      }
    }
    const began = performance.now();
    await Promise.all(Array.from({ length: CONCURRENCY }, deliverInTurn));
    const seconds = (performance.now() - began) / 1_000;
    await restarting;

    const { accountsDb } = office.services;
    const stored = await accountsDb.all<{ id: string; outcome: string | null }>(
      'SELECT id, outcome FROM billing_events',
    );
    const outcomes = new Map(stored.map(({ id, outcome }) => [id, outcome]));
    for (const text of all) assert.ok(outcomes.get(JSON.parse(text).id), 'an acknowledged event was not applied');
    const sql = 'SELECT plan, period_anchor AS "periodStart", period_end AS "periodEnd" FROM accounts WHERE id = $1';
    for (const { accountId, story } of customers) {
      assert.deepEqual({ ...(await accountsDb.one(sql, [accountId])) }, story.expected);
    }
    const tally = JSON.stringify(Object.fromEntries(statuses));
    t.diagnostic(`${all.length} events of ${customers.length} accounts, ${tally}, ${Math.round(seconds)} s`);
  });
}
