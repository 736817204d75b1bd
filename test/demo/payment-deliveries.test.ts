import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import Fastify from 'fastify';
import { registerPaymentSandbox } from '../../demo/payments/sandbox.ts';
import { testClock } from '../harness/clock.ts';
import {
  buyPlan,
  operatePortal,
  see,
  startPaymentSandbox,
  startPaymentWorld,
  startReceiver,
} from '../harness/payments.ts';
import { until } from '../harness/until.ts';

const BOUGHT = ['customer.subscription.created', 'checkout.session.completed', 'invoice.paid'];

function makeFolder() {
  const path = mkdtempSync(join(tmpdir(), 'payments-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

describe('deliveries', () => {
  test('are retried until they are accepted, each attempt signed with the real time', async () => {
    const clock = testClock();
    await using world = await startPaymentWorld({ clock, retryDelaysMs: Array.from({ length: 500 }, () => 5) });
    const { receiver, sandbox } = world;
    // Sandbox time runs ahead of real time, which signatures use.
    const { portal } = await buyPlan(world.sandbox);
    await operatePortal(portal, 'renew');
    await sandbox.settled();
    receiver.events.splice(0);
    receiver.headers.splice(0);
    receiver.attempts = 0;
    receiver.accept = false;
    const buying = buyPlan(world.sandbox);
    await until('more than six attempts', () => receiver.attempts > 6);
    assert.equal(receiver.events.length, 0);
    // A signature with the time of the first attempt would now be too old.
    clock.advance(3_600_000);
    receiver.accept = true;
    await buying;
    await sandbox.settled();
    assert.deepEqual(receiver.types().toSorted(), BOUGHT.toSorted());
    const signedAt = Math.floor(clock.now() / 1000);
    assert.match(receiver.headers[0]?.['stripe-signature'] ?? '', new RegExp(`^t=${signedAt},v1=[0-9a-f]{64}$`));
    assert.ok((receiver.events[0]?.created ?? 0) >= Date.parse('2026-04-15T12:00:00Z') / 1000);
  });

  test('are kept when they are given up, and sent on request', async () => {
    await using world = await startPaymentWorld({ retryDelaysMs: [1, 1] });
    const { receiver, sandbox } = world;
    receiver.accept = false;
    await buyPlan(world.sandbox);
    await sandbox.settled();
    assert.equal(receiver.attempts, 9, 'three events, three attempts');
    assert.equal(sandbox.readState().outbox.length, 3);
    receiver.accept = true;
    sandbox.setDeliveries({ release: true });
    await sandbox.settled();
    assert.deepEqual(receiver.types(), BOUGHT);
    await until('the outbox is empty', () => sandbox.readState().outbox.length === 0);
  });

  test('can be held, duplicated and reversed', async () => {
    await using world = await startPaymentWorld({ clock: testClock() });
    const { receiver, sandbox } = world;
    sandbox.setDeliveries({ hold: true, duplicate: true, reorder: true });
    const { portal } = await buyPlan(world.sandbox);
    await sandbox.settled();
    assert.deepEqual(receiver.events, []);
    assert.match((await see(portal)).text, /3 events are undelivered/);
    sandbox.setDeliveries({ release: true });
    await sandbox.settled();
    assert.deepEqual(receiver.types(), [...BOUGHT.toReversed(), ...BOUGHT.toReversed()]);
    assert.equal(new Set(receiver.events.map(({ id }) => id)).size, 3);

    receiver.events.splice(0);
    sandbox.setDeliveries({ duplicate: false, reorder: false });
    await operatePortal(portal, 'pause');
    await sandbox.settled();
    assert.deepEqual(receiver.types(), ['customer.subscription.paused', 'customer.subscription.updated']);
    sandbox.setDeliveries({ hold: true });
    await operatePortal(portal, 'resume');
    await sandbox.settled();
    assert.equal(receiver.events.length, 2);
    sandbox.setDeliveries({ release: true });
    await sandbox.settled();
    assert.equal(receiver.events.length, 4);
  });

  test('treat a redirect as a failure and do not follow it', async () => {
    const elsewhere = Fastify();
    elsewhere.post('/', async (_request, reply) => reply.redirect('/other', 307));
    let followed = 0;
    elsewhere.post('/other', async () => ++followed);
    elsewhere.addContentTypeParser('*', (_request, _body, done) => done(null));
    const webhookUrl = await elsewhere.listen({ host: '127.0.0.1', port: 0 });
    await using sandbox = await startPaymentSandbox({ webhookUrl, retryDelaysMs: [1] });
    await buyPlan(sandbox);
    await sandbox.settled();
    assert.equal(followed, 0);
    assert.equal(sandbox.readState().outbox.length, 3);
    await elsewhere.close();
  });
});

describe('the state on disk', () => {
  test('survives a restart: secrets, objects, settings, time and undelivered events', async () => {
    using folder = makeFolder();
    const clock = testClock();
    const first = await startPaymentWorld({ clock, dataDir: folder.path });
    const { portal } = await buyPlan(first.sandbox);
    await operatePortal(portal, 'renew');
    await first.sandbox.settled();
    first.receiver.accept = false;
    first.sandbox.setDeliveries({ reorder: true });
    const { subscription } = await buyPlan({ ...first.sandbox, settled: async () => {} });
    const settings = first.sandbox.settings();
    await first[Symbol.asyncDispose]();
    assert.equal(statSync(join(folder.path, 'payments.json')).mode & 0o777, 0o600);

    await using receiver = await startReceiver(() => settings.webhookSecret, clock);
    await using second = await startPaymentSandbox({ webhookUrl: receiver.url, clock, dataDir: folder.path });
    await second.settled();
    await until('three events', () => receiver.events.length >= 3);
    assert.deepEqual(receiver.types(), BOUGHT.toReversed());
    const { secretKey, webhookSecret } = second.settings();
    assert.deepEqual([secretKey, webhookSecret], [settings.secretKey, settings.webhookSecret]);
    const read = await second.stripe.subscriptions.retrieve(subscription.id);
    assert.deepEqual(JSON.parse(JSON.stringify(read)), JSON.parse(JSON.stringify(subscription)));
    assert.equal(read.lastResponse.headers.date, 'Wed, 15 Apr 2026 12:00:00 GMT');
  });

  test('is written before an event is sent', async () => {
    using folder = makeFolder();
    const stored: boolean[] = [];
    const listener = Fastify();
    listener.post<{ Body: { id: string } }>('/', async ({ body }) => {
      stored.push(readFileSync(join(folder.path, 'payments.json'), 'utf8').includes(body.id));
    });
    const webhookUrl = await listener.listen({ host: '127.0.0.1', port: 0 });
    await using sandbox = await startPaymentSandbox({ webhookUrl, dataDir: folder.path });
    await buyPlan(sandbox);
    await sandbox.settled();
    assert.deepEqual(stored, [true, true, true]);
    await listener.close();
  });

  test('is created again if the file is damaged', async () => {
    using folder = makeFolder();
    writeFileSync(join(folder.path, 'payments.json'), '{"half');
    await using world = await startPaymentWorld({ dataDir: folder.path });
    assert.equal((await buyPlan(world.sandbox)).subscription.status, 'active');
  });
});

test('the sandbox runs in the demo only, and writes no file elsewhere', () => {
  using folder = makeFolder();
  const app = Fastify();
  const options = { dataDir: folder.path, baseUrl: () => '', webhookUrl: () => '', log: app.log };
  assert.throws(() => registerPaymentSandbox(app, { ...options, demo: false }), /no real money.*demo only/);
  assert.throws(() => statSync(join(folder.path, 'payments.json')), { code: 'ENOENT' });
});
