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

/** API6:2023 Unrestricted Access to Sensitive Business Flows: legitimate actions, repeated too often. */
for (const engine of engines) {
  describe(`API6 business flows on ${engine}`, () => {
    test('creating and revoking keys does not add quota', async () => {
      // The office uses the system clock, so the service must be in the same period.
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

    test('repeated checkouts create one customer, buy nothing, and do not share pages between accounts', async () => {
      await using shop = await openShop(engine);
      const [anna, mallory] = [
        await shop.service.signIn({ plan: 'free' }),
        await shop.service.signIn({ plan: 'free' }),
      ];
      // The request id is part of the idempotency key. Another account that knows it must not get the same page.
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
      // A payment counts for the account that pays.
      await payCheckout(pages[2] ?? '');
      await shop.sandbox.settled();
      assert.deepEqual([(await shop.account(anna)).plan.id, (await shop.account(mallory)).plan.id], ['free', 'pro']);
    });
  });
}

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
      const init = { headers: { ...headers, 'content-type': 'application/json' }, body: '{"plan":"pro"}' };
      return (await service.client.request('POST', '/api/v1/billing/checkout', init)).status;
    };
    const storm = Array.from({ length: 60 }, () => ask(greedy));
    await sleep(100);
    assert.equal(await ask(modest), 200, 'another account is blocked');
    const statuses = await Promise.all(storm);
    assert.equal(maxBusy, 1, `${maxBusy} concurrent requests for one account`);
    assert.ok(statuses.includes(200) && statuses.includes(503), 'some are served in turn, the others time out');
    const before = calls;
    await sleep(500);
    assert.ok(calls - before <= 3, 'the provider still gets requests whose callers have gone');
  });
});
