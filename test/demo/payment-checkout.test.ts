import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type Stripe from 'stripe';
import { findPlan } from '../../src/core/plans.ts';
import { testClock } from '../harness/clock.ts';
import { payCheckout, see, startPaymentWorld, type TestPaymentSandbox } from '../harness/payments.ts';

async function start(clock = testClock()) {
  return { ...(await startPaymentWorld({ clock })), clock };
}

async function openCheckout({ stripe }: TestPaymentSandbox, changes: Stripe.Checkout.SessionCreateParams = {}) {
  const customer = await stripe.customers.create({ email: 'anna@example.com', metadata: { accountId: 'acc-1' } });
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    client_reference_id: 'acc-1',
    line_items: [{ price: 'price_demo_pro', quantity: 1 }],
    metadata: { cart: '7' },
    subscription_data: { metadata: { accountId: 'acc-1' } },
    success_url: 'http://shop.test/done?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://shop.test/plans',
    ...changes,
  });
  return { customer, session, url: session.url ?? '' };
}

describe('a checkout that is paid', () => {
  test('makes an active subscription for a month, a paid invoice, and tells so in signed events', async () => {
    await using world = await start(testClock('2026-01-31T10:20:30.500Z'));
    const { sandbox, receiver, stripe } = world;
    const { customer, session, url } = await openCheckout(sandbox);
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
    assert.deepEqual([paid.status, paid.location], [303, `http://shop.test/done?session=${session.id}`]);
    await sandbox.settled();

    const bought = await stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription', 'invoice'] });
    assert.deepEqual([bought.status, bought.payment_status, bought.url], ['complete', 'paid', null]);
    const subscription = bought.subscription as Stripe.Subscription;
    const [item] = subscription.items.data;
    assert.deepEqual(
      [subscription.status, subscription.customer, subscription.metadata, item?.price.id],
      ['active', customer.id, { accountId: 'acc-1' }, 'price_demo_pro'],
    );
    assert.deepEqual(
      [item?.current_period_start, item?.current_period_end],
      [Date.parse('2026-01-31T10:20:30Z') / 1000, Date.parse('2026-02-28T10:20:30Z') / 1000],
      'a month, which is shorter in February',
    );
    const invoice = bought.invoice as Stripe.Invoice;
    assert.deepEqual([invoice.status, invoice.total, invoice.amount_remaining], ['paid', 2900, 0]);
    assert.deepEqual(subscription.latest_invoice, invoice.id);

    assert.deepEqual(receiver.types(), ['customer.subscription.created', 'checkout.session.completed', 'invoice.paid']);
    const [created, completed, invoicePaid] = receiver.events.map(({ data }) => data.object as unknown);
    assert.deepEqual(created, JSON.parse(JSON.stringify(await stripe.subscriptions.retrieve(subscription.id))));
    const told = completed as Stripe.Checkout.Session;
    assert.deepEqual(
      [told.id, told.client_reference_id, told.customer, told.subscription, told.metadata],
      [session.id, 'acc-1', customer.id, subscription.id, { cart: '7' }],
    );
    assert.equal((invoicePaid as Stripe.Invoice).parent?.subscription_details?.subscription, subscription.id);
    for (const event of receiver.events) {
      assert.deepEqual(
        [event.object, event.livemode, event.api_version, event.created, event.pending_webhooks],
        ['event', false, '2026-10-28.endive', Date.parse('2026-01-31T10:20:30Z') / 1000, 1],
      );
      assert.match(event.request?.id ?? '', /^req_/);
    }
    assert.match(receiver.headers[0]?.['user-agent'] ?? '', /^Stripe\/1\.0/);
    assert.equal(receiver.headers[0]?.['content-type'], 'application/json; charset=utf-8');
  });

  test('is paid once, whatever button is pressed how often', async () => {
    await using world = await start();
    const { sandbox, receiver, stripe } = world;
    const { customer, session, url } = await openCheckout(sandbox);
    const fields = { email: 'anna@example.com', card: '4242424242424242' };
    const presses = await Promise.all([see(url, fields), see(url, fields), see(url, fields)]);
    for (const press of presses) assert.equal(press.location, `http://shop.test/done?session=${session.id}`);
    await sandbox.settled();
    const again = await see(url);
    assert.equal(again.status, 410);
    assert.match(again.text, /Already paid/);
    assert.match(again.text, new RegExp(`href="http://shop.test/done\\?session=${session.id}"`));
    assert.equal(
      (await see(url, { ...fields, card: '4000000000000002' })).status,
      303,
      'a later card is not looked at',
    );
    const { data } = await stripe.subscriptions.list({ customer: customer.id, status: 'all' });
    assert.equal(data.length, 1);
    assert.equal((await stripe.invoices.list({ customer: customer.id })).data.length, 1);
    assert.equal(receiver.events.length, 3);
  });

  test('makes the customer too, where there is none', async () => {
    await using world = await start();
    const { sandbox, stripe, receiver } = world;
    const session = await stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price: 'price_demo_business' }],
      success_url: 'http://shop.test/',
    });
    assert.equal(session.customer, null);
    await see(session.url ?? '', { email: 'new@example.com', card: '4242 4242 4242 4242' });
    await sandbox.settled();
    const { customer } = await stripe.checkout.sessions.retrieve(session.id, { expand: ['customer'] });
    assert.equal((customer as Stripe.Customer).email, 'new@example.com');
    const completed = receiver.events[1]?.data.object as Stripe.Checkout.Session;
    assert.equal(completed.customer, (customer as Stripe.Customer).id);
  });
});

