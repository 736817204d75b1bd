import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import Fastify from 'fastify';
import Stripe from 'stripe';
import { registerPaymentSandbox } from '../../demo/payments/sandbox.ts';
import { testClock } from '../harness/clock.ts';
import {
  buyPlan,
  connectStripe,
  operatePortal,
  type PaymentWorld,
  see,
  startPaymentSandbox,
  startPaymentWorld,
  startReceiver,
} from '../harness/payments.ts';
import { until } from '../harness/until.ts';

/** Sends a request that the SDK would not send. */
async function request(world: PaymentWorld, path: string, init: RequestInit & { key?: string } = {}) {
  const { apiUrl, secretKey } = world.sandbox.settings();
  const { key = `Bearer ${secretKey}`, ...rest } = init;
  const headers = { authorization: key, ...(init.headers as Record<string, string>) };
  const response = await fetch(apiUrl + path, { ...rest, headers });
  // biome-ignore lint/suspicious/noExplicitAny: a reply, checked below
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
}

const form = (body: string): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

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

test("errors have Stripe's shape, status and code", async () => {
  await using world = await startPaymentWorld();
  const { id: customer } = await world.stripe.customers.create({});
  const urls = 'success_url=http://shop.test/&cancel_url=http://shop.test/';
  const checkout = (more: string) => form(`customer=${customer}&client_reference_id=acc-1&${urls}&${more}`);
  const [portals, checkouts] = ['/v1/billing_portal/sessions', '/v1/checkout/sessions'];
  const cases: [string, RequestInit, number, Record<string, string>][] = [
    ['/v1/nothing', {}, 404, {}],
    ['/v1/customers', {}, 404, {}],
    ['/v1/subscriptions/sub_x', {}, 404, { code: 'resource_missing', param: 'id' }],
    ['/v1/subscriptions/__proto__', {}, 404, { code: 'resource_missing', param: 'id' }],
    ['/v1/subscriptions?customer=cus_x', {}, 400, { code: 'resource_missing', param: 'customer' }],
    ['/v1/subscriptions?limit=0', {}, 400, { code: 'parameter_invalid_integer', param: 'limit' }],
    ['/v1/subscriptions?limit=101', {}, 400, { code: 'parameter_invalid_integer', param: 'limit' }],
    ['/v1/subscriptions?limit=ten', {}, 400, { code: 'parameter_invalid_integer', param: 'limit' }],
    ['/v1/subscriptions?starting_after=sub_x', {}, 400, { code: 'resource_missing', param: 'starting_after' }],
    ['/v1/subscriptions?status=none', {}, 400, { param: 'status' }],
    [portals, form('customer=cus_x&return_url=http://a.test/'), 400, { code: 'resource_missing', param: 'customer' }],
    [portals, form(''), 400, { code: 'parameter_missing', param: 'customer' }],
    [portals, form('customer='), 400, { code: 'parameter_invalid_empty', param: 'customer' }],
    ['/v1/customers', form('emial=x'), 400, { code: 'parameter_unknown', param: 'emial' }],
    ['/v1/customers', form('metadata=x'), 400, { code: 'parameter_unknown', param: 'metadata' }],
    ['/v1/customers', form(`email=${'x'.repeat(5_001)}`), 400, { param: 'email' }],
    [checkouts, checkout('mode=payment'), 400, { param: 'mode' }],
    [checkouts, checkout(''), 400, { code: 'parameter_missing', param: 'line_items[0][price]' }],
    [
      checkouts,
      checkout('line_items[0][price]=price_x'),
      400,
      { code: 'resource_missing', param: 'line_items[0][price]' },
    ],
  ];
  for (const [path, init, status, error] of cases) {
    const answer = await request(world, path, init);
    const what = `${path} ${String(init.body ?? '')}: ${JSON.stringify(answer.body)}`;
    assert.equal(answer.status, status, what);
    assert.equal(answer.body.error.type, 'invalid_request_error', what);
    assert.equal(typeof answer.body.error.message, 'string');
    for (const [name, value] of Object.entries(error)) assert.equal(answer.body.error[name], value, what);
  }
  const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
  const { status, body } = await request(world, '/v1/customers', json);
  assert.deepEqual([status, body.error.type], [415, 'invalid_request_error']);
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

  test('is rejected for a different request, and expires after a day', async () => {
    const clock = testClock();
    await using world = await startPaymentWorld({ clock });
    const { stripe } = world;
    await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k' });
    const other = stripe.customers.create({ email: 'b@example.com' }, { idempotencyKey: 'k' });
    await assert.rejects(other, Stripe.errors.StripeIdempotencyError);
    await assert.rejects(stripe.customers.create({}, { idempotencyKey: 'x'.repeat(256) }), { statusCode: 400 });
    clock.advance(86_400_000);
    const { email } = await stripe.customers.create({ email: 'b@example.com' }, { idempotencyKey: 'k' });
    assert.equal(email, 'b@example.com');
  });
});

