import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fail } from '../../src/base/errors.ts';
import { createApiKey } from '../../src/base/secrets.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { startService } from '../harness/service.ts';
import { codeOf, DETAIL, ENDPOINTS, INVALID, limitsOf, UNKNOWN, useMeteredService } from './metered-service.ts';

const [RATE, QUOTA] = ['429 rate_limit_exceeded', '429 monthly_quota_exceeded'];
const [MINUTE, MONTH] = ['1773576060', '2026-04-01T00:00:00.000Z'];

/** A data request with a key of the free plan: its status, and what it costs of the rate window and of the quota. */
type Cost = readonly [path: string, status: number, window: number, quota: number, headers?: Record<string, string>];

const COSTS: readonly Cost[] = [
  ...ENDPOINTS.map((path): Cost => [path, 200, 1, 1]),
  ['/api/v1/entities?q=nothing+like+it', 200, 1, 1],
  [DETAIL, 200, 1, 1, { 'if-none-match': '"old"' }],
  ...ENDPOINTS.flatMap((path): Cost[] => [
    [path, 304, 1, 0, { 'if-none-match': 'current' }],
    [path, 304, 1, 1, { 'if-none-match': '*' }],
  ]),
  ...[...INVALID, '/api/v1/entities?q=%E0%A4'].map((path): Cost => [path, 400, 1, 0]),
  [UNKNOWN, 404, 1, 0],
  [UNKNOWN, 404, 1, 0, { 'if-none-match': '*' }],
  ['/api/v1/entities?q=broken', 500, 1, 0],
  ['/api/v1/entities?q=down', 503, 1, 0],
  ['/api/v1/changes?cursor=x', 400, 1, 0],
  [`/api/v1/changes?cursor=${Buffer.from('999-zzzz.0').toString('base64url')}`, 410, 1, 0],
  ['/api/v1/nope', 404, 0, 0],
  ['/api/v1/entities/%E0%A4', 400, 0, 0],
  ['/api/v1/plans', 200, 0, 0],
  ['/api/v1/health/ready', 200, 0, 0],
];

