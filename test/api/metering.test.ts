import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { PlanId } from '../../src/core/plans.ts';
import { createApiKey } from '../../src/core/secrets.ts';
import type { Caller } from '../../src/core/usage.ts';
import { NO_KEY } from '../harness/client.ts';
import { createContractCheck, type Reply } from '../harness/contract-check.ts';
import { engines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { grantPlan } from '../harness/payment-events.ts';
import { startService, type TestService, type TestSession } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

/** The exact spelling is part of the contract. */
const METERING = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Monthly-Quota-Limit',
  'X-Monthly-Quota-Remaining',
  'X-Monthly-Quota-Reset',
];
/** UUIDv5 of GB/gb/00000001. */
const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';
const DETAIL = `/api/v1/entities/${ALPHA}`;
const UNKNOWN = '/api/v1/entities/00000000-0000-5000-8000-000000000000';
const ENDPOINTS = ['/api/v1/countries', '/api/v1/entities?q=alpha', DETAIL];
const INVALID = ['/api/v1/countries?x=1', '/api/v1/entities?page=0', '/api/v1/entities/malformed'];

const limitsOf = ({ headers }: Pick<Reply, 'headers'>) => METERING.map((name) => headers.get(name));
const codeOf = ({ status, body }: Reply) => `${status} ${body?.error?.code ?? ''}`.trim();

interface Who {
  readonly session: TestSession;
  readonly key: string;
  readonly keyId: string;
  readonly caller: Caller;
  readonly headers: Record<string, string>;
}

