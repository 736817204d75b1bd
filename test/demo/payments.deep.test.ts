import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import Stripe from 'stripe';
import { registerPaymentSandbox } from '../../demo/payments/sandbox.ts';
import { createLog } from '../../src/base/observability/log.ts';
import { findPlan } from '../../src/base/plans.ts';
import { testClock } from '../harness/clock.ts';
import { createPlainApp } from '../harness/plain-app.ts';
import {
  buyPlan,
  connectStripe,
  type PaymentWorld,
  payCheckout,
  see,
  startPaymentWorld,
  type TestPaymentSandbox,
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

test('the sandbox runs in the demo only, and writes no file elsewhere', (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'payments-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const app = createPlainApp();
  const options = { dataDir, baseUrl: () => '', webhookUrl: () => '', log: createLog('silent').log };
  assert.throws(() => registerPaymentSandbox(app, { ...options, demo: false }), /no real money.*demo only/);
  assert.throws(() => statSync(join(dataDir, 'payments.json')), { code: 'ENOENT' });
});

type Changes = Pick<Stripe.Checkout.SessionCreateParams, 'success_url' | 'cancel_url'>;

async function openCheckout({ stripe, readState }: TestPaymentSandbox, changes: Changes = {}) {
  const customer = await stripe.customers.create({ email: 'anna@example.com', metadata: { accountId: 'acc-1' } });
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    client_reference_id: 'acc-1',
    line_items: [{ price: 'price_demo_pro', quantity: 1 }],
    subscription_data: { metadata: { accountId: 'acc-1' } },
    success_url: 'http://shop.test/done',
    cancel_url: 'http://shop.test/plans',
    ...changes,
  });
  const read = () => readState().checkouts[session.id]?.session;
  return { customer, session, url: session.url ?? '', read };
}

describe('a paid checkout', () => {
  test('creates an active subscription and a paid invoice, and sends signed events', async () => {
    await using world = await startPaymentWorld({ clock: testClock('2026-01-31T10:20:30.500Z') });
    const { sandbox, receiver, stripe } = world;
    const { customer, session, url, read } = await openCheckout(sandbox);
    assert.deepEqual([session.status, session.payment_status, session.subscription], ['open', 'unpaid', null]);
    const page = await see(url);
    assert.equal(page.status, 200);
    for (const text of [
      'Payment sandbox: no real money',
      'Pro',
      `€${findPlan('pro').monthlyPriceEur}.00`,
      'anna@example.com',
    ]) {
      assert.ok(page.text.includes(text), text);
    }
    assert.match(page.text, /<a href="http:\/\/shop\.test\/plans">Cancel<\/a>/);
    assert.match(page.text, /value="4242 4242 4242 4242"/);

    const paid = await payCheckout(url);
    assert.deepEqual([paid.status, paid.location], [303, 'http://shop.test/done']);
    await sandbox.settled();

    const bought = read();
    assert.deepEqual([bought?.status, bought?.payment_status], ['complete', 'paid']);
    const subscription = await stripe.subscriptions.retrieve(bought?.subscription ?? '');
    const [item] = subscription.items.data;
    assert.deepEqual(
      [subscription.status, subscription.customer, subscription.metadata, item?.price.id],
      ['active', customer.id, { accountId: 'acc-1' }, 'price_demo_pro'],
    );
    assert.deepEqual(
      [item?.current_period_start, item?.current_period_end],
      [Date.parse('2026-01-31T10:20:30Z') / 1000, Date.parse('2026-02-28T10:20:30Z') / 1000],
      'one month, which is shorter in February',
    );
    const invoice = sandbox.readState().invoices[String(subscription.latest_invoice)];
    assert.deepEqual([invoice?.status, invoice?.total], ['paid', 2900]);

    assert.deepEqual(receiver.types(), ['customer.subscription.created', 'checkout.session.completed', 'invoice.paid']);
    const [created, completed, invoicePaid] = receiver.events.map(({ data }) => data.object as unknown);
    assert.deepEqual(created, JSON.parse(JSON.stringify(subscription)));
    const sent = completed as Stripe.Checkout.Session;
    assert.deepEqual(
      [sent.id, sent.client_reference_id, sent.customer, sent.subscription],
      [session.id, 'acc-1', customer.id, subscription.id],
    );
    assert.equal((invoicePaid as Stripe.Invoice).parent?.subscription_details?.subscription, subscription.id);
    for (const event of receiver.events) {
      assert.deepEqual(
        [event.object, event.livemode, event.api_version, event.created],
        ['event', false, '2026-10-28.endive', Date.parse('2026-01-31T10:20:30Z') / 1000],
      );
    }
    assert.match(receiver.headers[0]?.['user-agent'] ?? '', /^Stripe\/1\.0/);
    assert.equal(receiver.headers[0]?.['content-type'], 'application/json; charset=utf-8');
  });
});

describe('an unpaid checkout', () => {
  for (const [card, alert] of [
    ['4000 0000 0000 0002', 'Your card was declined.'],
    ['4111 1111 1111 1111', 'use a test card'],
    ['<script>', 'use a test card'],
  ] as const) {
    test(`shows the page again for the card ${card}, and sells nothing`, async () => {
      await using world = await startPaymentWorld({ clock: testClock() });
      const { sandbox, stripe, receiver } = world;
      const { customer, url, read } = await openCheckout(sandbox);
      const refused = await payCheckout(url, card);
      assert.equal(refused.status, 402);
      assert.match(refused.text, /role="alert"/);
      const [, kept] = /<input id="card"[^>]*aria-invalid="true"[^>]*value="([^"]*)"/s.exec(refused.text) ?? [];
      assert.equal(kept, card.startsWith('4000') ? card : '', 'test cards are kept, other numbers may be real');
      assert.ok(refused.text.includes(alert));
      assert.ok(!refused.text.includes('<script>'));
      await sandbox.settled();
      assert.deepEqual((await stripe.subscriptions.list({ customer: customer.id, status: 'all' })).data, []);
      assert.deepEqual(sandbox.readState().invoices, {});
      assert.deepEqual(receiver.types(), []);
      assert.equal(read()?.status, 'open');
      assert.equal((await payCheckout(url)).status, 303, 'another card is accepted');
    });
  }
});

describe('the portal', () => {
  test('cannot reach other customers, and rejects unknown actions', async () => {
    await using world = await startPaymentWorld({ clock: testClock() });
    const anna = await buyPlan(world.sandbox);
    const other = await buyPlan(world.sandbox);
    const before = world.receiver.events.length;
    for (const action of ['pause', 'cancel-now', 'renew', 'change-plan', 'fail-payment', 'cancel-at-period-end']) {
      const fields = { action, subscription: other.subscription.id, price: 'price_demo_business', confirmed: 'true' };
      assert.equal((await see(anna.portal, fields)).status, 400, action);
    }
    for (const action of ['', 'toString', '__proto__', 'x'])
      assert.equal((await see(anna.portal, { action })).status, 400);
    const price = { action: 'change-plan', subscription: anna.subscription.id, price: 'price_x' };
    assert.equal((await see(anna.portal, price)).status, 400);
    await world.sandbox.settled();
    assert.equal(world.receiver.events.length, before);
    assert.equal((await world.stripe.subscriptions.retrieve(other.subscription.id)).status, 'active');
  });
});
