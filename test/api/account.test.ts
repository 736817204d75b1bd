import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { plans } from '../../src/core/plans.ts';
import { usualEngines } from '../harness/databases.ts';
import { grantPlan } from '../harness/payment-events.ts';
import { startService } from '../harness/service.ts';
import { shareService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';

for (const engine of usualEngines) {
  describe(`account endpoints on ${engine}`, () => {
    const withService = shareService(engine);

    test('GET /account 200: plan, usage, billing state and active keys', () =>
      withService(async (service) => {
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
      }));

    test('GET /account returns the billing period of a paid plan', () =>
      withService(async (service) => {
        const session = await service.signIn({ plan: 'pro' });
        const period = { start: '2026-01-31T10:00:00Z' };
        await grantPlan(service.services, session.account.accountId, 'pro', { period });
        const { body } = await service.client.get('/api/v1/account', { headers: session.headers });
        const { periodStart, periodEnd } = body.data.usage;
        assert.deepEqual([periodStart, periodEnd], ['2026-02-28T10:00:00.000Z', '2026-03-31T10:00:00.000Z']);
      }));

    test('after a change to a smaller plan, all keys work, and the account and the dashboard say that they share its limit', () =>
      withService(async (service) => {
        const session = await service.signIn({ plan: 'pro' });
        const { accountId } = session.account;
        const keys: string[] = [];
        for (const name of ['a', 'b', 'c']) keys.push((await service.services.apiKeys.create(accountId, name)).secret);
        await grantPlan(service.services, accountId, 'free');
        const { data } = (await service.client.get('/api/v1/account', { headers: session.headers })).body;
        assert.deepEqual([data.apiKeys.length, data.excessApiKeys, data.requestsPerMinuteOfAllKeys], [3, 2, 60]);
        const page = await (await fetch(`${service.url}/dashboard`, { headers: session.headers })).text();
        assert.match(page, /3 of 1 in use\..*Your plan has 1 key\. The others keep working, and all of them/s);
        assert.match(page, /60 requests per minute per key, 60 with all keys/);
        const ask = (secret: string) => service.client.get('/api/v1/countries', { headers: { 'x-api-key': secret } });
        const replies = await Promise.all(keys.flatMap((secret) => Array.from({ length: 30 }, () => ask(secret))));
        const count = (wanted: number) => replies.filter(({ status }) => status === wanted).length;
        assert.deepEqual([count(200), count(429)], [60, 30]);
      }));

    test('a new subscription starts a new count, and the account and the dashboard show the period before', () =>
      withService(async (service) => {
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
      }));

    test('GET /auth/me 200: the profile of the current user', () =>
      withService(async (service) => {
        const session = await service.signIn({ email: 'anna@example.com', name: 'Anna <b>' });
        const { status, body } = await service.client.get('/api/v1/auth/me', { headers: session.headers });
        assert.equal(status, 200);
        const { accountId } = session.account;
        assert.deepEqual(body.data, { id: session.user.id, email: 'anna@example.com', name: 'Anna <b>', accountId });
        const head = await service.client.request('HEAD', '/api/v1/auth/me', { headers: session.headers });
        assert.equal(head.status, 200);
      }));

    test('the request log contains the account', () =>
      withService(async (service) => {
        const session = await service.signIn();
        await service.client.get('/api/v1/account', { headers: session.headers });
        const isLogged = (line: string) =>
          line.includes('/api/v1/account') && JSON.parse(line).accountId === session.account.accountId;
        await until('it is logged', () => service.logLines.some(isLogged));
      }));

    test('503 when the database is unavailable', async () => {
      await using service = await startService(engine);
      const session = await service.signIn();
      await service.services.accountsDb.close();
      const { status, body, headers } = await service.client.get('/api/v1/account', { headers: session.headers });
      assert.deepEqual([status, body.error.code, headers.get('retry-after')], [503, 'service_unavailable', '1']);
    });
  });
}
