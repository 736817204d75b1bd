import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { MonitorChange, Scope } from '../../src/monitors/monitor.ts';
import { holdDeliveries } from '../../src/webhooks/store.ts';
import { createWebhooks } from '../../src/webhooks/webhooks.ts';
import { type Chance, createChance } from '../../synthetic/chance.ts';
import { completeEnv, spawnScript } from '../harness/children.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { type Office, openOffice } from '../harness/keys.ts';
import { until } from '../harness/until.ts';
import { publishChanges } from '../journal/journal.ts';
import { expectChanges, isAfter, type MonitorState, readJournal } from './journal-oracle.ts';
import { answer, type Behave, close, hang, ok, type Receiver, startReceiver } from './receiver.ts';
import { KEY } from './world.ts';

const KILLS = runs(3, 20);
const IDS = Array.from({ length: 8 }, (_, index) => `00000000-0000-5000-8000-00000000000${index}`);
const TYPES = ['added', 'changed', 'delisted', 'relisted'] as const;
const script = fileURLToPath(new URL('server.ts', import.meta.url));

interface Watched {
  readonly id: string;
  readonly states: MonitorState[];
  isDeleted: boolean;
}

interface Endpoint {
  readonly id: string;
  readonly accountId: string;
  readonly receiver: Receiver;
  /** What it has accepted: the first arrival of each id, in order. */
  readonly accepted: Map<string, MonitorChange & { readonly monitorId: string }>;
  readonly watched: Watched[];
}

for (const engine of engines) {
  test(`kill -9 of servers ${KILLS} times on ${engine}: every receiver gets what its monitors report, per company in order`, async (t) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    t.diagnostic(`seed ${seed}`);
    const chance = createChance(seed);
    const database = await createDatabase(engine);
    const office = openOffice(database);
    const servers: Server[] = [];
    const endpoints: Endpoint[] = [];
    t.after(async () => {
      for (const { kill } of servers) await kill();
      for (const { receiver } of endpoints) await receiver[Symbol.asyncDispose]();
      await office[Symbol.asyncDispose]();
      await database.remove();
    });
    for (let at = 0; at < 3; at++) endpoints.push(await openEndpoint(office, chance));
    servers.push(await startServer(database), await startServer(database));

    for (let round = 0; round < KILLS; round++) {
      const before = countReceived(endpoints);
      for (let steps = chance.between(8, 16); steps > 0; steps--) await takeStep(office, chance, endpoints);
      // It dies while it compares, sends or records.
      const goal = before + chance.between(1, 20);
      await until('something was sent, or there is nothing to send', async () => {
        return countReceived(endpoints) >= goal || (await isDone(office, endpoints));
      });
      const victim = round % 2;
      await servers[victim]?.kill();
      // As if a minute had passed.
      await office.services.accountsDb.run('UPDATE leases SET expires_at = 0');
      servers[victim] = await startServer(database);
    }

    for (const { receiver, accepted } of endpoints) receiver.behave = accept(accepted);
    // The deliveries of a company follow each other, so this takes as many rounds as the company has changed. Each makes progress.
    for (let isComplete = false; !isComplete; ) {
      const before = await countDelivered(office);
      await until(`more than ${before} are delivered, or all`, async () => {
        isComplete = await isDone(office, endpoints);
        return isComplete || (await countDelivered(office)) > before;
      });
    }
    const journal = await readJournal(office.services.changes);
    let events = 0;
    for (const { accountId, accepted, watched } of endpoints) {
      const arrived = [...accepted.values()];
      for (const { id, states, isDeleted } of watched) {
        const own = arrived.filter(({ monitorId }) => monitorId === id).map(({ monitorId: _, ...change }) => change);
        const expected = expectChanges(states, journal);
        const order = (changes: readonly MonitorChange[]) => Map.groupBy(changes, ({ entityId }) => entityId);
        if (isDeleted) assert.ok(own.every((change) => expected.some(({ cursor }) => cursor === change.cursor)));
        else assert.deepEqual(sortKeys(order(own)), sortKeys(order(expected)));
        events += own.length;
      }
      for (const [entityId, changes] of Map.groupBy(arrived, (change) => change.entityId)) {
        for (const [at, { cursor }] of changes.entries()) {
          const previous = changes[at - 1];
          assert.ok(previous === undefined || !isAfter(previous.cursor, cursor), `the order of ${entityId}`);
        }
      }
      const { quota, daily } = await office.readUsed(accountId);
      assert.deepEqual([quota, daily], [accepted.size, accepted.size], 'each event is charged once');
    }
    assert.ok(events > 0);
    t.diagnostic(`${events} events of ${journal.length} changes, ${countReceived(endpoints)} requests`);
  });
}

interface Server {
  kill(): Promise<void>;
}

