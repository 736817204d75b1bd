import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Stripe from 'stripe';
import { findPlan } from '../../src/core/plans.ts';
import { testClock } from '../harness/clock.ts';
import { buyPlan, connectStripe, type PaymentWorld, startPaymentWorld } from '../harness/payments.ts';

/** A request as no SDK would send it. */
async function ask(world: PaymentWorld, path: string, init: RequestInit & { key?: string } = {}) {
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

describe('who may ask', () => {
  test('only who knows the secret key', async () => {
    await using world = await startPaymentWorld();
    for (const key of [
      '',
      'Bearer ',
      'Bearer sk_test_wrong',
      'Basic c2s6',
      `Bearer ${world.sandbox.settings().secretKey}x`,
    ]) {
      for (const path of ['/v1/customers', '/v1/nothing', '/sandbox/deliveries', '/sandbox/time']) {
        const init = path.startsWith('/sandbox') ? { ...form(''), key } : { key };
        const { status, body } = await ask(world, path, init);
        assert.equal(status, 401, `${path} ${key}`);
        assert.equal(body.error.type, 'invalid_request_error');
        assert.ok(!JSON.stringify(body).includes(world.sandbox.settings().secretKey.slice(8)));
      }
    }
    const { apiUrl, ...settings } = world.sandbox.settings();
    const stranger = connectStripe({ settings: () => ({ ...settings, apiUrl, secretKey: 'sk_test_x' }) });
    await assert.rejects(stranger.customers.list(), Stripe.errors.StripeAuthenticationError);
  });
});

describe('how it answers', () => {
  test("with Stripe's headers, and the version that was asked for", async () => {
    await using world = await startPaymentWorld({ clock: testClock('2026-03-15T12:00:00.900Z') });
    const { headers } = await ask(world, '/v1/customers', { headers: { 'stripe-version': '2025-01-01.x' } });
    assert.match(headers.get('request-id') ?? '', /^req_\w{14}$/);
    assert.equal(headers.get('stripe-version'), '2025-01-01.x');
    assert.equal(headers.get('date'), 'Sun, 15 Mar 2026 12:00:00 GMT');
    assert.equal((await ask(world, '/v1/customers')).headers.get('stripe-version'), '2026-10-28.endive');
  });

  test("refusals have Stripe's shape, status and code", async () => {
    await using world = await startPaymentWorld();
    const cases: [string, RequestInit, number, Record<string, string>][] = [
      ['/v1/nothing', {}, 404, {}],
      ['/v1/customers/cus_x', {}, 404, { code: 'resource_missing', param: 'id' }],
      ['/v1/customers/__proto__', {}, 404, { code: 'resource_missing', param: 'id' }],
      ['/v1/subscriptions/sub_x', {}, 404, { code: 'resource_missing', param: 'id' }],
      ['/v1/subscriptions/sub_x', { method: 'DELETE' }, 404, { code: 'resource_missing', param: 'id' }],
      ['/v1/prices/price_x', {}, 404, { code: 'resource_missing', param: 'id' }],
      ['/v1/events/evt_x', {}, 404, { code: 'resource_missing', param: 'id' }],
      ['/v1/checkout/sessions/cs_x', {}, 404, { code: 'resource_missing', param: 'id' }],
      ['/v1/subscriptions?customer=cus_x', {}, 400, { code: 'resource_missing', param: 'customer' }],
      ['/v1/billing_portal/sessions', form('customer=cus_x'), 400, { code: 'resource_missing', param: 'customer' }],
      ['/v1/billing_portal/sessions', form(''), 400, { code: 'parameter_missing', param: 'customer' }],
      ['/v1/billing_portal/sessions', form('customer='), 400, { code: 'parameter_invalid_empty', param: 'customer' }],
      ['/v1/customers', form('emial=x'), 400, { code: 'parameter_unknown', param: 'emial' }],
      [
        '/v1/customers',
        form('invoice_settings[x]=y'),
        400,
        { code: 'parameter_unknown', param: 'invoice_settings[x]' },
      ],
      ['/v1/customers', form('email[a]=x'), 400, { param: 'email' }],
      ['/v1/customers', form('a[=x'), 400, { param: 'a[' }],
      ['/v1/customers', form('metadata=x'), 400, { param: 'metadata' }],
      ['/v1/customers', form(`metadata[a]=${'x'.repeat(501)}`), 400, { param: 'metadata' }],
      ['/v1/customers?limit=0', {}, 400, { code: 'parameter_invalid_integer', param: 'limit' }],
      ['/v1/customers?limit=101', {}, 400, { code: 'parameter_invalid_integer', param: 'limit' }],
      ['/v1/customers?limit=ten', {}, 400, { code: 'parameter_invalid_integer', param: 'limit' }],
      ['/v1/customers?starting_after=cus_x', {}, 400, { code: 'resource_missing', param: 'starting_after' }],
      ['/v1/subscriptions?status=none', {}, 400, { param: 'status' }],
      ['/v1/checkout/sessions', form('mode=payment'), 400, { param: 'mode' }],
      ['/v1/checkout/sessions', form('mode=subscription'), 400, { code: 'parameter_missing', param: 'line_items' }],
      [
        '/v1/checkout/sessions',
        form('mode=subscription&line_items[0][price]=price_x'),
        400,
        { code: 'resource_missing', param: 'line_items[0][price]' },
      ],
    ];
    for (const [path, init, status, error] of cases) {
      const answer = await ask(world, path, init);
      const what = `${path} ${String(init.body ?? '')}: ${JSON.stringify(answer.body)}`;
      assert.equal(answer.status, status, what);
      assert.equal(answer.body.error.type, 'invalid_request_error', what);
      assert.equal(typeof answer.body.error.message, 'string');
      for (const [name, value] of Object.entries(error)) assert.equal(answer.body.error[name], value, what);
    }
    const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    const { status, body } = await ask(world, '/v1/customers', json);
    assert.deepEqual([status, body.error.type], [415, 'invalid_request_error']);
  });

  test('whole objects in the place of ids, where that is wanted', async () => {
    await using world = await startPaymentWorld();
    const { subscription, customer } = await buyPlan(world);
    const { stripe } = world;
    const expand = ['customer', 'latest_invoice.customer', 'default_payment_method'];
    const whole = await stripe.subscriptions.retrieve(subscription.id, { expand });
    assert.equal((whole.customer as Stripe.Customer).email, 'anna@example.com');
    const invoice = whole.latest_invoice as Stripe.Invoice;
    assert.equal((invoice.customer as Stripe.Customer).id, customer.id);
    assert.equal((whole.default_payment_method as Stripe.PaymentMethod).card?.last4, '4242');
    const listed = await stripe.subscriptions.list({ expand: ['data.customer'] });
    assert.deepEqual(
      listed.data.map((each) => (each.customer as Stripe.Customer).email),
      ['anna@example.com'],
    );
    assert.equal((await stripe.subscriptions.retrieve(subscription.id)).customer, customer.id, 'nothing is kept of it');
    const wrong = stripe.subscriptions.retrieve(subscription.id, { expand: ['status.x'] });
    await assert.rejects(wrong, { statusCode: 400, param: 'expand' });
  });
});

describe('an idempotency key', () => {
  test('makes one thing, however often it is asked for', async () => {
    await using world = await startPaymentWorld();
    const { stripe } = world;
    const params = { email: 'a@example.com', metadata: { accountId: '1' } };
    const first = await stripe.customers.create(params, { idempotencyKey: 'k1' });
    await stripe.customers.update(first.id, { email: 'b@example.com' });
    const again = await stripe.customers.create(params, { idempotencyKey: 'k1' });
    assert.deepEqual(JSON.parse(JSON.stringify(again)), JSON.parse(JSON.stringify(first)), 'the answer of then');
    assert.equal(first.lastResponse.headers['idempotent-replayed'], undefined);
    assert.equal(again.lastResponse.headers['idempotent-replayed'], 'true');
    assert.equal(again.lastResponse.headers['original-request'], first.lastResponse.requestId);
    assert.equal((await stripe.customers.list()).data.length, 1);
    const together = await Promise.all(
      ['k2', 'k2', 'k2'].map((idempotencyKey) => stripe.customers.create(params, { idempotencyKey })),
    );
    assert.equal(new Set(together.map(({ id }) => id)).size, 1);
  });

  test('is not good for another request, and is forgotten after a day', async () => {
    const clock = testClock();
    await using world = await startPaymentWorld({ clock });
    const { stripe } = world;
    await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k' });
    const other = stripe.customers.create({ email: 'b@example.com' }, { idempotencyKey: 'k' });
    await assert.rejects(other, Stripe.errors.StripeIdempotencyError);
    await assert.rejects(stripe.customers.create({}, { idempotencyKey: 'x'.repeat(256) }), { statusCode: 400 });
    clock.advance(86_400_000);
    assert.equal(
      (await stripe.customers.create({ email: 'b@example.com' }, { idempotencyKey: 'k' })).email,
      'b@example.com',
    );
  });

  test('of a refused request may be used again', async () => {
    await using world = await startPaymentWorld();
    const { stripe } = world;
    const wrong = { payment_method: 'pm_x' };
    await assert.rejects(stripe.customers.create(wrong, { idempotencyKey: 'k' }), { code: 'resource_missing' });
    assert.ok((await stripe.customers.create({}, { idempotencyKey: 'k' })).id);
  });
});

describe('lists', () => {
  test('come in pages, the latest first, each object once', async () => {
    await using world = await startPaymentWorld();
    const { stripe } = world;
    const made: string[] = [];
    for (let count = 0; count < 7; count++) made.push((await stripe.customers.create({})).id);
    const seen: string[] = [];
    for await (const { id } of stripe.customers.list({ limit: 3 })) seen.push(id);
    assert.deepEqual(seen, made.toReversed());
    const page = await stripe.customers.list({ limit: 7 });
    assert.deepEqual([page.has_more, page.data.length, page.object], [false, 7, 'list']);
    assert.equal((await stripe.customers.list({ limit: 6 })).has_more, true);
    const before = await stripe.customers.list({ limit: 2, ending_before: made[0] ?? '' });
    assert.deepEqual([before.data.map(({ id }) => id), before.has_more], [[made[2], made[1]], true]);
  });

  test('of events can be asked for by type and time', async () => {
    const clock = testClock();
    await using world = await startPaymentWorld({ clock });
    const { stripe } = world;
    const { subscription } = await buyPlan(world);
    const begun = Math.floor(clock.now() / 1000);
    clock.advance(10_000);
    await stripe.subscriptions.cancel(subscription.id);
    await world.sandbox.settled();
    const typesOf = async (params: Stripe.EventListParams) =>
      (await stripe.events.list(params)).data.map(({ type }) => type);
    const all = [
      'customer.subscription.deleted',
      'invoice.paid',
      'checkout.session.completed',
      'customer.subscription.created',
    ];
    assert.deepEqual(await typesOf({}), all);
    assert.deepEqual(await typesOf({ type: 'invoice.paid' }), ['invoice.paid']);
    assert.deepEqual(await typesOf({ type: 'customer.subscription.*' }), [all[0], all[3]]);
    assert.deepEqual(await typesOf({ types: ['invoice.paid', 'checkout.session.completed'] }), [all[1], all[2]]);
    assert.deepEqual(await typesOf({ created: { gt: begun } }), [all[0]]);
    assert.deepEqual(await typesOf({ created: { lte: begun } }), all.slice(1));
    assert.deepEqual(await typesOf({ created: begun + 10 }), [all[0]]);
    const [latest] = (await stripe.events.list({ limit: 1 })).data;
    const { pending_webhooks, ...event } = await stripe.events.retrieve(latest?.id ?? '');
    assert.equal(pending_webhooks, 0, 'it was delivered');
    const { pending_webhooks: pending, ...delivered } = world.receiver.events.at(-1) ?? ({} as Stripe.Event);
    assert.equal(pending, 1);
    assert.deepEqual(JSON.parse(JSON.stringify(event)), delivered);
  });

  test('of prices hold the two paid plans at their price', async () => {
    await using world = await startPaymentWorld();
    const { data } = await world.stripe.prices.list();
    const found = data.map(({ id, unit_amount, currency, recurring }) => [
      id,
      unit_amount,
      currency,
      recurring?.interval,
    ]);
    assert.deepEqual(found, [
      ['price_demo_business', findPlan('business').monthlyPriceEur * 100, 'eur', 'month'],
      ['price_demo_pro', findPlan('pro').monthlyPriceEur * 100, 'eur', 'month'],
    ]);
    const price = await world.stripe.prices.retrieve(world.sandbox.settings().pricePro);
    assert.equal(price.unit_amount_decimal?.toString(), '2900');
  });
});

test('customers are kept and changed as they are told', async () => {
  await using world = await startPaymentWorld();
  const { stripe } = world;
  const text = 'Ünï & "cø" [x]=1 + 50% <b>';
  const { id } = await stripe.customers.create({ name: text, metadata: { 'a b': text, n: 5 } });
  const read = await stripe.customers.retrieve(id);
  assert.ok(!read.deleted);
  assert.deepEqual([read.name, read.metadata], [text, { 'a b': text, n: '5' }]);
  const changed = await stripe.customers.update(id, { email: 'x@example.com', metadata: { n: '', m: '1' } });
  assert.deepEqual([changed.email, changed.name, changed.metadata], ['x@example.com', text, { 'a b': text, m: '1' }]);
  assert.deepEqual((await stripe.customers.list({ email: 'x@example.com' })).data.length, 1);
  assert.deepEqual((await stripe.customers.list({ email: 'y@example.com' })).data, []);
});
