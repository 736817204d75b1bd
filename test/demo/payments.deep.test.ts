import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import Stripe from 'stripe';
import { registerPaymentSandbox } from '../../demo/payments/sandbox.ts';
import { createLog } from '../../src/observability/log.ts';
import { testClock } from '../harness/clock.ts';
import { createPlainApp } from '../harness/plain-app.ts';
import { until } from '../harness/until.ts';
import {
  buyPlan,
  connectStripe,
  operatePortal,
  type PaymentWorld,
  see,
  startPaymentSandbox,
  startPaymentWorld,
  startReceiver,
} from './payments.ts';

/** Sends a request that the SDK would not send. */
async function request(world: PaymentWorld, path: string, init: RequestInit & { key?: string } = {}) {
  const { apiUrl, secretKey } = world.sandbox.settings();
  const { key = `Bearer ${secretKey}`, ...rest } = init;
  const headers = { authorization: key, ...(init.headers as Record<string, string>) };
  const response = await fetch(apiUrl + path, { ...rest, headers });
  // biome-ignore lint/suspicious/noExplicitAny: a reply, checked below
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
}

test('every request needs the secret key', async () => {
  await using world = await startPaymentWorld();
  const { secretKey } = world.sandbox.settings();
  for (const key of ['', 'Bearer ', 'Bearer sk_test_wrong', 'Basic c2s6', `Bearer ${secretKey}x`]) {
    for (const path of ['/v1/subscriptions', '/v1/nothing']) {
      const { status, body } = await request(world, path, { key });
      assert.equal(status, 401, `${path} ${key}`);
      assert.equal(body.error.type, 'invalid_request_error');
      assert.ok(!JSON.stringify(body).includes(secretKey.slice(8)));
    }
  }
  const settings = { ...world.sandbox.settings(), secretKey: 'sk_test_x' };
  const stranger = connectStripe({ settings: () => settings });
  await assert.rejects(stranger.subscriptions.list(), Stripe.errors.StripeAuthenticationError);
});

describe('an idempotency key', () => {
  test('creates one object, however often the request is sent', async () => {
    await using world = await startPaymentWorld();
    const { stripe, sandbox } = world;
    const params = { email: 'a@example.com', metadata: { accountId: '1' } };
    const first = await stripe.customers.create(params, { idempotencyKey: 'k1' });
    const again = await stripe.customers.create(params, { idempotencyKey: 'k1' });
    assert.deepEqual(JSON.parse(JSON.stringify(again)), JSON.parse(JSON.stringify(first)));
    assert.equal(first.lastResponse.headers['idempotent-replayed'], undefined);
    assert.equal(again.lastResponse.headers['idempotent-replayed'], 'true');
    assert.equal(Object.keys(sandbox.readState().customers).length, 1);
    const together = await Promise.all(
      ['k2', 'k2', 'k2'].map((idempotencyKey) => stripe.customers.create(params, { idempotencyKey })),
    );
    assert.equal(new Set(together.map(({ id }) => id)).size, 1);
  });
});

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
});

test('the sandbox runs in the demo only, and writes no file elsewhere', () => {
  using folder = makeFolder();
  const app = createPlainApp();
  const options = { dataDir: folder.path, baseUrl: () => '', webhookUrl: () => '', log: createLog('silent').log };
  assert.throws(() => registerPaymentSandbox(app, { ...options, demo: false }), /no real money.*demo only/);
  assert.throws(() => statSync(join(folder.path, 'payments.json')), { code: 'ENOENT' });
});