describe('a checkout that is not paid', () => {
  for (const [card, alert] of [
    ['4000 0000 0000 0002', 'Your card was declined.'],
    ['4111 1111 1111 1111', 'use a test card'],
    ['<script>', 'use a test card'],
  ] as const) {
    test(`the card ${card} gets the page again, and nothing is bought`, async () => {
      await using world = await start();
      const { sandbox, stripe, receiver } = world;
      const { customer, session, url } = await openCheckout(sandbox);
      const refused = await payCheckout(url, card);
      assert.equal(refused.status, 402);
      assert.match(refused.text, /role="alert"/);
      assert.ok(refused.text.includes(alert));
      assert.ok(!refused.text.includes('<script>'));
      await sandbox.settled();
      assert.deepEqual((await stripe.subscriptions.list({ customer: customer.id, status: 'all' })).data, []);
      assert.deepEqual((await stripe.invoices.list({ customer: customer.id })).data, []);
      assert.deepEqual(receiver.types(), []);
      assert.equal((await stripe.checkout.sessions.retrieve(session.id)).status, 'open');
      assert.equal((await payCheckout(url)).status, 303, 'another card is as good as ever');
    });
  }

  test('expires after a day, by itself or on request, and says so', async () => {
    await using world = await start();
    const { sandbox, stripe, receiver, clock } = world;
    const first = await openCheckout(sandbox);
    const second = await openCheckout(sandbox);
    assert.equal((await stripe.checkout.sessions.expire(second.session.id)).status, 'expired');
    await assert.rejects(stripe.checkout.sessions.expire(second.session.id), { statusCode: 400 });
    clock.advance(86_399_000);
    assert.equal((await see(first.url)).status, 200);
    clock.advance(1_000);
    for (const { url } of [first, second]) {
      const over = await see(url);
      assert.equal(over.status, 410);
      assert.match(over.text, /expired/);
      assert.match(over.text, /href="http:\/\/shop\.test\/plans"/);
      assert.equal((await see(url, { email: 'a@example.com', card: '4242424242424242' })).status, 410);
    }
    await sandbox.settled();
    assert.deepEqual(receiver.types(), ['checkout.session.expired', 'checkout.session.expired']);
    assert.equal(receiver.events[1]?.created, first.session.expires_at);
  });

  test('an address that leads nowhere is a 404 with a way back', async () => {
    await using world = await start();
    for (const id of ['cs_test_unknown', '__proto__', 'constructor', '%00']) {
      const url = `${world.sandbox.url}/demo/payments/checkout/${id}`;
      for (const page of [await see(url), await see(url, { card: '4242424242424242' })]) {
        assert.equal(page.status, 404, id);
        assert.match(page.text, /<a href="\/">/);
      }
    }
  });
});

test('a browser is sent to web addresses only', async () => {
  await using world = await start();
  const { sandbox } = world;
  for (const wrong of ['javascript:alert(1)', 'data:text/html,x', '/relative', 'ftp://shop.test/']) {
    const error = { statusCode: 400, code: 'url_invalid' };
    await assert.rejects(openCheckout(sandbox, { success_url: wrong }), { ...error, param: 'success_url' });
    await assert.rejects(openCheckout(sandbox, { cancel_url: wrong }), { ...error, param: 'cancel_url' });
  }
});

test('the page may send its form on to the shop, and runs nothing', async () => {
  await using world = await start();
  const { url } = await openCheckout(world.sandbox);
  const { headers } = await fetch(url);
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /form-action 'self' http:\/\/shop\.test;/);
  assert.match(policy, /default-src 'none'/);
});

test('what customers and shops write is text on the page', async () => {
  await using world = await start();
  const { session, url } = await openCheckout(world.sandbox, { cancel_url: 'http://shop.test/"><b>x' });
  const refused = await see(url, { email: '"><img src=x>', card: '4242' });
  assert.equal(refused.status, 400);
  assert.ok(!refused.text.includes('<img src=x'));
  assert.ok(!refused.text.includes('<b>x'));
  assert.equal((await world.stripe.checkout.sessions.retrieve(session.id)).status, 'open');
});