describeOn(usualEngines, 'what data requests cost', (engine) => {
  const metered = useMeteredService(engine);
  const { get, addKey, newKey, setQuota, setWindow, counts, setPlan } = metered;
  test('each answer costs what it should, for GET and HEAD, and its headers say what is left', async (t) => {
    const { search } = metered.service.services;
    const find = search.find.bind(search);
    t.mock.method(search, 'find', (...given: Parameters<typeof find>) => {
      if (given[0].q === 'broken') throw new Error('broken');
      if (given[0].q === 'down') throw fail('service_unavailable', { retryAfter: 1 });
      return find(...given);
    });
    for (const [path, status, window, quota, more = {}] of COSTS) {
      const key = await newKey();
      const tag = (await get(path, await newKey())).headers.get('etag') ?? '';
      const sent = more['if-none-match'] === 'current' ? { 'if-none-match': tag } : more;
      for (const [at, method] of ['GET', 'HEAD'].entries()) {
        const reply = await metered.service.client.request(method, path, { headers: { ...key.headers, ...sent } });
        const where = `${method} ${path} ${JSON.stringify(more)}`;
        assert.equal(reply.status, status, where);
        const left = [60 - window * (at + 1), 1_000 - quota * (at + 1)].map(String);
        const expected = window === 0 ? Array(6).fill(null) : ['60', left[0], MINUTE, '1000', left[1], MONTH];
        assert.deepEqual(limitsOf(reply), expected, where);
      }
      assert.deepEqual(await counts(key), [2 * window, 2 * quota], path);
    }
    const key = await newKey();
    await metered.service.client.request('POST', '/api/v1/countries', { headers: key.headers });
    await metered.service.client.get('/api/v1/account', { headers: key.session.headers });
    assert.deepEqual(await counts(key), [0, 0], 'another method and other operations are not counted');
  });

  for (const [plan, perMinute, perPeriod] of [
    ['free', 60, 1_000],
    ['pro', 600, 100_000],
    ['business', 3_000, 1_000_000],
  ] as const) {
    test(`plan ${plan}: ${perMinute} requests per minute, ${perPeriod} per period`, async () => {
      const key = await newKey(plan);
      const [limit, left, , quota, quotaLeft] = limitsOf(await get('/api/v1/countries', key)).map(Number);
      assert.deepEqual([limit, left, quota, quotaLeft], [perMinute, perMinute - 1, perPeriod, perPeriod - 1]);
      await setWindow(key, perMinute - 1);
      assert.equal(codeOf(await get('/api/v1/countries', key)), '200');
      assert.equal(codeOf(await get('/api/v1/countries', key)), RATE);
      metered.service.clock.advance(60_000);
      await setQuota(key, perPeriod - 1);
      assert.equal(codeOf(await get('/api/v1/countries', key)), '200');
      assert.equal(codeOf(await get('/api/v1/countries', key)), QUOTA);
    });
  }

  test('a request is served Retry-After seconds after a 429, and not a second earlier', async () => {
    const minutes = ['00.000', '00.001', '17.250', '59.000', '59.001', '59.999'].map((second) => {
      const time = `2026-03-15T12:00:${second}Z`;
      return [time, Math.ceil(60 - Number(second)), RATE, '59', 0] as const;
    });
    const months = [
      ['2026-03-15T12:00:00.000Z', 16.5 * 86_400, QUOTA, '59', 1],
      ['2026-03-31T23:59:30.500Z', 30, QUOTA, '59', 1],
      ['2026-03-31T23:59:59.999Z', 1, QUOTA, '59', 1],
      ['2028-02-01T00:00:00.000Z', 29 * 86_400, QUOTA, '59', 1],
    ] as const;
    for (const [time, seconds, code] of [...minutes, ...months]) {
      const key = await newKey();
      metered.service.clock.set(time);
      await (code === RATE ? setWindow(key, 60) : setQuota(key, 1_000, `${time.slice(0, 7)}-01T00:00:00Z`));
      for (const method of ['GET', 'HEAD']) {
        const denied = await metered.service.client.request(method, DETAIL, { headers: key.headers });
        assert.deepEqual([denied.status, denied.headers.get('retry-after')], [429, String(seconds)], time);
        if (method === 'HEAD') assert.equal(denied.text, '');
        else assert.equal(codeOf(denied), code, time);
      }
      metered.service.clock.advance((seconds - 1) * 1_000);
      assert.equal(codeOf(await get(DETAIL, key)), code, time);
      metered.service.clock.advance(1_000);
      const [, window, , , quota] = limitsOf(await get(DETAIL, key));
      assert.deepEqual([window, quota], ['59', '999'], time);
    }
  });

  test('a key that replaces a revoked one has no fresh minute, and the 429 says why', async () => {
    const first = await newKey();
    for (let at = 0; at < 60; at++) assert.equal((await get('/api/v1/countries', first)).status, 200);
    await metered.service.services.apiKeys.revoke(first.session.account.accountId, first.keyId);
    const second = await addKey(first.session);
    const denied = await get('/api/v1/countries', second);
    assert.deepEqual([codeOf(denied), denied.headers.get('retry-after')], [RATE, '43']);
    assert.match(denied.body.error.message, /^All keys of this account together have used their 60 requests/);
    assert.deepEqual(limitsOf(denied).slice(0, 2), ['60', '59'], 'the headers are those of the key');
    metered.service.clock.set('2026-03-15T12:01:00.000Z');
    assert.equal((await get('/api/v1/countries', second)).status, 200);
  });

  test('the order of checks: key, rate window, validation, quota, work', async () => {
    const key = await newKey();
    const tag = (await get(DETAIL, await newKey())).headers.get('etag') ?? '';
    await setQuota(key, 1_000);
    for (const path of INVALID) {
      const reply = await get(path, key);
      assert.deepEqual([codeOf(reply), reply.headers.get('retry-after')], ['400 invalid_request', null], path);
    }
    for (const path of [...ENDPOINTS, UNKNOWN]) assert.equal(codeOf(await get(path, key)), QUOTA, path);
    assert.equal(codeOf(await get(DETAIL, key, { 'if-none-match': tag })), QUOTA);
    assert.deepEqual(await counts(key), [8, 1_000], 'a refused request counts in the rate window');
    await setWindow(key, 60);
    for (const path of [...ENDPOINTS, ...INVALID]) assert.equal(codeOf(await get(path, key)), RATE, path);
    const both = { 'x-api-key': createApiKey('live'), authorization: `Bearer ${key.secret}` };
    for (const path of [...ENDPOINTS, ...INVALID])
      assert.equal(codeOf(await get(path, { headers: both })), '401 invalid_api_key', path);
    assert.deepEqual(await counts(key), [60, 1_000]);
  });

  test('a changed plan applies to the next request: upgrade, downgrade and billing period', async () => {
    const key = await newKey('free');
    await setQuota(key, 1_000);
    await setWindow(key, 60);
    assert.equal(codeOf(await get(DETAIL, key)), RATE);
    await setPlan(key, 'pro');
    assert.deepEqual(limitsOf(await get(DETAIL, key)).slice(0, 5), ['600', '539', MINUTE, '100000', '98999']);
    await setPlan(key, 'pro', '2026-03-15T12:00:00Z');
    assert.deepEqual(limitsOf(await get(DETAIL, key)).slice(3), ['100000', '99999', '2026-04-15T12:00:00.000Z']);
    await setPlan(key, 'free');
    metered.service.clock.advance(60_000);
    const rejected = await get(DETAIL, key);
    assert.equal(codeOf(rejected), QUOTA);
    assert.deepEqual(limitsOf(rejected), ['60', '59', '1773576120', '1000', '0', MONTH]);
  });

  test('GET /account agrees: used, remaining, period, days and last use of each key', async () => {
    const one = await newKey('pro');
    const two = await addKey(one.session);
    await get(DETAIL, one);
    await get(UNKNOWN, one);
    metered.service.clock.advance(1_000);
    await get('/api/v1/countries', two);
    metered.service.clock.set('2026-03-16T00:00:00.000Z');
    await get('/api/v1/entities?page=0', two);
    const last = await get('/api/v1/entities', one);
    const { headers } = one.session;
    const { usage, apiKeys } = (await metered.service.client.get('/api/v1/account', { headers })).body.data;
    const { previous: _previous, ...current } = usage;
    assert.deepEqual(current, {
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
    for (const { lastUsedAt } of apiKeys) assert.equal(lastUsedAt, '2026-03-16T00:00:00.000Z', 'also if rejected');
    assert.deepEqual((await metered.service.client.get('/api/v1/api-keys', { headers })).body.data, apiKeys);
  });

  test('503 costs no quota when the data is unavailable, and there is no data when nothing can be counted', async () => {
    await using other = await startService(engine);
    const key = await newKey('free', other);
    await other.services.registryDb.close();
    for (const path of ['/api/v1/countries', DETAIL]) {
      const reply = await other.client.get(path, { headers: key.headers });
      assert.deepEqual([codeOf(reply), reply.headers.get('retry-after')], ['503 service_unavailable', '1']);
    }
    assert.deepEqual(await counts(key, other), [2, 0]);
    // The key is cached, so it is the meter that fails.
    await other.services.accountsDb.close();
    const reply = await other.client.get('/api/v1/plans', { headers: key.headers });
    assert.equal(reply.status, 200);
    assert.equal(codeOf(await other.client.get(DETAIL, { headers: key.headers })), '503 service_unavailable');
  });

  test('401 at once, without a charge, for a key that another machine has revoked and this one still has cached', async () => {
    for (const [path, headers] of [
      ...ENDPOINTS.map((each) => [each, {}] as const),
      [DETAIL, { 'if-none-match': '"x"' }],
      ['/api/v1/entities?page=0', {}],
      ['/api/v1/entities?page=all', { accept: 'text/csv' }],
      ['/api/v1/changes', {}],
      ['/api/v1/exports', {}],
      ['/api/v1/exports/latest/manifest.json', {}],
    ] as const) {
      const key = await newKey('business');
      assert.equal((await get('/api/v1/countries', key)).status, 200, 'now the key is cached');
      await metered.service.services.accountsDb.run('UPDATE api_keys SET revoked_at = 1 WHERE id = $1', [key.keyId]);
      const reply = await get(path, key, headers);
      assert.equal(codeOf(reply), '401 invalid_api_key', path);
      assert.deepEqual([limitsOf(reply)[0], (await counts(key))[1]], [null, 1], path);
    }
  });
});