test('subscriptions are listed in pages, latest first, each one once', async () => {
  await using world = await startPaymentWorld();
  const { stripe } = world;
  const bought: string[] = [];
  for (let count = 0; count < 7; count++) bought.push((await buyPlan(world.sandbox)).subscription.id);
  const seen: string[] = [];
  for await (const { id } of stripe.subscriptions.list({ limit: 3 })) seen.push(id);
  assert.deepEqual(seen, bought.toReversed());
  const page = await stripe.subscriptions.list({ limit: 7 });
  assert.deepEqual([page.has_more, page.data.length, page.object], [false, 7, 'list']);
  assert.equal((await stripe.subscriptions.list({ limit: 6 })).has_more, true);
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
  const app = Fastify();
  const options = { dataDir: folder.path, baseUrl: () => '', webhookUrl: () => '', log: app.log };
  assert.throws(() => registerPaymentSandbox(app, { ...options, demo: false }), /no real money.*demo only/);
  assert.throws(() => statSync(join(folder.path, 'payments.json')), { code: 'ENOENT' });
});

const at = (time: string) => Date.parse(time) / 1000;

/** The events that arrived since the last call. */
async function takeEvents({ sandbox, receiver }: PaymentWorld): Promise<Stripe.Event[]> {
  await sandbox.settled();
  return receiver.events.splice(0);
}

const typesOf = (events: readonly Stripe.Event[]) => events.map(({ type }) => type);
const subscriptionOf = (event: Stripe.Event | undefined) => event?.data.object as unknown as Stripe.Subscription;
const invoiceOf = (event: Stripe.Event | undefined) => event?.data.object as unknown as Stripe.Invoice;

async function startSubscribed(time = '2026-01-31T12:00:00Z') {
  const clock = testClock(time);
  const world = await startPaymentWorld({ clock });
  const bought = await buyPlan(world.sandbox);
  world.receiver.events.splice(0);
  const read = () => world.stripe.subscriptions.retrieve(bought.subscription.id);
  return { ...world, ...bought, clock, read };
}

