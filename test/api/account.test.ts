import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plans } from '../../src/base/plans.ts';
import { ACCOUNT_REQUESTS_PER_MINUTE } from '../../src/base/requests/visitor-limit.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { grantPlan } from '../harness/payment-events.ts';
import { useService } from '../harness/shared-service.ts';

describeOn(usualEngines, 'account endpoints', (engine) => {
  const service = useService(engine);

  test('GET /account 200: plan, usage, billing state and active keys', async () => {
    const session = await service.signIn({ plan: 'pro' });
    const key = await service.services.apiKeys.create(session.account.accountId, 'production');
    const { status, body } = await service.client.get('/api/v1/account', { headers: session.headers });
    assert.equal(status, 200);
    assert.deepEqual(body.data, {
      id: session.account.accountId,
      plan: plans.find(({ id }) => id === 'pro'),
      usage: {
        periodStart: '2026-03-01T00:00:00.000Z',
        periodEnd: '2026-04-01T00:00:00.000Z',
        used: 0,
        limit: 100_000,
        remaining: 100_000,
        warning: null,
        daily: [],
        previous: null,
      },
      billing: { status: 'active', currentPeriodEnd: null, cancelAtPeriodEnd: false, portalAvailable: false },
      apiKeys: [
        {
          id: key.id,
          name: 'production',
          prefix: key.prefix,
          createdAt: '2026-03-15T12:00:00.000Z',
          lastUsedAt: null,
          expiresAt: null,
          canManage: false,
        },
      ],
      excessApiKeys: null,
      requestsPerMinuteOfAllKeys: 3_000,
    });
  });

  test('GET /account returns the billing period of a paid plan', async () => {
    const session = await service.signIn({ plan: 'pro' });
    const period = { start: '2026-01-31T10:00:00Z' };
    await grantPlan(service.services, session.account.accountId, 'pro', { period });
    const { body } = await service.client.get('/api/v1/account', { headers: session.headers });
    const { periodStart, periodEnd } = body.data.usage;
    assert.deepEqual([periodStart, periodEnd], ['2026-02-28T10:00:00.000Z', '2026-03-31T10:00:00.000Z']);
  });

  test('after a change to a smaller plan, all keys work, and the account and the dashboard say that they share its limit', async () => {
    const session = await service.signIn({ plan: 'pro' });
    const { accountId } = session.account;
    const keys: string[] = [];
    for (const name of ['a', 'b', 'c']) keys.push((await service.services.apiKeys.create(accountId, name)).secret);
    await grantPlan(service.services, accountId, 'free');
    const { data } = (await service.client.get('/api/v1/account', { headers: session.headers })).body;
    assert.deepEqual([data.apiKeys.length, data.excessApiKeys, data.requestsPerMinuteOfAllKeys], [3, 2, 60]);
    const page = await (await fetch(`${service.url}/dashboard`, { headers: session.headers })).text();
    assert.match(
      page,
      /3 of 1 in use\..*Your plan has 1 key\. The others keep working, and all of them together may send 60 requests per minute/s,
    );
    const ask = (secret: string) => service.client.get('/api/v1/countries', { headers: { 'x-api-key': secret } });
    const replies = await Promise.all(keys.flatMap((secret) => Array.from({ length: 30 }, () => ask(secret))));
    const count = (wanted: number) => replies.filter(({ status }) => status === wanted).length;
    assert.deepEqual([count(200), count(429)], [60, 30]);
  });

  test('a new subscription starts a new count, and the account and the dashboard show the period before', async () => {
    service.clock.set('2026-03-15T12:00:00.000Z');
    const session = await service.signIn({ plan: 'free' });
    const { accountId } = session.account;
    const { secret } = await service.services.apiKeys.create(accountId, 'a');
    const ask = () => service.client.get('/api/v1/countries', { headers: { 'x-api-key': secret } });
    for (let at = 0; at < 3; at++) await ask();
    await grantPlan(service.services, accountId, 'pro', { period: { start: '2026-03-15T11:00:00Z' } });
    await ask();
    const { usage } = (await service.client.get('/api/v1/account', { headers: session.headers })).body.data;
    assert.deepEqual([usage.periodStart, usage.used], ['2026-03-15T11:00:00.000Z', 1]);
    assert.deepEqual(usage.previous, {
      periodStart: '2026-03-01T00:00:00.000Z',
      periodEnd: '2026-03-15T11:00:00.000Z',
      used: 3,
    });
    const page = await (await fetch(`${service.url}/dashboard`, { headers: session.headers })).text();
    assert.match(page, /Period before<\/dt><dd>1 Mar 2026 to 15 Mar 2026: 3 requests/);
  });

  test('GET /auth/me 200: the profile of the current user', async () => {
    const session = await service.signIn({ email: 'anna@example.com', name: 'Anna <b>' });
    const { status, body } = await service.client.get('/api/v1/auth/me', { headers: session.headers });
    assert.equal(status, 200);
    const { accountId } = session.account;
    assert.deepEqual(body.data, { id: session.user.id, email: 'anna@example.com', name: 'Anna <b>', accountId });
    const head = await service.client.request('HEAD', '/api/v1/auth/me', { headers: session.headers });
    assert.equal(head.status, 200);
  });
});