async function startServer({ dataDir, databaseUrl }: TestDatabase): Promise<Server> {
  const env = { DATA_DIR: dataDir, WEBHOOK_KEY: KEY, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
  const child = spawnScript(script, [], { env: completeEnv(env), stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended]);
  assert.equal(child.exitCode, null, 'the server does not start');
  return {
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const accept =
  (accepted: Endpoint['accepted']): Behave =>
  (received, response, count) => {
    const id = String(received.headers['webhook-id']);
    if (!accepted.has(id)) accepted.set(id, JSON.parse(received.body).data);
    ok(received, response, count);
  };

async function openEndpoint({ services, createAccount }: Office, chance: Chance): Promise<Endpoint> {
  const { accountId } = await createAccount();
  const terms = await services.accounts.findTerms(accountId);
  assert.ok(terms !== undefined);
  const accepted: Endpoint['accepted'] = new Map();
  const good = accept(accepted);
  const moods = [
    ...[good, good, good, good, good, good, hang, close],
    ...[answer(500), answer(302), answer(410), answer(429, { 'retry-after': '60' }), answer(503)],
  ];
  const receiver = await startReceiver((...given) => chance.pick(moods)(...given));
  const { accountsDb: db, clock, log, version, monitorEvents: events, accounts } = services;
  const rules = { ports: [], allowsLoopback: true };
  const options = { db, clock, log, version, events, rules, keys: [KEY], timeoutMs: 1_000 };
  // Only creates the endpoint: the servers send.
  const webhooks = createWebhooks({
    ...options,
    readTerms: accounts.findTerms,
    hasMonitors: async () => true,
    count() {},
  });
  const { id } = await webhooks.create(terms, { url: receiver.url });
  await webhooks.stop();
  return { id, accountId, receiver, accepted, watched: [] };
}

/** An import, or a change of a monitor. */
async function takeStep({ services }: Office, chance: Chance, endpoints: readonly Endpoint[]): Promise<void> {
  const { monitors, registryDb, clock } = services;
  const choose = <T>(items: readonly T[], probability: number) => items.filter(() => chance.is(probability));
  if (chance.is(0.6)) {
    const after = ['ALPHA', 'active', null, null];
    const changes = choose(IDS, 0.5).map((entityId) => ({
      ...{ type: chance.pick(TYPES), country: 'GB', register: 'gb', entityId, after, before: after },
      fields: choose(['status', 'canonicalName', 'city'], 0.5),
    }));
    await publishChanges(registryDb, { register: 'gb', publishedAt: clock.now(), changes });
    return;
  }
  const { accountId, watched } = chance.pick(endpoints);
  const terms = await services.accounts.findTerms(accountId);
  assert.ok(terms !== undefined);
  const scope: Scope = {
    types: [chance.pick(TYPES), ...choose(TYPES, 0.7)].filter((type, at, all) => all.indexOf(type) === at),
    fields: chance.is(0.5) ? null : ['status', ...choose(['address'] as const, 0.5)],
  };
  const entities = choose(IDS, 0.5);
  const one = chance.pick(watched.filter(({ isDeleted }) => !isDeleted));
  if (one === undefined || chance.is(0.3)) {
    const result = await monitors.create(terms, { name: 'm', watch: entities, ...scope });
    watched.push({
      id: result.id,
      states: [{ from: result.cursor, entities: new Set(entities), scope }],
      isDeleted: false,
    });
    return;
  }
  const last = one.states.at(-1) as MonitorState;
  if (chance.is(0.15)) {
    one.isDeleted = true;
    await monitors.delete(accountId, one.id);
  } else if (chance.is(0.5)) {
    const { cursor: from } = await monitors.update(terms, one.id, scope);
    one.states.push({ ...last, from, scope });
  } else {
    const change = { add: entities, remove: choose(IDS, 0.2) };
    const { cursor: from } = await monitors.changeEntities(terms, one.id, change);
    const kept = [...last.entities].filter((id) => !change.remove.includes(id));
    one.states.push({ ...last, from, entities: new Set([...kept, ...change.add]) });
  }
}

/** Whether everything is compared and delivered. If not, makes all attempts due, as if hours had passed, and enables the endpoints. */
async function isDone(office: Office, endpoints: readonly Endpoint[]): Promise<boolean> {
  if (!(await isBehind(office)) && (await countWaiting(office)) === 0) return true;
  const { accountsDb: db, webhooks } = office.services;
  // The database may be too busy for a moment.
  const ignore = (error: unknown) => assert.equal(Reflect.get(Object(error), 'code'), 'service_unavailable');
  const passTime = db.transaction(async (tx) => {
    await holdDeliveries(tx);
    await tx.run("UPDATE webhook_deliveries SET next_at = 0 WHERE state = 'waiting' AND next_at > 0");
    await tx.run('UPDATE webhook_endpoints SET paused_until = 0 WHERE paused_until > 0');
  });
  await passTime.catch(ignore);
  for (const { id, accountId } of endpoints) {
    const { disabledReason } = await webhooks.find(accountId, id);
    if (disabledReason !== null) await webhooks.update(accountId, id, { enabled: true }).catch(ignore);
  }
  return false;
}

/** Whether changes wait to be compared, or events to become deliveries. */
async function isBehind({ services }: Office): Promise<boolean> {
  const { accountsDb: db, changes, monitorEvents } = services;
  const pass = await db.one<{ cursor: string | null }>('SELECT cursor FROM monitor_pass');
  const { meta } = await changes.readPage({ cursor: 'now', filter: ALL, limit: 1 });
  if (pass?.cursor !== meta.nextCursor) return true;
  const endpoints = await db.all<{ accountId: string; position: number }>(
    'SELECT account_id AS "accountId", position FROM webhook_endpoints',
  );
  for (const { accountId, position } of endpoints) {
    if ((await monitorEvents.ofAccount(accountId, null, position, 1)).length > 0) return true;
  }
  return false;
}

const ALL = { country: null, register: null, type: null };

const countWaiting = (office: Office) => countDeliveries(office, "state <> 'delivered'");
const countDelivered = (office: Office) => countDeliveries(office, "state = 'delivered'");

async function countDeliveries({ services }: Office, condition: string): Promise<number> {
  const sql = `SELECT count(*) AS count FROM webhook_deliveries WHERE ${condition}`;
  return (await services.accountsDb.one<{ count: number }>(sql))?.count ?? 0;
}

function countReceived(endpoints: readonly Endpoint[]): number {
  return endpoints.reduce((sum, { receiver }) => sum + receiver.received.length, 0);
}

function sortKeys<T>(groups: Map<string | null, T>): [string | null, T][] {
  return [...groups].sort(([a], [b]) => String(a).localeCompare(String(b)));
}
