import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '../../src/base/db/db.ts';
import { createLease } from '../../src/base/db/lease.ts';
import { fail } from '../../src/base/errors.ts';
import { createSealedSecrets } from '../../src/watch/webhooks/secrets.ts';
import type { WebhookDelivery } from '../../src/watch/webhooks/webhooks.ts';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { until } from '../harness/until.ts';
import { answer, hang, ok, startReceiver } from './receiver.ts';
import { KEY, numbersOf, openScene, openWorld, type World } from './world.ts';

/** What a receiver that drops repetitions by their id has got: the numbers of the events of each entity, in order of arrival. */
function collect(received: readonly { readonly headers: object; readonly body: string }[]): Map<string, number[]> {
  const seen = new Map<string, string>();
  for (const { headers, body } of received) {
    const id = String(Reflect.get(headers, 'webhook-id'));
    if (!seen.has(id)) seen.set(id, body);
  }
  const events = [...seen.values()].map((body) => JSON.parse(body).data);
  const groups = Map.groupBy(events, ({ entityId }) => entityId);
  return new Map([...groups].map(([entityId, list]) => [entityId, list.map(({ number }) => number)]));
}

/** The endpoint is disabled, or had five tests. */
function isRefusal(error: unknown): boolean {
  return ['webhook_endpoint_disabled', 'account_rate_limit_exceeded'].includes(Reflect.get(Object(error), 'code'));
}

const countUsed = async (world: World, account: Parameters<World['meter']['readUsage']>[0]) =>
  (await world.meter.readUsage(account)).used;