const DAY = 86_400_000;
const KEYS = '/api/v1/api-keys';

describeOn(usualEngines, 'limits of an account', (engine) => {
  const service = useService(engine);

  test('account operations and pages share 300 requests per minute; other accounts and data are not affected', async () => {
    const { client, clock, services } = service;
    const session = await service.signIn();
    const { headers } = session;
    const { secret } = await services.apiKeys.create(session.account.accountId, 'data');
    for (let used = 0; used < ACCOUNT_REQUESTS_PER_MINUTE; used++) services.countRequest(session.account.accountId);
    const replies = [
      await client.get('/api/v1/account', { headers }),
      await client.get('/api/v1/auth/me', { headers }),
      await client.get(KEYS, { headers }),
      await client.request('POST', KEYS, { headers, json: { name: 'a' } }),
      await client.request('DELETE', `${KEYS}/00000000-0000-4000-8000-000000000000`, { headers }),
      await client.request('POST', '/api/v1/billing/checkout', { headers, json: { plan: 'pro' } }),
      await client.request('POST', '/api/v1/billing/portal', { headers }),
    ];
    for (const reply of replies) {
      assert.deepEqual([reply.status, reply.body.error.code], [429, 'account_rate_limit_exceeded'], reply.text);
      const wait = Number(reply.headers.get('retry-after'));
      assert.ok(wait >= 1 && wait <= 60, `Retry-After: ${wait}`);
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const page = { method: 'POST', headers: { ...headers, ...form }, body: 'name=a' };
    assert.equal((await fetch(`${service.url}/dashboard/keys`, page)).status, 429);
    assert.equal((await fetch(`${service.url}/dashboard`, { headers })).status, 429);
    assert.equal((await client.get('/api/v1/countries', { headers: { 'x-api-key': secret } })).status, 200);
    const other = await service.signIn();
    assert.equal((await client.get('/api/v1/auth/me', { headers: other.headers })).status, 200);
    clock.advance(60_000);
    assert.equal((await client.get('/api/v1/auth/me', { headers })).status, 200);
  });

  test('an account creates at most 100 keys in 24 hours, revoked or not', async () => {
    const { apiKeys } = service.services;
    const { account, headers } = await service.signIn({ plan: 'free' });
    for (let made = 0; made < 100; made++) {
      const { id } = await apiKeys.create(account.accountId, 'again');
      await apiKeys.revoke(account.accountId, id);
      if (made === 0) service.clock.advance(60_000);
    }
    const create = () => service.client.request('POST', KEYS, { headers, json: { name: 'one more' } });
    const refused = await create();
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'account_rate_limit_exceeded']);
    assert.match(refused.body.error.message, /100 API keys in 24 hours/);
    const wait = Number(refused.headers.get('retry-after'));
    assert.equal(wait, DAY / 1_000 - 60);
    service.clock.advance(wait * 1_000);
    assert.equal((await create()).status, 201, 'after Retry-After, the first key of the day no longer counts');
  });

  test('revoked keys are deleted after 30 days, their usage stays', async () => {
    const { apiKeys, accountsDb } = service.services;
    const session = await service.signIn({ plan: 'pro' });
    const { accountId } = session.account;
    const listStored = async () => {
      const sql = 'SELECT name FROM api_keys WHERE account_id = $1 ORDER BY name';
      return (await accountsDb.all<{ name: string }>(sql, [accountId])).map(({ name }) => name);
    };
    const [old, kept] = [await apiKeys.create(accountId, 'old'), await apiKeys.create(accountId, 'kept')];
    await apiKeys.create(accountId, 'active');
    await service.client.get('/api/v1/countries', { headers: { 'x-api-key': old.secret } });
    await apiKeys.revoke(accountId, old.id);
    service.clock.advance(30 * DAY - 1);
    await apiKeys.revoke(accountId, kept.id);
    await apiKeys.create(accountId, 'almost');
    assert.deepEqual(await listStored(), ['active', 'almost', 'kept', 'old']);
    service.clock.advance(1);
    await apiKeys.create(accountId, 'then');
    assert.deepEqual(await listStored(), ['active', 'almost', 'kept', 'then']);
    const usage = 'SELECT key_id AS "keyId", requests FROM usage_daily WHERE account_id = $1';
    const rows = await accountsDb.all<{ keyId: string; requests: number }>(usage, [accountId]);
    assert.deepEqual(
      rows.map(({ keyId, requests }) => [keyId, requests]),
      [[old.id, 1]],
    );
    const reply = await service.client.get('/api/v1/countries', { headers: { 'x-api-key': old.secret } });
    assert.deepEqual([reply.status, reply.body.error.code], [401, 'invalid_api_key']);
  });
});
