import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../harness/contract-check.ts';
import { engines } from '../harness/databases.ts';
import { startService } from '../harness/service.ts';
import {
  codeOf,
  DETAIL,
  ENDPOINTS,
  INVALID,
  limitsOf,
  type TestKey,
  UNKNOWN,
  useMeteredService,
} from './metered-service.ts';

for (const engine of engines) {
  describe(`charges for data requests on ${engine}`, () => {
    const metered = useMeteredService(engine);
    const { get, addKey, newKey, setQuota, setWindow, counts, setPlan } = metered;

    describe('charges', () => {
      const costs = async (key: TestKey, path: string, status: number, more: Record<string, string> = {}) => {
        const [windowBefore, quotaBefore] = await counts(key);
        for (const method of ['GET', 'HEAD']) {
          const reply = await metered.service.client.request(method, path, { headers: { ...key.headers, ...more } });
          assert.equal(reply.status, status, `${method} ${path}`);
        }
        const [window, quota] = await counts(key);
        return [(window - windowBefore) / 2, (quota - quotaBefore) / 2];
      };

      test('a 200 costs one request of the rate window and one of the quota, on each endpoint, for GET and HEAD', async () => {
        const key = await newKey();
        for (const path of ENDPOINTS) assert.deepEqual(await costs(key, path, 200), [1, 1], path);
        assert.deepEqual(await costs(key, '/api/v1/entities?q=nothing+like+it', 200), [1, 1], 'even without results');
        assert.deepEqual(await costs(key, DETAIL, 200, { 'if-none-match': '"old"' }), [1, 1]);
      });

      test('a 304 to a client that names the tag costs no quota and counts in the rate window; to * it costs as a 200', async () => {
        const key = await newKey();
        for (const path of ENDPOINTS) {
          const tag = (await get(path, key)).headers.get('etag') ?? '';
          assert.deepEqual(await costs(key, path, 304, { 'if-none-match': tag }), [1, 0], path);
          assert.deepEqual(await costs(key, path, 304, { 'if-none-match': '*' }), [1, 1], path);
        }
      });

      test('a 400 costs no quota and counts in the rate window', async () => {
        const key = await newKey();
        for (const path of INVALID) assert.deepEqual(await costs(key, path, 400), [1, 0], path);
      });

      test('a 404 for an unknown entity costs no quota and counts in the rate window', async () => {
        const key = await newKey();
        assert.deepEqual(await costs(key, UNKNOWN, 404), [1, 0]);
        assert.deepEqual(await costs(key, UNKNOWN, 404, { 'if-none-match': '*' }), [1, 0]);
      });

      test('a refund can be used again: the last request of a quota is served after any number of 404 and 304', async () => {
        const key = await newKey();
        const tag = (await get(DETAIL, await newKey())).headers.get('etag') ?? '';
        await setQuota(key, 999);
        for (let round = 0; round < 5; round++) {
          assert.equal((await get(UNKNOWN, key)).status, 404);
          assert.equal((await get(DETAIL, key, { 'if-none-match': tag })).status, 304);
        }
        const last = await get(DETAIL, key);
        assert.deepEqual([last.status, last.headers.get('X-Monthly-Quota-Remaining')], [200, '0']);
        assert.equal(codeOf(await get(DETAIL, key)), '429 monthly_quota_exceeded');
        assert.deepEqual(await counts(key), [12, 1_000]);
      });

      test('an unknown or malformed path, another method and other endpoints are not counted', async () => {
        const key = await newKey();
        await get('/api/v1/nope', key);
        assert.equal((await get('/api/v1/entities/%E0%A4', key)).status, 400);
        await get('/api/v1/plans', key);
        await get('/api/v1/health/ready', key);
        await metered.service.client.request('POST', '/api/v1/countries', { headers: key.headers });
        await metered.service.client.get('/api/v1/account', { headers: key.session.headers });
        assert.deepEqual(await counts(key), [0, 0]);
      });

      test('a 500 costs no quota and counts in the rate window', async (t) => {
        const key = await newKey();
        t.mock.method(metered.service.services.search, 'find', () => {
          throw new Error('broken');
        });
        assert.deepEqual(await costs(key, '/api/v1/entities?q=broken', 500), [1, 0]);
      });

      test('a 503 costs no quota and counts in the rate window when the registry database is unavailable', async () => {
        await using other = await startService(engine);
        const key = await newKey('free', other);
        await other.services.registryDb.close();
        for (const path of ['/api/v1/countries', DETAIL]) {
          const reply = await other.client.get(path, { headers: key.headers });
          assert.equal(codeOf(reply), '503 service_unavailable');
          assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
        }
        assert.deepEqual(await counts(key, other), [2, 0]);
      });

      test('503 and no data when the accounts database is unavailable and nothing can be counted', async () => {
        await using other = await startService(engine);
        const key = await newKey('free', other);
        assert.equal((await other.client.get('/api/v1/countries', { headers: key.headers })).status, 200);
        // The key is cached, so it is the meter that fails.
        await other.services.accountsDb.close();
        const reply = await other.client.get('/api/v1/countries', { headers: key.headers });
        assert.deepEqual([codeOf(reply), reply.headers.get('retry-after')], ['503 service_unavailable', '1']);
      });
    });

    describe('scope of the limits', () => {
      test('keys of an account share the quota, and each has its own rate window', async () => {
        const one = await newKey('pro');
        const two = await addKey(one.session);
        const show = (reply: Reply) =>
          ['X-RateLimit-Remaining', 'X-Monthly-Quota-Remaining'].map((name) => reply.headers.get(name));
        assert.deepEqual(show(await get(DETAIL, one)), ['599', '99999']);
        assert.deepEqual(show(await get(DETAIL, two)), ['599', '99998']);
        assert.deepEqual(show(await get(DETAIL, one)), ['598', '99997']);
        await setWindow(one, 600);
        assert.equal(codeOf(await get(DETAIL, one)), '429 rate_limit_exceeded');
        assert.deepEqual(show(await get(DETAIL, two)), ['598', '99996']);
        await setWindow(one, 0);
        await setQuota(one, 100_000);
        assert.equal(codeOf(await get(DETAIL, one)), '429 monthly_quota_exceeded');
        assert.equal(codeOf(await get(DETAIL, two)), '429 monthly_quota_exceeded');
        const stranger = await newKey('pro');
        assert.equal((await get(DETAIL, stranger)).status, 200);
      });

      test('both ways to send a key count as the same key', async () => {
        const key = await newKey();
        await get(DETAIL, key);
        const reply = await get(DETAIL, { headers: { authorization: `Bearer ${key.secret}` } });
        assert.equal(reply.headers.get('X-RateLimit-Remaining'), '58');
      });

      test('a revoked key is rejected with 401 and not counted, and its usage stays with the account', async () => {
        const key = await newKey('pro');
        const other = await addKey(key.session);
        await get(DETAIL, key);
        const path = `/api/v1/api-keys/${key.keyId}`;
        assert.equal(
          (await metered.service.client.request('DELETE', path, { headers: key.session.headers })).status,
          204,
        );
        for (const each of ENDPOINTS) assert.equal(codeOf(await get(each, key)), '401 invalid_api_key');
        assert.deepEqual(await counts(key), [1, 1]);
        assert.equal((await get(DETAIL, other)).headers.get('X-Monthly-Quota-Remaining'), '99998');
      });

      test('a changed plan applies to the next request: upgrade, downgrade and billing period', async () => {
        const key = await newKey('free');
        await setQuota(key, 1_000);
        await setWindow(key, 60);
        assert.equal(codeOf(await get(DETAIL, key)), '429 rate_limit_exceeded');
        await setPlan(key, 'pro');
        assert.deepEqual(limitsOf(await get(DETAIL, key)).slice(0, 5), ['600', '539', '1773576060', '100000', '98999']);
        await setPlan(key, 'pro', '2026-03-15T12:00:00Z');
        const paid = limitsOf(await get(DETAIL, key));
        assert.deepEqual(paid.slice(3), ['100000', '99999', '2026-04-15T12:00:00.000Z']);
        await setPlan(key, 'free');
        metered.service.clock.advance(60_000);
        const rejected = await get(DETAIL, key);
        assert.equal(codeOf(rejected), '429 monthly_quota_exceeded');
        assert.deepEqual(limitsOf(rejected), ['60', '59', '1773576120', '1000', '0', '2026-04-01T00:00:00.000Z']);
      });
    });

    describe('GET /account agrees with the headers', () => {
      const account = async ({ session }: TestKey) =>
        (await metered.service.client.get('/api/v1/account', { headers: session.headers })).body.data;

      test('used, remaining, period, days and last use of each key', async () => {
        const one = await newKey('pro');
        const two = await addKey(one.session);
        await get(DETAIL, one);
        await get(UNKNOWN, one);
        metered.service.clock.advance(1_000);
        await get('/api/v1/countries', two);
        metered.service.clock.set('2026-03-16T00:00:00.000Z');
        await get('/api/v1/entities?page=0', two);
        const last = await get('/api/v1/entities', one);
        const { usage, apiKeys } = await account(one);
        assert.deepEqual(usage, {
          periodStart: '2026-03-01T00:00:00.000Z',
          periodEnd: last.headers.get('X-Monthly-Quota-Reset'),
          used: 3,
          limit: Number(last.headers.get('X-Monthly-Quota-Limit')),
          remaining: Number(last.headers.get('X-Monthly-Quota-Remaining')),
          warning: null,
          daily: [
            { date: '2026-03-15', requests: 2 },
            { date: '2026-03-16', requests: 1 },
          ],
        });
        const lastUsed = new Map(
          apiKeys.map(({ id, lastUsedAt }: { id: string; lastUsedAt: string }) => [id, lastUsedAt]),
        );
        assert.equal(lastUsed.get(one.keyId), '2026-03-16T00:00:00.000Z');
        assert.equal(lastUsed.get(two.keyId), '2026-03-16T00:00:00.000Z', 'a rejected request counts as use');
        const { body } = await metered.service.client.get('/api/v1/api-keys', { headers: one.session.headers });
        assert.deepEqual(body.data, apiKeys);
      });

      test('with an exhausted quota, remaining is 0, even after a downgrade', async () => {
        const key = await newKey('pro');
        await setQuota(key, 5_000);
        await setPlan(key, 'free');
        assert.equal((await get(DETAIL, key)).headers.get('X-Monthly-Quota-Remaining'), '0');
        const { usage } = await account(key);
        assert.deepEqual([usage.used, usage.limit, usage.remaining], [5_000, 1_000, 0]);
      });

      test('a new month starts at 0', async () => {
        metered.service.clock.set('2026-03-31T23:59:59.999Z');
        const key = await newKey();
        await get(DETAIL, key);
        assert.equal((await account(key)).usage.used, 1);
        metered.service.clock.advance(1);
        const { usage } = await account(key);
        assert.deepEqual([usage.used, usage.daily, usage.periodStart], [0, [], '2026-04-01T00:00:00.000Z']);
        assert.equal((await get(DETAIL, key)).headers.get('X-Monthly-Quota-Remaining'), '999');
      });
    });
  });
}
