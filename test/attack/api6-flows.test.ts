import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService, type TestSession } from '../harness/service.ts';
import { sendJson, startHostile } from './hostile-server.ts';

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
