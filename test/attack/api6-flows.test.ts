import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testClock } from '../harness/clock.ts';
import { engines } from '../harness/databases.ts';
import { openOffice } from '../harness/keys.ts';
import { payCheckout } from '../harness/payments.ts';
import { startService, type TestSession } from '../harness/service.ts';
import { openShop } from '../harness/shop.ts';
import { sendJson, startHostile } from './hostile-server.ts';

/** API6:2023 Unrestricted Access to Sensitive Business Flows: doing something legal more often than was meant. */
for (const engine of engines) {
  describe(`API6 business flows on ${engine}`, () => {
    test('new keys bring no new quota: whoever makes, uses and revokes them in turn gets what the plan has', async () => {
      // The office lives in real time, and so must the period.
      await using service = await startService(engine, { clock: testClock(new Date().toISOString()) });
      await using office = openOffice(service.database);
      const { accountId, keys } = await office.createAccount({ plan: 'free', left: 10 });
      const [first] = await service.services.apiKeys.list(accountId);
      let [id, secret] = [first?.id ?? '', keys[0] ?? ''];
      const statuses: number[] = [];
      for (let round = 0; round < 7; round++) {
        for (let times = 0; times < 2; times++) {
          statuses.push((await service.client.get('/api/v1/countries', { headers: { 'x-api-key': secret } })).status);
        }
        await service.services.apiKeys.revoke(accountId, id);
        ({ id, secret } = await service.services.apiKeys.create(accountId, 'the next one'));
      }
      assert.equal(statuses.filter((status) => status === 200).length, 10);
      assert.ok(statuses.slice(10).every((status) => status === 429));
      assert.equal((await service.services.apiKeys.list(accountId)).length, 1);
    });

    test('however often a checkout is begun there is one customer, nothing is bought, and pages are not shared', async () => {
      await using shop = await openShop(engine);
      const [anna, mallory] = [
        await shop.service.signIn({ plan: 'free' }),
        await shop.service.signIn({ plan: 'free' }),
      ];
      // The id of a request becomes part of the idempotency key: a stranger who knows it must not get the same page.
      const requestId = randomUUID();
      const begin = async (headers: Readonly<Record<string, string>>, plan: string) => {
        const init = {
          headers: { ...headers, 'content-type': 'application/json', 'x-request-id': requestId },
          body: JSON.stringify({ plan }),
        };
        const reply = await shop.service.client.request('POST', '/api/v1/billing/checkout', init);
        assert.equal(reply.status, 200);
        return String(reply.body.data.url);
      };
      const pages = [
        await begin(anna.headers, 'pro'),
        await begin(anna.headers, 'business'),
        await begin(mallory.headers, 'pro'),
      ];
      assert.equal(new Set(pages).size, 3);
      await Promise.all(Array.from({ length: 20 }, () => shop.open('checkout', anna, { plan: 'pro' })));
      const customers = Object.values(shop.sandbox.readState().customers);
      assert.equal(customers.filter(({ metadata }) => metadata.accountId === anna.account.accountId).length, 1);
      const account = await shop.account(anna);
      assert.deepEqual([account.plan.id, account.billing.status], ['free', 'none']);
      // What a stranger pays for is the stranger's.
      await payCheckout(pages[2] ?? '');
      await shop.sandbox.settled();
      assert.deepEqual([(await shop.account(anna)).plan.id, (await shop.account(mallory)).plan.id], ['free', 'pro']);
    });
  });
}

describe('API6 the payment provider', () => {
  test('one account asks it for one page at a time, gives up when it waited too long, and holds up nobody else', async () => {
    const busy = new Map<string, number>();
    let most = 0;
    let calls = 0;
    await using provider = await startHostile(async (request, response) => {
      // Who it is for stands in the idempotency key of the customer, and in the customer from then on.
      const body = Buffer.concat(await request.toArray()).toString() + request.url;
      const who = /cus_[\w-]+/.exec(body)?.[0] ?? `cus_${/accountId\]=([\w-]+)/.exec(decodeURIComponent(body))?.[1]}`;
      calls++;
      busy.set(who, (busy.get(who) ?? 0) + 1);
      most = Math.max(most, busy.get(who) ?? 0);
      await sleep(60);
      busy.set(who, (busy.get(who) ?? 0) - 1);
      const list = { object: 'list', data: [], has_more: false };
      sendJson(response, request.method === 'GET' ? list : { id: who, url: `https://pay.test/${who}` });
    });
    const env = { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_API_URL: provider.url };
    const providerLimits = { providerTimeoutMs: 2_000, pageTimeoutMs: 1_500 };
    await using service = await startService('sqlite', { env, providerLimits });
    const [greedy, modest] = [await service.signIn({ plan: 'free' }), await service.signIn({ plan: 'free' })];
    const ask = async ({ headers }: TestSession) => {
      const init = { headers: { ...headers, 'content-type': 'application/json' }, body: '{"plan":"pro"}' };
      return (await service.client.request('POST', '/api/v1/billing/checkout', init)).status;
    };
    const storm = Array.from({ length: 60 }, () => ask(greedy));
    await sleep(100);
    assert.equal(await ask(modest), 200, 'somebody else waits');
    const statuses = await Promise.all(storm);
    assert.equal(most, 1, `${most} requests for one account at once`);
    assert.ok(statuses.includes(200) && statuses.includes(503), 'served in turn, until patience ends');
    const before = calls;
    await sleep(500);
    assert.ok(calls - before <= 3, 'the provider is asked for pages that nobody waits for');
  });
});
