import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { hashSecret } from '../../src/core/secrets.ts';
import { usualEngines } from '../harness/databases.ts';
import type { TestService } from '../harness/service.ts';
import { openShop, type Shop } from '../harness/shop.ts';

/** API3:2023 Broken Object Property Level Authorization: mass assignment, and replies with too much data. */
for (const engine of usualEngines) {
  describe(`API3 properties on ${engine}`, () => {
    let shop: Shop;
    let service: TestService;
    before(async () => {
      shop = await openShop(engine);
      service = shop.service;
    });
    after(() => shop[Symbol.asyncDispose]());

    const post = (path: string, headers: Readonly<Record<string, string>>, body: string) =>
      service.client.request('POST', path, { headers: { ...headers, 'content-type': 'application/json' }, body });

    test('bodies and queries cannot pollute prototypes', async () => {
      const session = await service.signIn({ plan: 'free' });
      for (const body of [
        '{"__proto__":{"polluted":true},"name":"a"}',
        '{"name":"a","constructor":{"prototype":{"polluted":true}}}',
        '{"name":{"__proto__":{"polluted":true}}}',
        '{"\\u005f_proto__":{"polluted":true},"name":"a"}',
      ]) {
        assert.equal((await post('/api/v1/api-keys', session.headers, body)).status, 400, body);
      }
      const key = await service.services.apiKeys.create(session.account.accountId, 'test');
      for (const query of ['__proto__[polluted]=1', '__proto__.polluted=1', 'constructor[prototype][polluted]=1']) {
        const searched = await service.client.get(`/api/v1/entities?${query}`, {
          headers: { 'x-api-key': key.secret },
        });
        assert.equal(searched.status, 400, query);
        assert.equal((await service.client.get(`/api/v1/health/live?${query}`)).status, 200, query);
      }
      assert.equal(Reflect.get({}, 'polluted'), undefined);
    });

    test('account replies contain no hash, token, subject or id of the payment provider', async () => {
      const subject = `subject-${randomUUID()}`;
      const session = await service.signIn({ plan: 'free', subject, issuer: 'https://login.hidden' });
      await shop.buy(session, 'pro');
      const made = await post('/api/v1/api-keys', session.headers, '{"name":"mine"}');
      const { secret } = made.body.data;
      const replies = await Promise.all(
        ['/api/v1/account', '/api/v1/auth/me', '/api/v1/api-keys'].map((path) =>
          service.client.get(path, { headers: session.headers }),
        ),
      );
      for (const { status, text } of replies) {
        assert.equal(status, 200);
        assert.ok(!text.includes(secret), 'the secret is shown again');
      }
      for (const text of [made.text, ...replies.map((reply) => reply.text)]) {
        assert.doesNotMatch(text, /cus_|sub_|price_|whsec|sk_/);
        for (const hidden of [hashSecret(secret), session.token, hashSecret(session.token), subject, 'login.hidden']) {
          assert.ok(!text.includes(hidden), `${hidden} is revealed`);
        }
      }
      const [account, me, keys] = replies.map(({ body }) => body.data);
      assert.deepEqual(Object.keys(account).sort(), [
        'apiKeys',
        'billing',
        'excessApiKeys',
        'id',
        'plan',
        'requestsPerMinuteOfAllKeys',
        'usage',
      ]);
      assert.deepEqual(Object.keys(me).sort(), ['accountId', 'email', 'id', 'name']);
      const shown = ['canManage', 'createdAt', 'expiresAt', 'id', 'lastUsedAt', 'name', 'prefix'];
      assert.deepEqual(Object.keys(keys[0]).sort(), shown);
    });
  });
}