for (const engine of engines) {
  describe(`limits of data endpoints on ${engine}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(engine, { limits: { guessDelayMs: 0 } });
      await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
    });
    after(() => service[Symbol.asyncDispose]());
    beforeEach(() => service.clock.set('2026-03-15T12:00:17.250Z'));

    const get = (path: string, { headers }: Pick<Who, 'headers'>, more: Record<string, string> = {}) =>
      service.client.get(path, { headers: { ...headers, ...more } });

    async function addKey(session: TestSession, of = service): Promise<Who> {
      const { secret, id } = await of.services.apiKeys.create(session.account.accountId, 'test');
      const caller = (await of.services.apiKeys.findKey(secret)) ?? assert.fail('the key is not known');
      return { session, key: secret, keyId: id, caller, headers: { 'x-api-key': secret } };
    }
    const newKey = async (plan: PlanId = 'free', of = service) => addKey(await of.signIn({ plan }), of);

    async function setQuota({ caller }: Who, used: number, periodStart = '2026-03-01T00:00:00Z'): Promise<void> {
      await service.services.accountsDb.run(
        `INSERT INTO quotas (account_id, period_start, used, granted, most) VALUES ($1, $2, $3, 0, 0)
          ON CONFLICT (account_id, period_start) DO UPDATE SET used = excluded.used`,
        [caller.accountId, Date.parse(periodStart), used],
      );
    }
    async function setWindow({ caller }: Who, used: number): Promise<void> {
      const minute = Math.floor(service.clock.now() / 60_000) * 60_000;
      await service.services.accountsDb.run(
        `INSERT INTO rate_windows (key_id, minute, used, granted, most) VALUES ($1, $2, $3, 0, 0)
          ON CONFLICT (key_id) DO UPDATE SET minute = excluded.minute, used = excluded.used`,
        [caller.keyId, minute, used],
      );
    }
    /** The stored counts: rate window, and quota of all periods. */
    async function counts({ caller }: Who, { services } = service): Promise<[number, number]> {
      const window = await services.accountsDb.one<{ used: number }>(
        'SELECT used FROM rate_windows WHERE key_id = $1',
        [caller.keyId],
      );
      const quota = await services.accountsDb.one<{ used: number }>(
        'SELECT CAST(sum(used) AS BIGINT) AS used FROM quotas WHERE account_id = $1',
        [caller.accountId],
      );
      return [window?.used ?? 0, quota?.used ?? 0];
    }
    async function setPlan({ caller }: Who, plan: PlanId, anchor: string | null = null): Promise<void> {
      await grantPlan(service.services, caller.accountId, plan, anchor === null ? {} : { period: { start: anchor } });
    }

    describe('the six headers', () => {
      test('every 200 of all three endpoints has exact values for GET and HEAD, one less with each request', async () => {
        const who = await newKey();
        let left = 60;
        for (const path of ENDPOINTS) {
          for (const method of ['GET', 'HEAD']) {
            const reply = await service.client.request(method, path, { headers: who.headers });
            left--;
            assert.equal(reply.status, 200);
            assert.deepEqual(
              limitsOf(reply),
              ['60', String(left), '1773576060', '1000', String(940 + left), '2026-04-01T00:00:00.000Z'],
              `${method} ${path}`,
            );
          }
        }
        assert.equal(Date.parse('2026-03-15T12:01:00Z') / 1000, 1_773_576_060);
        assert.deepEqual(await counts(who), [6, 6]);
      });

      for (const [plan, perMinute, perPeriod] of [
        ['free', 60, 1_000],
        ['pro', 600, 100_000],
        ['business', 3_000, 1_000_000],
      ] as const) {
        test(`plan ${plan}: ${perMinute} requests per minute, ${perPeriod} per period`, async () => {
          const who = await newKey(plan);
          const [limit, left, , quota, quotaLeft] = limitsOf(await get('/api/v1/countries', who)).map(Number);
          assert.deepEqual([limit, left, quota, quotaLeft], [perMinute, perMinute - 1, perPeriod, perPeriod - 1]);
          // The last allowed request passes, the next one does not.
          await setWindow(who, perMinute - 1);
          assert.equal(codeOf(await get('/api/v1/countries', who)), '200');
          assert.equal(codeOf(await get('/api/v1/countries', who)), '429 rate_limit_exceeded');
          service.clock.advance(60_000);
          await setQuota(who, perPeriod - 1);
          assert.equal(codeOf(await get('/api/v1/countries', who)), '200');
          assert.equal(codeOf(await get('/api/v1/countries', who)), '429 monthly_quota_exceeded');
        });
      }

      test('the quota of a paid plan resets at the end of its billing period', async () => {
        const who = await newKey('pro');
        await setPlan(who, 'pro', '2026-01-31T10:20:30.000Z');
        const reply = await get('/api/v1/countries', who);
        assert.equal(reply.headers.get('X-Monthly-Quota-Reset'), '2026-03-31T10:20:30.000Z');
      });

      test('responses to unauthenticated requests do not have them', async () => {
        for (const key of [NO_KEY, createApiKey('live'), 'damaged']) {
          const reply = await get('/api/v1/countries', { headers: { 'x-api-key': key } });
          assert.equal(reply.status, 401);
          assert.deepEqual(limitsOf(reply), Array(6).fill(null));
        }
      });

      test('header names have one spelling and occur once, on 200 and on both 429', async () => {
        const who = await newKey();
        const seen = new Map<string, Set<string>>();
        const look = async (path: string, status: number) => {
          const raw = await readRaw(service.url + path, who.key);
          assert.equal(raw.status, status, path);
          for (const name of raw.names) {
            const forms = seen.get(name.toLowerCase()) ?? new Set();
            seen.set(name.toLowerCase(), forms.add(name));
          }
          for (const name of METERING) {
            const same = raw.names.filter((each) => each.toLowerCase() === name.toLowerCase());
            assert.equal(same.length, 1, `${name} on ${status} of ${path}`);
          }
        };
        for (const path of ENDPOINTS) await look(path, 200);
        await setQuota(who, 1_000);
        for (const path of ENDPOINTS) await look(path, 429);
        await setWindow(who, 60);
        for (const path of ENDPOINTS) await look(path, 429);
        for (const [name, forms] of seen) assert.equal(forms.size, 1, `${name}: ${[...forms].join(', ')}`);
        assert.ok(seen.has('retry-after') && seen.has('x-request-id'));
      });
    });

    describe('429', () => {
      test('rate_limit_exceeded: 60 of 70 concurrent requests pass on the free plan, and Remaining counts down to 0', async () => {
        const who = await newKey();
        const replies = await Promise.all(Array.from({ length: 70 }, (_, n) => get(ENDPOINTS[n % 3] as string, who)));
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
        assert.deepEqual(await counts(who), [60, 60], 'rejected requests cost nothing');
        assert.equal((await get('/api/v1/countries', who)).headers.get('X-Monthly-Quota-Remaining'), '940');
      });

      test('rate_limit_exceeded: a retry after Retry-After seconds is served, a second earlier is not', async () => {
        for (const time of ['00.000', '00.001', '17.250', '59.000', '59.001', '59.999']) {
          const who = await newKey();
          service.clock.set(`2026-03-15T12:00:${time}Z`);
          await setWindow(who, 60);
          const refused = await get('/api/v1/countries', who);
          assert.equal(codeOf(refused), '429 rate_limit_exceeded');
          const text = refused.headers.get('retry-after') ?? '';
          assert.match(text, /^[1-9]\d*$/);
          assert.equal(Number(text), Math.ceil(60 - Number(time)), time);
          service.clock.advance((Number(text) - 1) * 1_000);
          assert.equal(codeOf(await get('/api/v1/countries', who)), '429 rate_limit_exceeded', time);
          service.clock.advance(1_000);
          const served = await get('/api/v1/countries', who);
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
          const who = await newKey();
          service.clock.set(time);
          await setQuota(who, 1_000, `${time.slice(0, 7)}-01T00:00:00Z`);
          const refused = await get(DETAIL, who);
          assert.equal(codeOf(refused), '429 monthly_quota_exceeded');
          const retryAfter = refused.headers.get('retry-after');
          assert.equal(retryAfter, String(seconds));
          const [limit, left, , quota, quotaLeft, quotaReset] = limitsOf(refused);
          assert.deepEqual([limit, left, quota, quotaLeft, quotaReset], ['60', '59', '1000', '0', turn]);
          service.clock.advance((seconds - 1) * 1_000);
          assert.equal(codeOf(await get(DETAIL, who)), '429 monthly_quota_exceeded', time);
          service.clock.advance(1_000);
          const served = await get(DETAIL, who);
          assert.deepEqual([served.status, served.headers.get('X-Monthly-Quota-Remaining')], [200, '999'], time);
        }
      });

      test('monthly_quota_exceeded counts in the rate window and costs no quota', async () => {
        const who = await newKey();
        await setQuota(who, 1_000);
        for (const path of ENDPOINTS) assert.equal(codeOf(await get(path, who)), '429 monthly_quota_exceeded');
        assert.deepEqual(await counts(who), [3, 1_000]);
      });

      test('HEAD is rejected in the same way, without a body', async () => {
        const who = await newKey();
        await setQuota(who, 1_000);
        const quota = await service.client.request('HEAD', DETAIL, { headers: who.headers });
        await setWindow(who, 60);
        const window = await service.client.request('HEAD', DETAIL, { headers: who.headers });
        assert.deepEqual([quota.status, quota.text, window.status, window.text], [429, '', 429, '']);
        assert.deepEqual(
          [quota.headers.get('retry-after'), window.headers.get('retry-after')],
          [String(Math.ceil((Date.parse('2026-04-01') - service.clock.now()) / 1000)), '43'],
        );
      });

      test('a 429 without Retry-After or one of the six headers would not match the contract', async () => {
        const who = await newKey();
        await setWindow(who, 60);
        const reply = await get('/api/v1/countries', who);
        const check = createContractCheck((await service.client.get('/api/v1/openapi.json')).body);
        check('GET', '/api/v1/countries', reply);
        for (const name of ['Retry-After', ...METERING]) {
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
        const who = await newKey();
        await setWindow(who, 60);
        await setQuota(who, 1_000);
        const both = { ...who.headers, authorization: `Bearer ${createApiKey('live')}` };
        for (const path of [...ENDPOINTS, ...INVALID]) {
          assert.equal(codeOf(await get(path, { headers: both })), '401 invalid_api_key');
        }
        assert.deepEqual(await counts(who), [60, 1_000]);
      });

      test('429 rate_limit_exceeded before 400: an invalid request with an exhausted rate window', async () => {
        const who = await newKey();
        await setWindow(who, 60);
        for (const path of INVALID) assert.equal(codeOf(await get(path, who)), '429 rate_limit_exceeded');
        await setQuota(who, 1_000);
        for (const path of INVALID) assert.equal(codeOf(await get(path, who)), '429 rate_limit_exceeded');
        for (const path of ENDPOINTS) assert.equal(codeOf(await get(path, who)), '429 rate_limit_exceeded');
      });

      test('400 before 429 monthly_quota_exceeded: an invalid request with an exhausted quota', async () => {
        const who = await newKey();
        await setQuota(who, 1_000);
        for (const path of INVALID) {
          const reply = await get(path, who);
          assert.equal(codeOf(reply), '400 invalid_request');
          assert.equal(reply.headers.get('retry-after'), null);
        }
        assert.deepEqual(await counts(who), [3, 1_000]);
      });

      test('429 monthly_quota_exceeded before the work: no 304 and no 404 with an exhausted quota', async () => {
        const who = await newKey();
        const tags = new Map<string, string>();
        for (const path of ENDPOINTS) tags.set(path, (await get(path, who)).headers.get('etag') ?? '');
        await setQuota(who, 1_000);
        for (const [path, tag] of tags) {
          assert.equal(codeOf(await get(path, who, { 'if-none-match': tag })), '429 monthly_quota_exceeded');
        }
        assert.equal(codeOf(await get(UNKNOWN, who)), '429 monthly_quota_exceeded');
      });
    });

    describe('charges', () => {
      const costs = async (who: Who, path: string, status: number, more: Record<string, string> = {}) => {
        const [windowBefore, quotaBefore] = await counts(who);
        for (const method of ['GET', 'HEAD']) {
          const reply = await service.client.request(method, path, { headers: { ...who.headers, ...more } });
          assert.equal(reply.status, status, `${method} ${path}`);
        }
        const [window, quota] = await counts(who);
        return [(window - windowBefore) / 2, (quota - quotaBefore) / 2];
      };

      test('a 200 costs one request of the rate window and one of the quota, on each endpoint, for GET and HEAD', async () => {
        const who = await newKey();
        for (const path of ENDPOINTS) assert.deepEqual(await costs(who, path, 200), [1, 1], path);
        assert.deepEqual(await costs(who, '/api/v1/entities?q=nothing+like+it', 200), [1, 1], 'even without results');
        assert.deepEqual(await costs(who, DETAIL, 200, { 'if-none-match': '"old"' }), [1, 1]);
      });

      test('a 304 costs no quota and counts in the rate window', async () => {
        const who = await newKey();
        for (const path of ENDPOINTS) {
          const tag = (await get(path, who)).headers.get('etag') ?? '';
          assert.deepEqual(await costs(who, path, 304, { 'if-none-match': tag }), [1, 0], path);
          assert.deepEqual(await costs(who, path, 304, { 'if-none-match': '*' }), [1, 0], path);
        }
      });

      test('a 400 costs no quota and counts in the rate window', async () => {
        const who = await newKey();
        for (const path of INVALID) assert.deepEqual(await costs(who, path, 400), [1, 0], path);
      });

      test('a 404 for an unknown entity costs no quota and counts in the rate window', async () => {
        const who = await newKey();
        assert.deepEqual(await costs(who, UNKNOWN, 404), [1, 0]);
        assert.deepEqual(await costs(who, UNKNOWN, 404, { 'if-none-match': '*' }), [1, 0]);
      });

      test('a refund can be used again: the last request of a quota is served after any number of 404 and 304', async () => {
        const who = await newKey();
        await setQuota(who, 999);
        for (let round = 0; round < 5; round++) {
          assert.equal((await get(UNKNOWN, who)).status, 404);
          assert.equal((await get(DETAIL, who, { 'if-none-match': '*' })).status, 304);
        }
        const last = await get(DETAIL, who);
        assert.deepEqual([last.status, last.headers.get('X-Monthly-Quota-Remaining')], [200, '0']);
        assert.equal(codeOf(await get(DETAIL, who)), '429 monthly_quota_exceeded');
        assert.deepEqual(await counts(who), [12, 1_000]);
      });

      test('an unknown path, another method and other endpoints are not counted', async () => {
        const who = await newKey();
        await get('/api/v1/nope', who);
        await get('/api/v1/plans', who);
        await get('/api/v1/health/ready', who);
        await service.client.request('POST', '/api/v1/countries', { headers: who.headers });
        await service.client.get('/api/v1/account', { headers: who.session.headers });
        assert.deepEqual(await counts(who), [0, 0]);
      });

      test('a 500 costs no quota and counts in the rate window', async (t) => {
        const who = await newKey();
        t.mock.method(service.services.search, 'find', () => {
          throw new Error('broken');
        });
        assert.deepEqual(await costs(who, '/api/v1/entities?q=broken', 500), [1, 0]);
      });

      test('a 503 costs no quota and counts in the rate window when the registry database is unavailable', async () => {
        await using other = await startService(engine);
        const who = await newKey('free', other);
        await other.services.registryDb.close();
        for (const path of ['/api/v1/countries', DETAIL]) {
          const reply = await other.client.get(path, { headers: who.headers });
          assert.equal(codeOf(reply), '503 service_unavailable');
          assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
        }
        assert.deepEqual(await counts(who, other), [2, 0]);
      });

      test('503 and no data when the accounts database is unavailable and nothing can be counted', async () => {
        await using other = await startService(engine);
        const who = await newKey('free', other);
        assert.equal((await other.client.get('/api/v1/countries', { headers: who.headers })).status, 200);
        // The key is cached, so it is the meter that fails.
        await other.services.accountsDb.close();
        const reply = await other.client.get('/api/v1/countries', { headers: who.headers });
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
        const who = await newKey();
        await get(DETAIL, who);
        const reply = await get(DETAIL, { headers: { authorization: `Bearer ${who.key}` } });
        assert.equal(reply.headers.get('X-RateLimit-Remaining'), '58');
      });

      test('a revoked key is rejected with 401 and not counted, and its usage stays with the account', async () => {
        const who = await newKey('pro');
        const other = await addKey(who.session);
        await get(DETAIL, who);
        const path = `/api/v1/api-keys/${who.keyId}`;
        assert.equal((await service.client.request('DELETE', path, { headers: who.session.headers })).status, 204);
        for (const each of ENDPOINTS) assert.equal(codeOf(await get(each, who)), '401 invalid_api_key');
        assert.deepEqual(await counts(who), [1, 1]);
        assert.equal((await get(DETAIL, other)).headers.get('X-Monthly-Quota-Remaining'), '99998');
      });

      test('a changed plan applies to the next request: upgrade, downgrade and billing period', async () => {
        const who = await newKey('free');
        await setQuota(who, 1_000);
        await setWindow(who, 60);
        assert.equal(codeOf(await get(DETAIL, who)), '429 rate_limit_exceeded');
        await setPlan(who, 'pro');
        assert.deepEqual(limitsOf(await get(DETAIL, who)).slice(0, 5), ['600', '539', '1773576060', '100000', '98999']);
        await setPlan(who, 'pro', '2026-03-15T12:00:00Z');
        const paid = limitsOf(await get(DETAIL, who));
        assert.deepEqual(paid.slice(3), ['100000', '99999', '2026-04-15T12:00:00.000Z']);
        await setPlan(who, 'free');
        service.clock.advance(60_000);
        const refused = await get(DETAIL, who);
        assert.equal(codeOf(refused), '429 monthly_quota_exceeded');
        assert.deepEqual(limitsOf(refused), ['60', '59', '1773576120', '1000', '0', '2026-04-01T00:00:00.000Z']);
      });
    });

    describe('GET /account agrees with the headers', () => {
      const account = async ({ session }: Who) =>
        (await service.client.get('/api/v1/account', { headers: session.headers })).body.data;

      test('used, remaining, period, days and last use of each key', async () => {
        const one = await newKey('pro');
        const two = await addKey(one.session);
        await get(DETAIL, one);
        await get(UNKNOWN, one);
        service.clock.advance(1_000);
        await get('/api/v1/countries', two);
        service.clock.set('2026-03-16T00:00:00.000Z');
        await get('/api/v1/entities?page=0', two);
        const last = await get('/api/v1/entities', one);
        const { usage, apiKeys } = await account(one);
        assert.deepEqual(usage, {
          periodStart: '2026-03-01T00:00:00.000Z',
          periodEnd: last.headers.get('X-Monthly-Quota-Reset'),
          used: 3,
          limit: Number(last.headers.get('X-Monthly-Quota-Limit')),
          remaining: Number(last.headers.get('X-Monthly-Quota-Remaining')),
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
        const { body } = await service.client.get('/api/v1/api-keys', { headers: one.session.headers });
        assert.deepEqual(body.data, apiKeys);
      });

      test('with an exhausted quota, remaining is 0, even after a downgrade', async () => {
        const who = await newKey('pro');
        await setQuota(who, 5_000);
        await setPlan(who, 'free');
        assert.equal((await get(DETAIL, who)).headers.get('X-Monthly-Quota-Remaining'), '0');
        const { usage } = await account(who);
        assert.deepEqual([usage.used, usage.limit, usage.remaining], [5_000, 1_000, 0]);
      });

      test('a new month starts at 0', async () => {
        service.clock.set('2026-03-31T23:59:59.999Z');
        const who = await newKey();
        await get(DETAIL, who);
        assert.equal((await account(who)).usage.used, 1);
        service.clock.advance(1);
        const { usage } = await account(who);
        assert.deepEqual([usage.used, usage.daily, usage.periodStart], [0, [], '2026-04-01T00:00:00.000Z']);
        assert.equal((await get(DETAIL, who)).headers.get('X-Monthly-Quota-Remaining'), '999');
      });
    });
  });
}

describe('limits in the contract', () => {
  const contract = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
  const DATA = ['/api/v1/countries', '/api/v1/entities', '/api/v1/entities/{id}'];

  for (const path of DATA) {
    test(`${path} lists the six headers on 200 and 429, and Retry-After on 429 and 503`, () => {
      const { responses } = contract.paths[path].get;
      for (const name of METERING) {
        for (const status of [200, 429]) {
          assert.deepEqual(
            responses[status].headers[name],
            { $ref: `#/components/headers/${name}` },
            `${status} ${name}`,
          );
        }
      }
      for (const status of [429, 503]) assert.ok('Retry-After' in responses[status].headers, String(status));
      assert.deepEqual(responses[429]['x-error-codes'], ['rate_limit_exceeded', 'monthly_quota_exceeded']);
    });
  }

  test('the headers have the documented types and are required', () => {
    for (const name of METERING) {
      const { schema, required, description } = contract.components.headers[name];
      const expected = name === 'X-Monthly-Quota-Reset' ? ['string', 'date-time'] : ['integer', undefined];
      assert.deepEqual([schema.type, schema.format], expected, name);
      assert.equal(required, true);
      assert.ok(description.length > 10);
    }
  });

  test('no other operation declares them', () => {
    for (const [path, operations] of Object.entries<Record<string, { responses: Record<string, object> }>>(
      contract.paths,
    )) {
      if (DATA.includes(path)) continue;
      for (const { responses } of Object.values(operations)) {
        assert.doesNotMatch(JSON.stringify(responses ?? {}), /X-RateLimit|X-Monthly-Quota/, path);
      }
    }
  });
});

function readRaw(url: string, key: string): Promise<{ status: number; names: string[] }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { 'x-api-key': key } }, (response) => {
      response.resume();
      response.on('end', () => {
        const names = response.rawHeaders.filter((_, index) => index % 2 === 0);
        resolve({ status: response.statusCode ?? 0, names });
      });
    });
    sent.on('error', reject).end();
  });
}
