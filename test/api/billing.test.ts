import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, test } from 'node:test';
import { openShop } from '../attack/shop.ts';
import { payCheckout, see } from '../demo/payments.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { startHttp } from '../harness/http-server.ts';
import { startService, type TestService, type TestSession } from '../harness/service.ts';
import { use } from '../harness/use.ts';

const CHECKOUT = '/api/v1/billing/checkout';
const PORTAL = '/api/v1/billing/portal';

const asJson = (body: unknown) => ({ body: JSON.stringify(body), type: 'application/json' });

describeOn(usualEngines, 'checkout and portal', (engine) => {
  const shop = use(
    () => openShop(engine),
    (opened) => opened[Symbol.asyncDispose](),
  );

  const signInFree = () => shop.service.signIn({ plan: 'free' });
  async function post(path: string, { headers }: Pick<TestSession, 'headers'>, sent?: { body: string; type: string }) {
    const init =
      sent === undefined ? { headers } : { headers: { ...headers, 'content-type': sent.type }, body: sent.body };
    return shop.service.client.request('POST', path, init);
  }

  const refused: Record<string, unknown> = {
    'the free plan': { plan: 'free' },
    'an unknown plan': { plan: 'Pro' },
    'no plan': {},
    'a list': ['pro'],
    'a string': 'pro',
    null: null,
    'an unknown field': { plan: 'pro', success_url: 'https://evil.example' },
    'a list of plans': { plan: ['pro'] },
  };
  for (const [title, body] of Object.entries(refused)) {
    test(`checkout with ${title}: 400`, async () => {
      const reply = await post(CHECKOUT, await signInFree(), asJson(body));
      assert.deepEqual([reply.status, reply.body.error.code], [400, 'invalid_request']);
    });
  }

  test('checkout opens a page of the provider for a customer that is created once and stored first', async () => {
    const session = await signInFree();
    const { accountId } = session.account;
    const urls = await Promise.all(
      Array.from({ length: 5 }, () => shop.open('checkout', session, { plan: 'business' })),
    );
    assert.equal(new Set(urls).size, 5, 'each request opens a new page');
    for (const url of urls) assert.ok(url.startsWith(`${shop.sandbox.url}/`), url);
    const state = shop.sandbox.readState();
    const customers = Object.values(state.customers).filter(({ email }) => email === session.user.email);
    assert.deepEqual(
      customers.map(({ metadata }) => metadata),
      [{ accountId }],
      'five concurrent requests create one customer',
    );
    const sql = 'SELECT id FROM billing_customers WHERE account_id = $1';
    assert.deepEqual(
      (await shop.service.services.accountsDb.all(sql, [accountId])).map((row) => ({ ...row })),
      [{ id: customers[0]?.id }],
    );
    const pages = Object.values(state.checkouts).filter(({ session: { customer } }) => customer === customers[0]?.id);
    assert.equal(pages.length, 5);
    for (const { session: page } of pages) {
      assert.deepEqual(
        [page.mode, page.client_reference_id, page.success_url, page.cancel_url],
        [
          'subscription',
          accountId,
          `${shop.service.url}/dashboard?checkout=done`,
          `${shop.service.url}/dashboard?checkout=cancelled`,
        ],
      );
    }
  });

  test('return addresses come from PUBLIC_URL, not from the request', async () => {
    await using elsewhere = await openShop(engine, { env: { PUBLIC_URL: 'https://api.example.org' } });
    const session = await elsewhere.service.signIn({ plan: 'free' });
    const headers = {
      ...session.headers,
      origin: 'https://api.example.org',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
      referer: 'https://evil.example/',
    };
    const { client } = elsewhere.service;
    assert.equal((await client.request('POST', CHECKOUT, { headers, json: { plan: 'pro' } })).status, 200);
    const [checkout] = Object.values(elsewhere.sandbox.readState().checkouts);
    assert.equal(checkout?.session.success_url, 'https://api.example.org/dashboard?checkout=done');
    const portal = await client.request('POST', PORTAL, { headers: { ...headers, 'content-type': 'text/plain' } });
    const page = await see(portal.body.data.url);
    assert.ok(page.text.includes('https://api.example.org/dashboard'));
    assert.ok(!page.text.includes('evil.example'));
  });

  test('returning from checkout changes nothing; the signed event does', async () => {
    const session = await signInFree();
    const url = await shop.open('checkout', session, { plan: 'pro' });
    shop.sandbox.setDeliveries({ hold: true });
    const paid = await payCheckout(url);
    assert.equal(paid.location, `${shop.service.url}/dashboard?checkout=done`);
    await fetch(paid.location ?? '', { headers: session.headers, redirect: 'manual' });
    assert.equal((await shop.account(session)).plan.id, 'free');
    const again = await shop.open('checkout', session, { plan: 'business' });
    assert.match(again, /portal/, 'until then, a second subscription cannot be bought');
    shop.sandbox.setDeliveries({ release: true });
    await shop.sandbox.settled();
    const { plan, billing } = await shop.account(session);
    assert.deepEqual(
      [plan.id, billing.status, billing.cancelAtPeriodEnd, billing.portalAvailable],
      ['pro', 'active', false, true],
    );
  });

  test('portalAvailable says whether the portal opens, before and after the first purchase', async () => {
    const session = await signInFree();
    assert.equal((await shop.account(session)).billing.portalAvailable, true);
    assert.equal((await post(PORTAL, session)).status, 200, 'an account without a purchase opens the portal');
    assert.equal((await shop.account(session)).billing.portalAvailable, true);
    await using unconfigured = await startService(engine);
    const other = await unconfigured.signIn({ plan: 'pro' });
    const { body } = await unconfigured.client.get('/api/v1/account', { headers: other.headers });
    assert.equal(body.data.billing.portalAvailable, false);
    const closed = await unconfigured.client.request('POST', PORTAL, { headers: other.headers });
    assert.deepEqual([closed.status, closed.body.error.code], [503, 'billing_unavailable']);
  });

  test('a declined card and a cancelled checkout buy nothing', async () => {
    const session = await signInFree();
    const declined = await payCheckout(await shop.open('checkout', session, { plan: 'pro' }), '4000 0000 0000 0002');
    assert.equal(declined.status, 402);
    await shop.sandbox.settled();
    assert.equal((await shop.account(session)).plan.id, 'free');
    assert.equal((await shop.account(session)).billing.status, 'none');
  });

  test('change of plan, cancellation at period end and immediately, pause, resume, renewal, failed payment', async () => {
    const session = await signInFree();
    const state = async () => {
      const { plan, billing } = await shop.account(session);
      return `${plan.id} ${billing.status}${billing.cancelAtPeriodEnd ? ' until the end' : ''}`;
    };
    await shop.buy(session, 'pro');
    assert.equal(await state(), 'pro active');
    const firstEnd = (await shop.account(session)).billing.currentPeriodEnd ?? '';
    const buttons: [action: string, state: string, fields?: Record<string, string>][] = [
      ['change-plan', 'business active', { price: 'price_demo_business' }],
      ['pause', 'free paused'],
      ['resume', 'business active'],
      ['cancel-at-period-end', 'business active until the end'],
      ['keep', 'business active'],
      ['renew', 'business active'],
      ['fail-payment', 'business past_due'],
      ['pay-invoice', 'business active'],
      ['cancel-now', 'free canceled'],
    ];
    for (const [action, expected, fields] of buttons) {
      await shop.press(session, action, fields);
      assert.equal(await state(), expected, action);
      if (action === 'renew') {
        assert.ok(Date.parse((await shop.account(session)).billing.currentPeriodEnd ?? '') > Date.parse(firstEnd));
      }
    }
  });
});

