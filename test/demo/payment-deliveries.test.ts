import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { systemClock } from '../../src/core/clock.ts';
import { markDelivered } from '../../src/demo/payments/events.ts';
import { openLedger, TIME } from '../../src/demo/payments/ledger.ts';
import { registerPaymentSandbox } from '../../src/demo/payments/sandbox.ts';
import { testClock } from '../harness/clock.ts';
import {
  buyPlan,
  operatePortal,
  see,
  startPaymentSandbox,
  startPaymentWorld,
  startReceiver,
} from '../harness/payments.ts';

const BOUGHT = ['customer.subscription.created', 'checkout.session.completed', 'invoice.paid'];

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries++) {
    if (tries > 1_000) throw new Error('it never came true');
    await sleep(5);
  }
}

function makeFolder() {
  const path = mkdtempSync(join(tmpdir(), 'payments-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

describe('deliveries', () => {
  test('are tried again until they are accepted, signed anew with the real time', async () => {
    const clock = testClock();
    await using world = await startPaymentWorld({ clock, retryDelaysMs: Array.from({ length: 500 }, () => 5) });
    const { receiver, sandbox } = world;
    await sandbox.advance(400 * 86_400);
    receiver.accept = false;
    const buying = buyPlan(world);
    await until(() => receiver.attempts > 6);
    assert.equal(receiver.events.length, 0);
    // A signature of the first attempt would be too old now.
    clock.advance(3_600_000);
    receiver.accept = true;
    await buying;
    await sandbox.settled();
    assert.deepEqual(receiver.types().toSorted(), BOUGHT.toSorted());
    const signedAt = Math.floor(clock.now() / 1000);
    assert.match(receiver.headers[0]?.['stripe-signature'] ?? '', new RegExp(`^t=${signedAt},v1=[0-9a-f]{64}$`));
    assert.equal(receiver.events[0]?.created, Math.floor(Date.parse('2026-03-15T12:00:00Z') / 1000) + 400 * 86_400);
  });

  test('that were given up are kept, and made on request', async () => {
    await using world = await startPaymentWorld({ retryDelaysMs: [1, 1] });
    const { receiver, sandbox, stripe } = world;
    receiver.accept = false;
    await buyPlan(world);
    await sandbox.settled();
    assert.equal(receiver.attempts, 9, 'three events, three attempts');
    const [event] = (await stripe.events.list({ delivery_success: false })).data;
    assert.equal(event?.pending_webhooks, 1);
    receiver.accept = true;
    await sandbox.setDeliveries({ release: 'true' });
    await sandbox.settled();
    assert.deepEqual(receiver.types(), BOUGHT);
    assert.deepEqual((await stripe.events.list({ delivery_success: false })).data, []);
  });

  test('are held, and come twice and in reverse, when that is wanted', async () => {
    await using world = await startPaymentWorld({ clock: testClock() });
    const { receiver, sandbox } = world;
    await sandbox.setDeliveries({ hold: 'true', duplicate: 'true', reorder: 'true' });
    const { portal } = await buyPlan(world);
    await sandbox.settled();
    assert.deepEqual(receiver.events, []);
    assert.match((await see(portal)).text, /3 events are undelivered/);
    await sandbox.setDeliveries({ release: 'true' });
    await sandbox.settled();
    assert.deepEqual(receiver.types(), [...BOUGHT.toReversed(), ...BOUGHT.toReversed()]);
    assert.equal(new Set(receiver.events.map(({ id }) => id)).size, 3);

    receiver.events.splice(0);
    await operatePortal(portal, 'set-deliveries', { duplicate: 'false' });
    await operatePortal(portal, 'set-deliveries', { reorder: 'false' });
    await operatePortal(portal, 'pause');
    await sandbox.settled();
    assert.deepEqual(receiver.types(), ['customer.subscription.paused', 'customer.subscription.updated']);
    await operatePortal(portal, 'set-deliveries', { hold: 'true' });
    await operatePortal(portal, 'resume');
    await sandbox.settled();
    assert.equal(receiver.events.length, 2);
    await operatePortal(portal, 'release-deliveries');
    await sandbox.settled();
    assert.equal(receiver.events.length, 4);
    await assert.rejects(sandbox.setDeliveries({ hold: 'maybe' }), /Invalid hold/);
    await assert.rejects(sandbox.setDeliveries({ shuffle: 'true' }), /shuffle/);
  });

  test('follow no redirect: that is no acceptance', async () => {
    const elsewhere = Fastify();
    elsewhere.post('/', async (_request, reply) => reply.redirect('/other', 307));
    let followed = 0;
    elsewhere.post('/other', async () => ++followed);
    elsewhere.addContentTypeParser('*', (_request, _body, done) => done(null));
    const webhookUrl = await elsewhere.listen({ host: '127.0.0.1', port: 0 });
    await using sandbox = await startPaymentSandbox({ webhookUrl, retryDelaysMs: [1] });
    const customer = await sandbox.stripe.customers.create({ payment_method: 'pm_card_visa' });
    await sandbox.stripe.subscriptions.create({ customer: customer.id, items: [{ price: 'price_demo_pro' }] });
    await sandbox.settled();
    assert.equal(followed, 0);
    assert.equal((await sandbox.stripe.events.list({ delivery_success: false })).data.length, 2);
    await elsewhere.close();
  });
});

describe('what is on disk', () => {
  test('survives a restart: secrets, objects, settings, time, and what nobody has accepted yet', async () => {
    using folder = makeFolder();
    const clock = testClock();
    const first = await startPaymentWorld({ clock, dataDir: folder.path });
    await first.sandbox.advance(86_400);
    first.receiver.accept = false;
    await first.sandbox.setDeliveries({ reorder: 'true' });
    const buying = buyPlan({ ...first, sandbox: { ...first.sandbox, settled: async () => {} } });
    const { subscription, customer } = await buying;
    const settings = first.sandbox.settings();
    await first[Symbol.asyncDispose]();
    assert.equal(statSync(join(folder.path, 'payments.json')).mode & 0o777, 0o600);

    await using receiver = await startReceiver(() => settings.webhookSecret, clock);
    await using second = await startPaymentSandbox({ webhookUrl: receiver.url, clock, dataDir: folder.path });
    await second.settled();
    await until(() => receiver.events.length >= 3);
    assert.deepEqual(receiver.types(), BOUGHT.toReversed());
    const { secretKey, webhookSecret } = second.settings();
    assert.deepEqual([secretKey, webhookSecret], [settings.secretKey, settings.webhookSecret]);
    const read = await second.stripe.subscriptions.retrieve(subscription.id);
    assert.deepEqual(JSON.parse(JSON.stringify(read)), JSON.parse(JSON.stringify(subscription)));
    const { lastResponse } = await second.stripe.customers.retrieve(customer.id);
    assert.equal(lastResponse.headers.date, 'Mon, 16 Mar 2026 12:00:00 GMT');
  });

  test('is there before anybody hears of it', async () => {
    using folder = makeFolder();
    const stored: boolean[] = [];
    const listener = Fastify();
    listener.post<{ Body: { id: string } }>('/', async ({ body }) => {
      stored.push(readFileSync(join(folder.path, 'payments.json'), 'utf8').includes(body.id));
    });
    const webhookUrl = await listener.listen({ host: '127.0.0.1', port: 0 });
    await using sandbox = await startPaymentSandbox({ webhookUrl, dataDir: folder.path });
    const customer = await sandbox.stripe.customers.create({ payment_method: 'pm_card_visa' });
    await sandbox.stripe.subscriptions.create({ customer: customer.id, items: [{ price: 'price_demo_pro' }] });
    await sandbox.settled();
    assert.deepEqual(stored, [true, true]);
    await listener.close();
  });

  test('does not grow for ever, and loses nothing undelivered', () => {
    using folder = makeFolder();
    const ledger = openLedger(folder.path, systemClock);
    const { state } = ledger;
    ledger.change(TIME, () => {
      for (let count = 0; count < 5; count++) ledger.record('kept', { count });
    });
    const kept = state.events.map(({ id }) => id);
    ledger.change(TIME, () => {
      for (let count = 0; count < 2_000; count++) {
        ledger.record('passing', { count });
        const event = state.events.at(-1);
        if (event !== undefined) markDelivered(state, event);
      }
      ledger.record('last', {});
    });
    assert.equal(state.events.length, 1_000);
    assert.deepEqual(
      state.events.slice(0, 5).map(({ id }) => id),
      kept,
    );
    assert.equal(state.events.at(-1)?.type, 'last');
    ledger.close();
  });

  test('is made anew when it is damaged', async () => {
    using folder = makeFolder();
    writeFileSync(join(folder.path, 'payments.json'), '{"half');
    await using world = await startPaymentWorld({ dataDir: folder.path });
    assert.equal((await buyPlan(world)).subscription.status, 'active');
  });
});

test('it refuses to run anywhere but in the demo, and leaves nothing behind', () => {
  using folder = makeFolder();
  const app = Fastify();
  const options = { dataDir: folder.path, baseUrl: () => '', webhookUrl: () => '', log: app.log };
  assert.throws(() => registerPaymentSandbox(app, { ...options, demo: false }), /play money.*demo only/);
  assert.throws(() => statSync(join(folder.path, 'payments.json')), { code: 'ENOENT' });
});