describeOn(usualEngines, 'webhooks that nothing can stop', (engine) => {
  test('200 deliveries at once take exactly what is left of the quota, and the others wait for the next period', async (t) => {
    await using world = await openWorld(engine);
    const receivers = await Promise.all(Array.from({ length: 50 }, () => startReceiver()));
    t.after(() => Promise.all(receivers.map((receiver) => receiver[Symbol.asyncDispose]())));
    const account = await world.createAccount();
    const rich = { ...account, plan: { ...account.plan, maxApiKeys: 50 } };
    // Other tests on this machine may still send to a receiver that had one of these ports.
    const path = `/${account.accountId}`;
    for (const { url } of receivers) await world.webhooks.create(rich, { url: url + path });
    const caller = { ...account, keyId: 'key' };
    await world.meter.takeUnits(caller, 880);
    world.addEvents(account, ['a', 'b', 'c', 'd']);
    const countReceived = () =>
      receivers.flatMap(({ received }) => received.filter((each) => each.path === path)).length;
    await world.webhooks.step();
    assert.equal(countReceived(), 120);
    assert.equal(await countUsed(world, account), 1_000);
    const shown: WebhookDelivery[] = [];
    for (const { id } of await world.webhooks.list(account.accountId)) {
      shown.push(...(await world.webhooks.listDeliveries(account.accountId, id, { limit: 10 })));
    }
    const isPaid = ({ state, payload }: WebhookDelivery) => state === 'delivered' && payload !== null;
    const isHidden = ({ state, payload }: WebhookDelivery) => state === 'waiting' && payload === null;
    assert.deepEqual(
      [shown.filter(isPaid).length, shown.filter(isHidden).length],
      [120, 80],
      'nothing is readable unpaid',
    );
    world.clock.advance(60_000);
    await world.webhooks.step();
    assert.equal(countReceived(), 120);
    assert.equal((await world.webhooks.findFigures()).waiting, 80);
    world.clock.set('2026-04-01T00:00:00Z');
    await world.webhooks.step();
    assert.equal(countReceived(), 200);
    assert.equal(await countUsed(world, account), 80);
  });

  test('receivers that hang do not delay others', async () => {
    await using world = await openWorld(engine);
    const account = await world.createAccount();
    const rich = { ...account, plan: { ...account.plan, maxApiKeys: 40 } };
    const hanging = await Promise.all(Array.from({ length: 4 }, () => startReceiver(hang)));
    const good = await Promise.all(Array.from({ length: 36 }, () => startReceiver()));
    for (const { url } of [...hanging, ...good]) await world.webhooks.create(rich, { url });
    world.addEvents(
      account,
      Array.from({ length: 12 }, (_, index) => `entity ${index}`),
    );
    const server = world.open();
    server.start();
    await until('all others have got everything', () => good.every(({ received }) => received.length === 12));
    // They still wait for the answers to the first ones.
    assert.ok(hanging.every(({ received }) => received.length <= 8));
    await server.stop();
    for (const receiver of [...hanging, ...good]) await receiver[Symbol.asyncDispose]();
  });

  test('endpoints are enabled, disabled, tested, deleted and sent to at the same time, and no transaction fails', async () => {
    await using world = await openWorld(engine);
    await using receiver = await startReceiver((received, response, count) =>
      (count % 11 === 0 ? answer(410) : count % 3 === 0 ? answer(500) : ok)(received, response, count),
    );
    const account = await world.createAccount();
    const { accountId } = account;
    const rich = { ...account, plan: { ...account.plan, maxApiKeys: 100 } };
    await world.db.run("UPDATE accounts SET plan = 'business'");
    const failures: unknown[] = [];
    const db: Db = {
      ...world.db,
      transaction: (...given) =>
        world.db.transaction(...given).catch((error) => {
          if (!isRefusal(error)) failures.push(error);
          throw error;
        }),
    };
    const server = world.open({ db });
    const open = async () => (await server.create(rich, { url: receiver.url })).id;
    let ids = await Promise.all(Array.from({ length: 6 }, open));
    server.start();
    for (let round = 0; round < runs(15, 40); round++) {
      const entities = Array.from({ length: 12 }, (_, index) => `entity ${index}`);
      const before = receiver.received.length;
      world.addEvents(account, entities);
      world.clock.advance(60_000);
      await until('something is sent', () => receiver.received.length > before);
      const [oldest, ...kept] = ids;
      const work = kept.flatMap((id) => [
        server.update(accountId, id, { enabled: false }),
        server.update(accountId, id, { enabled: true }),
        server.sendTest(accountId, id).catch((error) => assert.ok(isRefusal(error), error)),
      ]);
      const [added] = await Promise.all([open(), server.remove(accountId, oldest as string), ...work]);
      ids = [...kept, added];
    }
    await server.stop();
    assert.deepEqual(failures, []);
  });

  test('of two servers one sends, and the other takes over', async () => {
    await using scene = await openScene(engine);
    const { world, receiver, account } = scene;
    const [first, second] = [world.open(), world.open()];
    first.start();
    await until('the first one has the lease', () =>
      world.db.one("SELECT 1 AS found FROM leases WHERE name = 'webhooks'"),
    );
    second.start();
    world.addEvents(account, ['a', 'b', 'a']);
    const isEmpty = async () => (await world.webhooks.findFigures()).waiting === 0;
    // Otherwise the second one sends again what has arrived, but is not recorded yet.
    await until('all have arrived', async () => receiver.received.length === 3 && (await isEmpty()));
    await first.stop();
    world.addEvents(account, ['a', 'b']);
    await until('the others have arrived', () => receiver.received.length === 5);
    assert.deepEqual(numbersOf(receiver.received).toSorted(), [1, 2, 3, 4, 5]);
  });

  test('what is being sent is not sent again while later ones are charged, sent and recorded', async () => {
    await using world = await openWorld(engine);
    const answered = Promise.withResolvers<void>();
    await using receiver = await startReceiver(async (received, response, count) => {
      if (JSON.parse(received.body).data.entityId === 'slow') await answered.promise;
      ok(received, response, count);
    });
    const account = await world.createAccount();
    await world.webhooks.create(account, { url: receiver.url });
    const server = world.open();
    server.start();
    for (let round = 1; round <= 5; round++) {
      world.addEvents(account, ['slow', 'fast']);
      await until('the fast one is recorded', () => world.outcomes.length === round);
    }
    answered.resolve();
    await until('all are recorded', () => world.outcomes.length === 10);
    await server.stop();
    assert.deepEqual(
      collect(receiver.received),
      new Map([
        ['slow', [1, 3, 5, 7, 9]],
        ['fast', [2, 4, 6, 8, 10]],
      ]),
    );
    assert.equal(receiver.received.length, 10);
    assert.equal(await countUsed(world, account), 10);
  });

  test('transactions that fail for a while are repeated: nothing is lost, and nothing is charged twice', async () => {
    await using scene = await openScene(engine);
    const { world, receiver, account } = scene;
    let failures = 0;
    let isDown = false;
    const transaction: Db['transaction'] = (...given) => {
      if (!isDown) return world.db.transaction(...given);
      failures++;
      return Promise.reject(fail('service_unavailable'));
    };
    const server = world.open({ db: { ...world.db, transaction } });
    server.start();
    for (let round = 1; round <= 3; round++) {
      // The answers come during the outage, so that they cannot be recorded.
      const held: (() => void)[] = [];
      receiver.behave = (_received, response) => void held.push(() => response.end());
      world.addEvents(account, ['a', 'b', 'a']);
      await until('two are sent', () => held.length === 2);
      isDown = true;
      receiver.behave = ok;
      const before = failures;
      for (const reply of held) reply();
      world.addEvents(account, ['b']);
      await until('it has failed twice', () => failures >= before + 2);
      isDown = false;
      await until('all are recorded', () => world.outcomes.length === 4 * round);
    }
    await server.stop();
    assert.deepEqual(
      collect(receiver.received),
      new Map([
        ['a', [1, 3, 5, 7, 9, 11]],
        ['b', [2, 4, 6, 8, 10, 12]],
      ]),
    );
    assert.deepEqual([receiver.received.length, await countUsed(world, account)], [12, 12]);
  });

  test('two servers that send the same delivery charge it once, whichever answer is recorded first', async () => {
    await using world = await openWorld(engine);
    const held: ((status: number) => void)[] = [];
    await using receiver = await startReceiver((_received, response) => {
      held.push((status) => void response.writeHead(status).end());
    });
    const account = await world.createAccount();
    await world.webhooks.create(account, { url: receiver.url });
    for (const [order, charged] of [
      [[0, 1], 1],
      [[1, 0], 2],
    ] as const) {
      world.addEvents(account, ['a']);
      held.length = 0;
      const steps: Promise<void>[] = [];
      for (const server of [world.webhooks, world.open()]) {
        steps.push(server.step());
        await until('it was sent', () => held.length === steps.length);
      }
      for (const at of order) {
        held[at]?.(at === 0 ? 500 : 200);
        await steps[at];
      }
      assert.equal(await countUsed(world, account), charged);
      assert.equal((await world.webhooks.findFigures()).waiting, 0);
    }
  });

  test('a server that was killed is replaced when its lease expires, and what it had charged is not charged again', async () => {
    await using scene = await openScene(engine, hang);
    const { world, receiver, account } = scene;
    world.addEvents(account, ['a', 'b']);
    // A killed server does not renew its lease and records nothing.
    const lease = createLease({ db: world.db, name: 'webhooks', renewMs: 2 ** 31 - 1 });
    const killed = world.open({ lease });
    killed.start();
    await until('it sends', () => receiver.received.length === 2);
    assert.equal(await countUsed(world, account), 2);
    receiver.behave = ok;
    await world.db.run("UPDATE leases SET expires_at = 0 WHERE name = 'webhooks'");
    const next = world.open();
    next.start();
    await until('the next one has sent them', async () => (await world.webhooks.findFigures()).waiting === 0);
    assert.equal(receiver.received.length, 4);
    assert.equal(await countUsed(world, account), 2);
  });

  test('the number of waiting deliveries is bounded, and nothing is lost', async () => {
    await using world = await openWorld(engine);
    await using receiver = await startReceiver(answer(500));
    const account = await world.createAccount();
    await world.db.run("UPDATE accounts SET plan = 'business'");
    const { id } = await world.webhooks.create(account, { url: receiver.url });
    world.addEvents(
      account,
      Array.from({ length: 700 }, (_, index) => `entity ${index % 10}`),
    );
    await world.webhooks.step();
    assert.ok((await world.webhooks.findFigures()).waiting <= 600);
    receiver.received.length = 0;
    receiver.behave = ok;
    await world.webhooks.update(account.accountId, id, { enabled: false });
    await world.webhooks.update(account.accountId, id, { enabled: true });
    await world.webhooks.step();
    const numbers = [...collect(receiver.received).values()];
    assert.equal(numbers.flat().length, 700);
    for (const list of numbers)
      assert.deepEqual(
        list,
        list.toSorted((a, b) => a - b),
      );
  });
});