test('a change that the payment provider does not allow leads to its portal', async () => {
  await using shop = await openShop('sqlite', { env: { STRIPE_PRICE_BUSINESS: 'price_of_another_account' } });
  const session = await shop.service.signIn({ plan: 'free' });
  await shop.buy(session, 'pro');
  const page = await see(await shop.open('checkout', session, { plan: 'business' }));
  assert.deepEqual([page.status, /Your subscription/.test(page.text)], [200, true]);
});

describe('503 billing_unavailable when the provider cannot be used', () => {
  /** Starts a provider that gives this response to every request. */
  async function withProvider(answer: RequestListener, work: (service: TestService) => Promise<void>) {
    await using server = await startHttp(answer);
    const env = { STRIPE_SECRET_KEY: 'sk_test_very_secret_indeed', STRIPE_API_URL: server.url };
    const providerLimits = { providerTimeoutMs: 200, pageTimeoutMs: 900 };
    await using service = await startService('sqlite', { env, providerLimits });
    await work(service);
  }

  /** Returns the messages of checkout and portal. */
  async function assertUnavailable(service: TestService): Promise<string[]> {
    const { headers } = await service.signIn({ plan: 'free' });
    const messages: string[] = [];
    for (const [path, json] of [
      [CHECKOUT, { plan: 'pro' }],
      [PORTAL, {}],
    ] as const) {
      const reply = await service.client.request('POST', path, { headers, json });
      assert.deepEqual([reply.status, reply.body.error.code], [503, 'billing_unavailable'], path);
      // A retry helps if the provider is down, and not if it is not configured.
      const isConfigured = reply.body.error.message !== NOT_CONFIGURED;
      assert.equal(Number(reply.headers.get('retry-after')) >= 1, isConfigured, 'Retry-After');
      messages.push(reply.body.error.message);
    }
    const log = service.logLines.join('');
    assert.ok(!log.includes('very_secret'), 'the secret key is not logged');
    return messages;
  }

  const NOT_CONFIGURED = 'Billing is not configured on this server: ask its operator to set it up.';
  const NOT_AVAILABLE = 'Billing is not available at the moment: try again shortly.';

  for (const [title, env] of Object.entries({
    'without a secret key': {},
    'without a secret key and prices': { STRIPE_PRICE_PRO: '', STRIPE_PRICE_BUSINESS: '' },
    'without any setting': { STRIPE_PRICE_PRO: '', STRIPE_PRICE_BUSINESS: '', STRIPE_WEBHOOK_SECRET: '' },
  })) {
    test(`${title}, checkout and portal say the same`, async () => {
      await using service = await startService('sqlite', { env });
      assert.deepEqual(await assertUnavailable(service), [NOT_CONFIGURED, NOT_CONFIGURED]);
      // What the operator has left out is not an error.
      const log = service.logLines.map((line) => JSON.parse(line));
      const lines = log.filter(({ msg }) => msg?.startsWith('billing_unavailable'));
      assert.ok(lines.length > 0);
      for (const line of lines) assert.deepEqual([line.level, line.err], [40, undefined]);
      assert.doesNotMatch(service.logLines.join(''), /"level":50/);
    });
  }

  test('the plan has no price: only checkout is not configured', async () => {
    await using service = await startService('sqlite', {
      env: { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_PRICE_PRO: '', STRIPE_API_URL: 'http://127.0.0.1:1' },
    });
    assert.deepEqual(await assertUnavailable(service), [NOT_CONFIGURED, NOT_AVAILABLE]);
    assert.match(service.logLines.join(''), /no price of pro is configured/);
  });

  test('the provider is down', async () => {
    await using service = await startService('sqlite', {
      env: { STRIPE_SECRET_KEY: 'sk_test_very_secret_indeed', STRIPE_API_URL: 'http://127.0.0.1:1' },
    });
    await assertUnavailable(service);
  });

  const answers: Record<string, RequestListener> = {
    'never responds': () => undefined,
    'hangs up': (request) => request.socket.destroy(),
    'responds with 500': (_request, response) => response.writeHead(500).end('{"error":{"type":"api_error"}}'),
    'rejects the key': (_request, response) =>
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end(
          '{"error":{"type":"invalid_request_error","message":"Invalid API Key provided: sk_test_very_secret_indeed"}}',
        ),
    'responds with HTML': (_request, response) => response.writeHead(200).end('<html>maintenance</html>'),
    'responds with another object': (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"id":"cus_1","object":"customer","data":[]}'),
    'returns a URL that is not a web page': (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"id":"cus_1","object":"x","data":[],"url":"javascript:alert(1)"}'),
  };
  for (const [title, answer] of Object.entries(answers)) {
    test(`a provider that ${title}`, () =>
      withProvider(answer, async (service) => {
        assert.deepEqual(await assertUnavailable(service), [NOT_AVAILABLE, NOT_AVAILABLE]);
      }));
  }
});
