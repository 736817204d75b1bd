import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type Stripe from 'stripe';
import { findPlan } from '../../src/core/plans.ts';
import { testClock } from '../harness/clock.ts';
import {
  buyPlan,
  operatePortal,
  payCheckout,
  readForms,
  see,
  startPaymentWorld,
  type TestPaymentSandbox,
} from './payments.ts';

async function start(clock = testClock()) {
  return { ...(await startPaymentWorld({ clock })), clock };
}

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
    await using world = await start(testClock('2026-01-31T10:20:30.500Z'));
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

  test('charges once, however often the button is pressed', async () => {
    await using world = await start();
    const { sandbox, receiver, stripe } = world;
    const { customer, url } = await openCheckout(sandbox);
    const fields = { email: 'anna@example.com', card: '4242424242424242' };
    const presses = await Promise.all([see(url, fields), see(url, fields), see(url, fields)]);
    for (const press of presses) assert.equal(press.location, 'http://shop.test/done');
    await sandbox.settled();
    const again = await see(url);
    assert.equal(again.status, 410);
    assert.match(again.text, /Already paid/);
    assert.match(again.text, /href="http:\/\/shop\.test\/done"/);
    assert.equal((await see(url, { ...fields, card: '4000000000000002' })).status, 303, 'the card is ignored');
    const { data } = await stripe.subscriptions.list({ customer: customer.id, status: 'all' });
    assert.equal(data.length, 1);
    assert.equal(Object.keys(sandbox.readState().invoices).length, 1);
    assert.equal(receiver.events.length, 3);
  });
});

describe('an unpaid checkout', () => {
  for (const [card, alert] of [
    ['4000 0000 0000 0002', 'Your card was declined.'],
    ['4111 1111 1111 1111', 'use a test card'],
    ['<script>', 'use a test card'],
  ] as const) {
    test(`shows the page again for the card ${card}, and sells nothing`, async () => {
      await using world = await start();
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

  test('expires after a day', async () => {
    await using world = await start();
    const { sandbox, receiver, clock } = world;
    const { session, url } = await openCheckout(sandbox);
    clock.advance(86_399_000);
    assert.equal((await see(url)).status, 200);
    clock.advance(1_000);
    for (let visit = 0; visit < 2; visit++) {
      const over = await see(url);
      assert.equal(over.status, 410);
      assert.match(over.text, /expired/);
      assert.match(over.text, /href="http:\/\/shop\.test\/plans"/);
      assert.equal((await see(url, { email: 'a@example.com', card: '4242424242424242' })).status, 410);
    }
    await sandbox.settled();
    assert.deepEqual(receiver.types(), ['checkout.session.expired']);
    assert.equal(receiver.events[0]?.created, session.expires_at);
  });
});

describe('the portal', () => {
  test('has buttons for exactly the actions that are possible now', async () => {
    await using world = await startPaymentWorld({ clock: testClock() });
    const { portal } = await buyPlan(world.sandbox);
    const actions = async () => readForms((await see(portal)).text).map(({ fields }) => fields.action);
    const active = await actions();
    for (const action of ['change-plan', 'cancel-at-period-end', 'cancel-now', 'pause', 'renew']) {
      assert.ok(active.includes(action), action);
    }
    assert.ok(!active.includes('keep') && !active.includes('resume') && !active.includes('pay-invoice'));
    await operatePortal(portal, 'pause');
    const paused = await actions();
    assert.ok(paused.includes('resume') && !paused.includes('pause') && !paused.includes('renew'));
    await operatePortal(portal, 'cancel-now');
    const canceled = await actions();
    for (const action of ['change-plan', 'cancel-now', 'pause', 'resume', 'renew'])
      assert.ok(!canceled.includes(action));
  });

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
