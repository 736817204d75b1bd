import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ACCOUNT_REQUESTS_PER_MINUTE } from '../../src/accounts/request-limit.ts';
import { usualEngines } from '../harness/databases.ts';
import { shareService } from '../harness/shared-service.ts';

const DAY = 86_400_000;
const KEYS = '/api/v1/api-keys';

for (const engine of usualEngines) {
  describe(`limits of an account on ${engine}`, () => {
    const withService = shareService(engine);

    test('account operations and pages share 300 requests per minute; other accounts and data are not affected', () =>
      withService(async (service) => {
        const { client, clock, services } = service;
        const session = await service.signIn();
        const { headers } = session;
        const { secret } = await services.apiKeys.create(session.account.accountId, 'data');
        for (let used = 0; used < ACCOUNT_REQUESTS_PER_MINUTE; used++) services.countRequest(session.account.accountId);
        const json = { headers: { ...headers, 'content-type': 'application/json' } };
        const replies = [
          await client.get('/api/v1/account', { headers }),
          await client.get('/api/v1/auth/me', { headers }),
          await client.get(KEYS, { headers }),
          await client.request('POST', KEYS, { ...json, body: '{"name":"a"}' }),
          await client.request('DELETE', `${KEYS}/00000000-0000-4000-8000-000000000000`, { headers }),
          await client.request('POST', '/api/v1/billing/checkout', { ...json, body: '{"plan":"pro"}' }),
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
      }));

    test('an account creates at most 100 keys in 24 hours, revoked or not', () =>
      withService(async (service) => {
        const { apiKeys } = service.services;
        const { account, headers } = await service.signIn({ plan: 'free' });
        for (let made = 0; made < 100; made++) {
          const { id } = await apiKeys.create(account.accountId, 'again');
          await apiKeys.revoke(account.accountId, id);
          if (made === 0) service.clock.advance(60_000);
        }
        const create = () =>
          service.client.request('POST', KEYS, {
            headers: { ...headers, 'content-type': 'application/json' },
            body: '{"name":"one more"}',
          });
        const refused = await create();
        assert.deepEqual([refused.status, refused.body.error.code], [429, 'account_rate_limit_exceeded']);
        assert.match(refused.body.error.message, /100 API keys in 24 hours/);
        const wait = Number(refused.headers.get('retry-after'));
        assert.equal(wait, DAY / 1_000 - 60);
        service.clock.advance(wait * 1_000);
        assert.equal((await create()).status, 201, 'after Retry-After, the first key of the day no longer counts');
      }));

    test('revoked keys are deleted after 30 days, their usage stays', () =>
      withService(async (service) => {
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
      }));
  });
}