describe('a subscription', () => {
  test('sends one event when its plan changes, and none if nothing changed', async () => {
    await using world = await startSubscribed();
    const { portal, read } = world;
    const page = await operatePortal(portal, 'change-plan', { price: 'price_demo_business' });
    assert.match(page.text, /Plan changed\./);
    assert.equal((await read()).items.data[0]?.price.id, 'price_demo_business');
    const [event, ...others] = await takeEvents(world);
    assert.deepEqual([event?.type, others], ['customer.subscription.updated', []]);
    assert.equal(subscriptionOf(event).items.data[0]?.price.id, 'price_demo_business');

    const fields = { action: 'change-plan', subscription: world.subscription.id, price: 'price_demo_business' };
    assert.equal((await see(portal, fields)).status, 303, 'pressed again in another tab');
    assert.deepEqual(await takeEvents(world), []);
  });

  test('can be canceled at the end of its period, and that can be taken back', async () => {
    await using world = await startSubscribed();
    const { portal, read, clock } = world;
    const end = at('2026-02-28T12:00:00Z');
    clock.advance(5_000);
    await operatePortal(portal, 'cancel-at-period-end');
    const [planned] = await takeEvents(world);
    const sent = subscriptionOf(planned);
    assert.deepEqual(
      [planned?.type, sent.status, sent.cancel_at_period_end, sent.cancel_at, sent.canceled_at],
      ['customer.subscription.updated', 'active', true, end, at('2026-01-31T12:00:05Z')],
    );

    await operatePortal(portal, 'keep');
    const [undone] = await takeEvents(world);
    assert.deepEqual(
      [undone?.type, subscriptionOf(undone).cancel_at_period_end, subscriptionOf(undone).cancel_at],
      ['customer.subscription.updated', false, null],
    );

    await operatePortal(portal, 'cancel-at-period-end');
    await takeEvents(world);
    clock.set('2026-02-28T11:59:59Z');
    assert.equal((await read()).status, 'active');
    clock.set('2026-02-28T15:00:00Z');
    assert.equal((await read()).status, 'canceled');
    const [deleted, ...others] = await takeEvents(world);
    assert.deepEqual([deleted?.type, deleted?.created, others], ['customer.subscription.deleted', end, []]);
    assert.deepEqual([subscriptionOf(deleted).status, subscriptionOf(deleted).ended_at], ['canceled', end]);
  });

  test('can be canceled immediately, for good', async () => {
    await using world = await startSubscribed();
    const { stripe, portal, subscription, customer, clock, read } = world;
    await operatePortal(portal, 'cancel-now');
    const now = at('2026-01-31T12:00:00Z');
    const { status, ended_at, canceled_at } = await read();
    assert.deepEqual([status, ended_at, canceled_at], ['canceled', now, now]);
    assert.deepEqual(typesOf(await takeEvents(world)), ['customer.subscription.deleted']);
    for (const action of ['change-plan', 'cancel-at-period-end', 'keep', 'pause', 'resume', 'renew']) {
      const fields = { action, subscription: subscription.id, price: 'price_demo_business' };
      assert.equal((await see(portal, fields)).status, 400, action);
    }
    assert.deepEqual((await stripe.subscriptions.list({ customer: customer.id })).data, []);
    assert.equal((await stripe.subscriptions.list({ customer: customer.id, status: 'all' })).data.length, 1);
    clock.advance(100 * 86_400_000);
    assert.equal((await read()).status, 'canceled');
    assert.deepEqual(await takeEvents(world), [], 'it is not renewed');
  });

  test('sends two events with the same snapshot in the same second when it is paused or resumed', async () => {
    await using world = await startSubscribed();
    const { portal, read, clock, subscription } = world;
    await operatePortal(portal, 'pause');
    const paused = await takeEvents(world);
    assert.deepEqual(typesOf(paused), ['customer.subscription.paused', 'customer.subscription.updated']);
    assert.deepEqual(paused[0]?.data.object, paused[1]?.data.object);
    assert.equal(paused[0]?.created, paused[1]?.created);
    assert.equal(subscriptionOf(paused[0]).status, 'paused');
    assert.equal((await see(portal, { action: 'pause', subscription: subscription.id })).status, 400);

    clock.advance(60_000);
    await operatePortal(portal, 'resume');
    const resumed = await takeEvents(world);
    assert.deepEqual(typesOf(resumed), ['customer.subscription.resumed', 'customer.subscription.updated']);
    assert.deepEqual(resumed[0]?.data.object, resumed[1]?.data.object);
    assert.equal(subscriptionOf(resumed[0]).status, 'active');
    assert.equal((await read()).items.data[0]?.current_period_end, at('2026-02-28T12:00:00Z'), 'the period continues');
    assert.equal((await see(portal, { action: 'resume', subscription: subscription.id })).status, 400);
  });

  test('is renewed monthly, counted from its first day', async () => {
    await using world = await startSubscribed();
    const { portal, read, sandbox } = world;
    const ends = ['2026-03-31', '2026-04-30', '2026-05-31'];
    for (const [index, end] of ends.entries()) {
      const page = await operatePortal(portal, 'renew');
      assert.equal(page.status, 200);
      const [item] = (await read()).items.data;
      assert.equal(item?.current_period_end, at(`${end}T12:00:00Z`));
      const events = await takeEvents(world);
      assert.deepEqual(typesOf(events), ['customer.subscription.updated', 'invoice.paid']);
      assert.equal(events[0]?.created, item?.current_period_start, 'it happened when the period began');
      const invoices = Object.values(sandbox.readState().invoices);
      assert.equal(invoices.length, index + 2);
      assert.equal(invoices.at(-1)?.status, 'paid');
    }
    assert.equal((await read()).status, 'active');
  });

  test('is past due when a payment fails, and active again when the invoice is paid', async () => {
    await using world = await startSubscribed();
    const { portal, read, sandbox } = world;
    const openInvoices = () => Object.values(sandbox.readState().invoices).filter(({ status }) => status === 'open');
    await operatePortal(portal, 'fail-payment');
    const failed = await takeEvents(world);
    assert.deepEqual(typesOf(failed), ['customer.subscription.updated', 'invoice.payment_failed']);
    assert.equal(subscriptionOf(failed[0]).status, 'past_due');
    assert.equal(invoiceOf(failed[1]).status, 'open');
    assert.equal((await read()).status, 'past_due');
    assert.equal(openInvoices().length, 1);

    await operatePortal(portal, 'pay-invoice');
    assert.equal((await read()).status, 'active');
    const paid = await takeEvents(world);
    assert.deepEqual(typesOf(paid), ['invoice.paid', 'customer.subscription.updated']);
    assert.deepEqual(openInvoices(), []);
    await assert.rejects(operatePortal(portal, 'pay-invoice'), /no button pay-invoice/);
  });
});
