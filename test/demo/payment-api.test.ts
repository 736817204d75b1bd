import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import Stripe from 'stripe';
import { registerPaymentSandbox } from '../../demo/payments/sandbox.ts';
import { testClock } from '../harness/clock.ts';
import { buyPlan, connectStripe, type PaymentWorld, startPaymentWorld } from '../harness/payments.ts';
import { speakRaw } from '../harness/raw.ts';
import { startService } from '../harness/service.ts';

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

test('a request for another host name is answered by the service, with 400', async () => {
  await using service = await startService('sqlite', {
    closed: true,
    env: { ALLOWED_HOSTS: '' },
    extend(app) {
      const at = () => 'http://127.0.0.1';
      registerPaymentSandbox(app as unknown as FastifyInstance, {
        demo: true,
        dataDir: mkdtempSync(join(tmpdir(), 'payments-')),
        baseUrl: at,
        webhookUrl: at,
        log: app.log,
      });
    },
  });
  for (const path of ['/v1/customers', '/v1/subscriptions/sub_1', '/v1/nothing']) {
    const bytes = `GET /demo/payments${path} HTTP/1.1\r\nHost: attacker.example\r\nConnection: close\r\n\r\n`;
    const [reply] = await speakRaw(service.url, bytes);
    assert.equal(reply?.status, 400, path);
    assert.equal(JSON.parse(reply?.text ?? '').error.code, 'invalid_request');
  }
});

test('responses have a request id and the date in sandbox time', async () => {
  await using world = await startPaymentWorld({ clock: testClock('2026-03-15T12:00:00.900Z') });
  const { headers } = await request(world, '/v1/subscriptions');
  assert.match(headers.get('request-id') ?? '', /^req_\w{14}$/);
  assert.equal(headers.get('date'), 'Sun, 15 Mar 2026 12:00:00 GMT');
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

test('a customer keeps its e-mail address and metadata exactly', async () => {
  await using world = await startPaymentWorld();
  const text = 'Ünï & "cø" [x]=1 + 50% <b>';
  const { id } = await world.stripe.customers.create({ email: text, metadata: { 'a b': text, n: 5 } });
  const stored = world.sandbox.readState().customers[id];
  assert.deepEqual([stored?.email, stored?.metadata], [text, { 'a b': text, n: '5' }]);
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

  test('can be used again after an error', async () => {
    await using world = await startPaymentWorld();
    const { stripe } = world;
    const wrong = { email: 'x'.repeat(5_001) };
    await assert.rejects(stripe.customers.create(wrong, { idempotencyKey: 'k' }), { statusCode: 400 });
    assert.ok((await stripe.customers.create({}, { idempotencyKey: 'k' })).id);
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