test('without the key that sealed a secret nothing is sent and nothing is lost; another key is used for new secrets', async () => {
  await using scene = await openScene('sqlite');
  const { world, receiver, account } = scene;
  const other = Buffer.alloc(32, 9).toString('base64');
  world.addEvents(account, ['a']);
  await world.open({ keys: [other] }).step();
  assert.deepEqual(receiver.received, []);
  assert.match(world.warnings.join(), /WEBHOOK_KEY/);
  assert.equal(await countUsed(world, account), 0);
  await world.open({ keys: [other, KEY] }).step();
  assert.deepEqual([receiver.received.length, await countUsed(world, account)], [1, 1]);
  const off = world.open({ keys: [] });
  assert.equal(off.isOn, false);
  await off.step();
  await assert.rejects(off.create(account, { url: receiver.url }), { code: 'webhooks_unavailable' });
});

test('a sealed secret is bound to its endpoint and cannot be changed', () => {
  const secrets = createSealedSecrets([KEY]);
  const sealed = secrets.seal('whsec_secret', 'endpoint 1');
  assert.equal(secrets.unseal(sealed, 'endpoint 1'), 'whsec_secret');
  assert.ok(!Buffer.from(sealed, 'base64').includes('secret'));
  assert.notEqual(secrets.seal('whsec_secret', 'endpoint 1'), sealed);
  assert.throws(() => secrets.unseal(sealed, 'endpoint 2'));
  const bytes = Buffer.from(sealed, 'base64');
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    assert.throws(() => secrets.unseal(changed.toString('base64'), 'endpoint 1'));
  }
});
