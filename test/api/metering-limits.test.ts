import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createApiKey } from '../../src/core/secrets.ts';
import { createContractCheck } from '../harness/contract-check.ts';
import { engines } from '../harness/databases.ts';
import { DRAFT_HEADERS } from './draft-limits.ts';
import {
  codeOf,
  DETAIL,
  ENDPOINTS,
  INVALID,
  limitsOf,
  METERING_HEADERS,
  UNKNOWN,
  useMeteredService,
} from './metered-service.ts';

for (const engine of engines) {
  describe(`limits of data endpoints on ${engine}`, () => {
    const metered = useMeteredService(engine);
    const { get, newKey, setQuota, setWindow, counts } = metered;

    describe('requests over a limit are rejected with 429', () => {
      test('rate_limit_exceeded: 60 of 70 concurrent requests pass on the free plan, and Remaining counts down to 0', async () => {
        const key = await newKey();
        const replies = await Promise.all(Array.from({ length: 70 }, (_, n) => get(ENDPOINTS[n % 3] as string, key)));
        const passed = replies.filter(({ status }) => status === 200);
        assert.equal(passed.length, 60);
        for (const name of ['X-RateLimit-Remaining', 'X-Monthly-Quota-Remaining']) {
          const remaining = passed.map(({ headers }) => Number(headers.get(name))).sort((a, b) => a - b);
          const least = name.startsWith('X-Rate') ? 0 : 940;
          assert.deepEqual(
            remaining,
            Array.from({ length: 60 }, (_, index) => least + index),
          );
        }
        for (const reply of replies.filter(({ status }) => status !== 200)) {
          assert.equal(codeOf(reply), '429 rate_limit_exceeded');
          assert.equal(reply.headers.get('retry-after'), '43', '42.75 seconds are rounded up');
          const [limit, left, reset, quota, , quotaReset] = limitsOf(reply);
          assert.deepEqual(
            [limit, left, reset, quota, quotaReset],
            ['60', '0', '1773576060', '1000', '2026-04-01T00:00:00.000Z'],
          );
          assert.equal(reply.headers.get('etag'), null);
        }
        assert.deepEqual(await counts(key), [60, 60], 'rejected requests cost nothing');
        assert.equal((await get('/api/v1/countries', key)).headers.get('X-Monthly-Quota-Remaining'), '940');
      });

      test('rate_limit_exceeded: a retry after Retry-After seconds is served, a second earlier is not', async () => {
        for (const time of ['00.000', '00.001', '17.250', '59.000', '59.001', '59.999']) {
          const key = await newKey();
          metered.service.clock.set(`2026-03-15T12:00:${time}Z`);
          await setWindow(key, 60);
          const rejected = await get('/api/v1/countries', key);
          assert.equal(codeOf(rejected), '429 rate_limit_exceeded');
          const text = rejected.headers.get('retry-after') ?? '';
          assert.match(text, /^[1-9]\d*$/);
          assert.equal(Number(text), Math.ceil(60 - Number(time)), time);
          metered.service.clock.advance((Number(text) - 1) * 1_000);
          assert.equal(codeOf(await get('/api/v1/countries', key)), '429 rate_limit_exceeded', time);
          metered.service.clock.advance(1_000);
          const served = await get('/api/v1/countries', key);
          assert.deepEqual([served.status, served.headers.get('X-RateLimit-Remaining')], [200, '59'], time);
        }
      });

      test('monthly_quota_exceeded: Retry-After is the time until the end of the period', async () => {
        for (const [time, seconds, turn] of [
          ['2026-03-15T12:00:00.000Z', 16.5 * 86_400, '2026-04-01T00:00:00.000Z'],
          ['2026-03-31T23:59:30.500Z', 30, '2026-04-01T00:00:00.000Z'],
          ['2026-03-31T23:59:59.000Z', 1, '2026-04-01T00:00:00.000Z'],
          ['2026-03-31T23:59:59.999Z', 1, '2026-04-01T00:00:00.000Z'],
          ['2028-02-01T00:00:00.000Z', 29 * 86_400, '2028-03-01T00:00:00.000Z'],
        ] as const) {
          const key = await newKey();
          metered.service.clock.set(time);
          await setQuota(key, 1_000, `${time.slice(0, 7)}-01T00:00:00Z`);
          const rejected = await get(DETAIL, key);
          assert.equal(codeOf(rejected), '429 monthly_quota_exceeded');
          const retryAfter = rejected.headers.get('retry-after');
          assert.equal(retryAfter, String(seconds));
          const [limit, left, , quota, quotaLeft, quotaReset] = limitsOf(rejected);
          assert.deepEqual([limit, left, quota, quotaLeft, quotaReset], ['60', '59', '1000', '0', turn]);
          metered.service.clock.advance((seconds - 1) * 1_000);
          assert.equal(codeOf(await get(DETAIL, key)), '429 monthly_quota_exceeded', time);
          metered.service.clock.advance(1_000);
          const served = await get(DETAIL, key);
          assert.deepEqual([served.status, served.headers.get('X-Monthly-Quota-Remaining')], [200, '999'], time);
        }
      });

      test('monthly_quota_exceeded counts in the rate window and costs no quota', async () => {
        const key = await newKey();
        await setQuota(key, 1_000);
        for (const path of ENDPOINTS) assert.equal(codeOf(await get(path, key)), '429 monthly_quota_exceeded');
        assert.deepEqual(await counts(key), [3, 1_000]);
      });

      test('HEAD is rejected in the same way, without a body', async () => {
        const key = await newKey();
        await setQuota(key, 1_000);
        const quota = await metered.service.client.request('HEAD', DETAIL, { headers: key.headers });
        await setWindow(key, 60);
        const window = await metered.service.client.request('HEAD', DETAIL, { headers: key.headers });
        assert.deepEqual([quota.status, quota.text, window.status, window.text], [429, '', 429, '']);
        assert.deepEqual(
          [quota.headers.get('retry-after'), window.headers.get('retry-after')],
          [String(Math.ceil((Date.parse('2026-04-01') - metered.service.clock.now()) / 1000)), '43'],
        );
      });

      test('a key that replaces a revoked one has no fresh minute, and the 429 says why', async () => {
        const first = await newKey();
        for (let at = 0; at < 60; at++) assert.equal((await get('/api/v1/countries', first)).status, 200);
        const { apiKeys } = metered.service.services;
        await apiKeys.revoke(first.session.account.accountId, first.keyId);
        const second = await metered.addKey(first.session);
        const denied = await get('/api/v1/countries', second);
        assert.equal(codeOf(denied), '429 rate_limit_exceeded');
        assert.match(
          denied.body.error.message,
          /^All keys of this account together have used their 60 requests of this minute/,
        );
        assert.equal(denied.headers.get('retry-after'), '43');
        assert.deepEqual(limitsOf(denied).slice(0, 2), ['60', '59'], 'the headers are those of the key');
        metered.service.clock.set('2026-03-15T12:01:00.000Z');
        assert.equal((await get('/api/v1/countries', second)).status, 200);
      });

      test('a 429 without Retry-After or one of the six headers would not match the contract', async () => {
        const key = await newKey();
        await setWindow(key, 60);
        const reply = await get('/api/v1/countries', key);
        const check = createContractCheck((await metered.service.client.get('/api/v1/openapi.json')).body);
        check('GET', '/api/v1/countries', reply);
        for (const name of ['Retry-After', ...METERING_HEADERS, ...DRAFT_HEADERS]) {
          const headers = new Headers(reply.headers);
          headers.delete(name);
          assert.throws(
            () => check('GET', '/api/v1/countries', { ...reply, headers }),
            new RegExp(`the header ${name} is missing`),
          );
        }
        const headers = new Headers(reply.headers);
        headers.set('Retry-After', '42.75');
        assert.throws(() => check('GET', '/api/v1/countries', { ...reply, headers }), /does not match the contract/);
      });
    });

    describe('the order of checks: key, rate window, validation, quota', () => {
      test('401 before 429: an invalid key together with a key that has reached its limits', async () => {
        const key = await newKey();
        await setWindow(key, 60);
        await setQuota(key, 1_000);
        const both = { 'x-api-key': createApiKey('live'), authorization: `Bearer ${key.secret}` };
        for (const path of [...ENDPOINTS, ...INVALID]) {
          assert.equal(codeOf(await get(path, { headers: both })), '401 invalid_api_key');
        }
        assert.deepEqual(await counts(key), [60, 1_000]);
      });

      test('429 rate_limit_exceeded before 400: an invalid request with an exhausted rate window', async () => {
        const key = await newKey();
        await setWindow(key, 60);
        for (const path of INVALID) assert.equal(codeOf(await get(path, key)), '429 rate_limit_exceeded');
        await setQuota(key, 1_000);
        for (const path of INVALID) assert.equal(codeOf(await get(path, key)), '429 rate_limit_exceeded');
        for (const path of ENDPOINTS) assert.equal(codeOf(await get(path, key)), '429 rate_limit_exceeded');
      });

      test('400 before 429 monthly_quota_exceeded: an invalid request with an exhausted quota', async () => {
        const key = await newKey();
        await setQuota(key, 1_000);
        for (const path of INVALID) {
          const reply = await get(path, key);
          assert.equal(codeOf(reply), '400 invalid_request');
          assert.equal(reply.headers.get('retry-after'), null);
        }
        assert.deepEqual(await counts(key), [3, 1_000]);
      });

      test('429 monthly_quota_exceeded before the work: no 304 and no 404 with an exhausted quota', async () => {
        const key = await newKey();
        const tags = new Map<string, string>();
        for (const path of ENDPOINTS) tags.set(path, (await get(path, key)).headers.get('etag') ?? '');
        await setQuota(key, 1_000);
        for (const [path, tag] of tags) {
          assert.equal(codeOf(await get(path, key, { 'if-none-match': tag })), '429 monthly_quota_exceeded');
        }
        assert.equal(codeOf(await get(UNKNOWN, key)), '429 monthly_quota_exceeded');
      });
    });
  });
}
