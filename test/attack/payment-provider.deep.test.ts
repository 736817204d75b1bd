import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { usualEngines } from '../harness/databases.ts';
import { boundMs, runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { PRICES, renderEvent, renderSubscription, sign } from '../harness/payment-events.ts';
import { startService, type TestService, type TestSession } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { sendDrip, sendEndless, sendJson, startHostile } from './hostile-server.ts';

/** API10:2023 Unsafe Consumption of APIs: a payment provider that is compromised or impersonated. */
async function withProvider(
  engine: (typeof usualEngines)[0],
  answer: RequestListener,
  work: (service: TestService) => Promise<void>,
): Promise<void> {
  await using provider = await startHostile(answer);
  const env = { STRIPE_SECRET_KEY: 'sk_test_very_secret', STRIPE_API_URL: provider.url };
  const providerLimits = { providerTimeoutMs: runs(2_000, 400), pageTimeoutMs: runs(15_000, 3_000) };
  await using service = await startService(engine, { env, providerLimits });
  // As servers do before they listen: the first request must not pay for it.
  await service.services.billing.load();
  await work(service);
}

async function checkout(service: TestService): Promise<{ status: number; text: string }> {
  const { headers } = await service.signIn({ plan: 'free' });
  const init = { headers, json: { plan: 'pro' } };
  const started = performance.now();
  const reply = await service.client.request('POST', '/api/v1/billing/checkout', init);
  assert.ok(performance.now() - started < boundMs(6_000), 'the reply took too long');
  return reply;
}

describeOn(usualEngines, 'API10 answers of the payment provider', (engine) => {
  test('invalid ids are not stored and break nothing', async () => {
    const ids = [
      'nul\0',
      'x'.repeat(10_000),
      '',
      ' ',
      'cus_\r\nX-Evil: 1',
      '\u001b[31m',
      '\ud800',
      7,
      null,
      {},
      ['cus_1'],
    ];
    let next = 0;
    await withProvider(
      engine,
      (_request, response) =>
        sendJson(response, { id: ids[next], object: 'customer', data: [], url: 'https://pay.test/' }),
      async (service) => {
        for (next = 0; next < ids.length; next++) {
          const { status, text } = await checkout(service);
          assert.equal(status, 503, `${JSON.stringify(ids[next])}: ${text}`);
        }
        const stored = await service.services.accountsDb.all('SELECT id FROM billing_customers', []);
        assert.deepEqual(
          stored.filter((row) => !/^cus_of_/.test(String(Reflect.get(row, 'id')))),
          [],
        );
      },
    );
  });

  test('an answer that claims to be from next year does not make later events stale', () => {
    let object: object = {};
    return withProvider(
      engine,
      (_request, response) => {
        response.setHeader('Date', 'Fri, 01 Jan 2100 00:00:00 GMT');
        sendJson(response, object);
      },
      async (service) => {
        const { account } = await service.signIn({ plan: 'free' });
        const { accountId } = account;
        const send = async (price: string) => {
          object = renderSubscription({ id: `sub_${accountId}`, accountId, price });
          const created = Math.floor(service.clock.now() / 1_000);
          const body = renderEvent({ type: 'customer.subscription.updated', created, object });
          const headers = { 'payment-signature': sign(body, service.clock.now()) };
          return (await service.client.request('POST', '/api/v1/billing/webhook', { headers, body })).body;
        };
        // Two events of one second: the provider is asked, and its answer is stored.
        await send(PRICES.pro);
        await send(PRICES.business);
        service.clock.advance(301_000);
        assert.deepEqual(await send(PRICES.pro), { received: true, duplicate: false, stale: false });
      },
    );
  });

  test('the webhook answers even if the provider, asked which of two events came last, sends byte by byte', () =>
    withProvider(
      engine,
      (_request, response) => sendDrip(response),
      async (service) => {
        const { account } = await service.signIn({ plan: 'free' });
        const created = Math.floor(service.clock.now() / 1000);
        for (const price of [PRICES.pro, PRICES.business]) {
          const object = renderSubscription({ id: `sub_${account.accountId}`, accountId: account.accountId, price });
          const body = renderEvent({ type: 'customer.subscription.updated', created, object });
          const headers = { 'payment-signature': sign(body, service.clock.now()) };
          const started = performance.now();
          const reply = await service.client.request('POST', '/api/v1/billing/webhook', { headers, body });
          assert.equal(reply.status, 200);
          assert.ok(performance.now() - started < boundMs(6_000), 'the webhook hangs');
        }
      },
    ));
});

describe('API10 answers of the payment provider', () => {
  test('an endless answer is cut off, and one that arrives byte by byte times out', async () => {
    let sent = 0;
    const count = (total: number) => {
      sent = total;
    };
    await withProvider(
      'sqlite',
      (_request, response) => sendEndless(response, count),
      async (service) => {
        assert.equal((await checkout(service)).status, 503);
        assert.ok(sent > 0 && sent < 64 * 1024 * 1024, `${sent} bytes were read`);
      },
    );
    let open = 0;
    await withProvider(
      'sqlite',
      (_request, response) => {
        open++;
        response.on('close', () => open--);
        sendDrip(response);
      },
      async (service) => {
        assert.equal((await checkout(service)).status, 503);
        await until('no connection to the provider is open', () => open === 0);
      },
    );
  });
});

describe('API6 the payment provider', () => {
  test('an account sends it one request at a time, stops waiting after a time-out, and does not block others', async () => {
    const busy = new Map<string, number>();
    let maxBusy = 0;
    let calls = 0;
    await using provider = await startHostile(async (request, response) => {
      // The account is in the metadata of a new customer, and in the customer id from then on.
      const body = Buffer.concat(await request.toArray()).toString() + request.url;
      const who = /cus_[\w-]+/.exec(body)?.[0] ?? `cus_${/accountId\]=([\w-]+)/.exec(decodeURIComponent(body))?.[1]}`;
      calls++;
      busy.set(who, (busy.get(who) ?? 0) + 1);
      maxBusy = Math.max(maxBusy, busy.get(who) ?? 0);
      await sleep(60);
      busy.set(who, (busy.get(who) ?? 0) - 1);
      const list = { object: 'list', data: [], has_more: false };
      sendJson(response, request.method === 'GET' ? list : { id: who, url: `https://pay.test/${who}` });
    });
    const env = { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_API_URL: provider.url };
    // The 60 requests below take at least seven seconds, one after the other.
    const providerLimits = { providerTimeoutMs: 60_000, pageTimeoutMs: 4_000 };
    await using service = await startService('sqlite', { env, providerLimits });
    const [greedy, modest] = [await service.signIn({ plan: 'free' }), await service.signIn({ plan: 'free' })];
    const ask = async ({ headers }: TestSession) => {
      const reply = await service.client.request('POST', '/api/v1/billing/checkout', {
        headers,
        json: { plan: 'pro' },
      });
      return reply.status;
    };
    const storm = Array.from({ length: 60 }, () => ask(greedy));
    await until('the provider is busy', () => calls > 0);
    assert.equal(await ask(modest), 200, 'another account is blocked');
    const statuses = await Promise.all(storm);
    assert.equal(maxBusy, 1, `${maxBusy} concurrent requests for one account`);
    assert.ok(statuses.includes(200) && statuses.includes(503), 'some are served in turn, the others time out');
    const before = calls;
    assert.equal(await ask(greedy), 200);
    assert.ok(calls - before <= 5, 'the provider still gets requests whose callers have gone');
  });
});
