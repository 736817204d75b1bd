import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createDatabase, engines } from '../harness/databases.ts';
import { isDeep, runs } from '../harness/depth.ts';
import { countdown, fire, inOneMinute, numbersOf, of, SEARCH, tally } from '../harness/load.ts';
import { useServers } from '../harness/server-set.ts';
import { testChanges } from './changes.ts';

const PROCESSES = runs(2, 3);
/** The larger window of a plan is counted in the same way. */
const windows = [
  { plan: 'free', perMinute: 60, requests: 200 },
  ...(isDeep ? [{ plan: 'pro', perMinute: 600, requests: 900 } as const] : []),
] as const;
const keyLimits = [
  { plan: 'pro', max: 5 },
  ...(isDeep
    ? ([
        { plan: 'business', max: 20 },
        { plan: 'free', max: 1 },
      ] as const)
    : []),
] as const;

/** Several server processes on one database, and more callers than the limit allows. */
for (const engine of engines) {
  describe(`limits over ${PROCESSES} processes on ${engine}`, () => {
    const set = useServers({ count: PROCESSES, createDatabase: () => createDatabase(engine) });

    const ways = ['one key', 'one key per server', 'three keys', 'one key per server', 'one key per server'];
    for (const [round, how] of ways.slice(0, runs(2, 5)).entries()) {
      test(`200 parallel callers on a quota of 150: exactly 150 succeed, round ${round + 1}, ${how}`, async () => {
        const account = await set.office.createAccount({ left: 150, keys: how === 'one key' ? 1 : 3 });
        const { urls } = set.servers;
        // Requests with one key compete for its rate window first; those with different keys only for the quota.
        const answers =
          how === 'one key per server'
            ? await Promise.all(
                urls.map((url, index) => {
                  const count = Math.floor((200 + index) / PROCESSES);
                  return fire(count, { urls: [url], keys: account.keys.slice(index, index + 1), callers: count });
                }),
              ).then((parts) => parts.flat())
            : await fire(200, { urls, keys: account.keys, callers: 200 });
        assert.deepEqual(tally(answers), { 200: 150, '429 monthly_quota_exceeded': 50 });
        assert.deepEqual(numbersOf('x-monthly-quota-remaining', of(200, answers)), countdown(150));
        assert.deepEqual(new Set(numbersOf('x-monthly-quota-remaining', of(429, answers))), new Set([0]));
        assert.ok(of(429, answers).every(({ headers }) => Number(headers['retry-after']) >= 1));
        assert.ok(urls.every((url) => of(200, answers).some((answer) => answer.url === url)));
        const used = await set.office.readUsed(account.accountId);
        assert.deepEqual(used, { quota: account.quota, daily: 150 });
      });
    }

    test('refused requests cost nothing, and later requests are refused too', async () => {
      const account = await set.office.createAccount({ left: 7 });
      const all = [];
      for (let burst = 0; burst < runs(2, 5); burst++) {
        all.push(...(await fire(100, { urls: set.servers.urls, keys: account.keys, callers: 100 })));
      }
      assert.deepEqual(tally(all), { 200: 7, '429 monthly_quota_exceeded': all.length - 7 });
      assert.deepEqual(await set.office.readUsed(account.accountId), { quota: account.quota, daily: 7 });
    });

    test('requests that end in 400 or 404 do not use the quota: exactly 100 others succeed', async () => {
      const account = await set.office.createAccount({ left: 100, keys: 3 });
      const unknown = '/api/v1/entities/00000000-0000-5000-8000-000000000000';
      const paths = [SEARCH, unknown, '/api/v1/entities?nonsense=1', '/api/v1/countries'];
      const all = [];
      // A 404 reserves quota until the lookup is done, so one round may refuse what a later one grants.
      for (let round = 0; round < 5; round++) {
        all.push(...(await fire(120, { urls: set.servers.urls, paths, keys: account.keys, callers: 60 })));
      }
      assert.deepEqual(await set.office.settle(account.accountId), { quota: account.quota, daily: 100 });
      assert.equal(of(200, all).length, 100, JSON.stringify(tally(all)));
      assert.ok(of(404, all).length > 0 && of(400, all).length > 0, JSON.stringify(tally(all)));
      assert.deepEqual(
        Object.keys(tally(all)).toSorted(),
        ['200', '400 invalid_request', '404 entity_not_found', '429 monthly_quota_exceeded'],
        JSON.stringify(tally(all)),
      );
    });

    for (const { plan, perMinute, requests } of windows) {
      test(`200 parallel callers on a window of ${perMinute}: exactly ${perMinute} succeed`, async () => {
        const { account, minute, answers } = await inOneMinute(async (minute) => {
          const account = await set.office.createAccount({ plan });
          const answers = await fire(requests, { urls: set.servers.urls, keys: account.keys, callers: 200 });
          return { account, minute, answers };
        });
        assert.deepEqual(tally(answers), { 200: perMinute, '429 rate_limit_exceeded': requests - perMinute });
        assert.deepEqual(numbersOf('x-ratelimit-remaining', of(200, answers)), countdown(perMinute));
        for (const { headers } of of(429, answers)) {
          assert.equal(headers['x-ratelimit-remaining'], '0');
          assert.equal(headers['x-ratelimit-reset'], String((minute + 1) * 60));
          assert.ok(Number(headers['retry-after']) >= 1 && Number(headers['retry-after']) <= 60);
        }
        assert.deepEqual(await set.office.readUsed(account.accountId), { quota: perMinute, daily: perMinute });
      });
    }

    test('each key has its own window', async () => {
      const { account, answers } = await inOneMinute(async () => {
        const account = await set.office.createAccount({ plan: 'pro', keys: 3 });
        const answers = await fire(90, { urls: set.servers.urls, keys: account.keys, callers: 90 });
        return { account, answers };
      });
      assert.deepEqual(tally(answers), { 200: 90 });
      for (const key of account.keys) {
        const its = of(200, answers).filter((answer) => answer.key === key);
        assert.deepEqual(numbersOf('x-ratelimit-remaining', its), countdown(600).slice(0, its.length));
      }
    });

    test('after a change to a smaller plan, all keys together send what that plan allows', async () => {
      const { answers } = await inOneMinute(async () => {
        const account = await set.office.createAccount({ plan: 'pro', keys: 3 });
        await set.office.setPlan(account.accountId, 'free');
        const answers = await fire(450, { urls: set.servers.urls, keys: account.keys, callers: 200 });
        return { answers };
      });
      const { 200: sent, ...refused } = tally(answers);
      assert.equal(sent, 60);
      assert.equal(
        Object.values(refused).reduce((sum, count) => sum + count, 0),
        390,
      );
    });

    test('of fifty API keys created in parallel in two processes, exactly as many succeed as the plan allows', async () => {
      for (const { plan, max } of keyLimits) {
        const account = await set.office.createAccount({ plan, keys: 0 });
        const replies = await Promise.all(
          Array.from({ length: 50 }, async (_, index) => {
            const url = set.servers.urls[index % 2] as string;
            const headers = { cookie: account.cookie, origin: url, 'content-type': 'application/json' };
            const body = JSON.stringify({ name: `key ${index}` });
            const reply = await fetch(`${url}/api/v1/api-keys`, { method: 'POST', headers, body });
            const { data, error } = (await reply.json()) as { data?: { id: string }; error?: { code: string } };
            return { status: reply.status, code: error?.code, id: data?.id };
          }),
        );
        const created = replies.filter(({ status }) => status === 201);
        assert.equal(created.length, max, JSON.stringify(replies.map(({ status, code }) => [status, code])));
        assert.equal(replies.filter(({ code }) => code === 'api_key_limit_reached').length, 50 - max);
        const kept = await set.office.services.apiKeys.list(account.accountId);
        assert.deepEqual(kept.map(({ id }) => id).toSorted(), created.map(({ id }) => id).toSorted());
      }
    });

    // A process learns of a change from the database in the same way: on SQLite in the deep run only.
    if (isDeep || engine === 'postgres') testChanges(set);
  });
}
