import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createApiKey, hashSecret, isWellFormedSecret } from '../../src/base/secrets.ts';
import { dumpAccounts } from '../attack/victim.ts';
import { usualEngines } from '../harness/databases.ts';
import type { TestSession } from '../harness/service.ts';
import { named, PATH, useReconcile } from './reconcile-service.ts';

const LINKS = '/api/v1/reconcile-links';
const queries = named(['alpha']);

test('a link is not an API key, in its form and in what it is derived from', () => {
  const [key, link] = [createApiKey('live'), createApiKey('live', 'frl')];
  assert.match(link, /^frl_live_[0-9A-Za-z]{46}$/);
  assert.notEqual(link.slice(9), key.slice(9));
  assert.deepEqual([isWellFormedSecret(link, 'frl'), isWellFormedSecret(link, 'frm')], [true, false]);
  assert.equal(isWellFormedSecret(`frl${key.slice(3)}`, 'frl'), false, 'the checksum covers the label');
});

for (const engine of usualEngines) {
  describe(`reconcile links on ${engine}`, () => {
    const reconcile = useReconcile(engine);
    const { post, ask, newLink, usedBy } = reconcile;
    const create = ({ headers }: TestSession, body: unknown, more: Record<string, string> = {}) =>
      reconcile.service.client.request('POST', LINKS, {
        headers: { ...headers, 'content-type': 'application/json', ...more },
        body: JSON.stringify(body),
      });

    test('created, listed and used; the address is shown once and stored nowhere', async () => {
      const { service } = reconcile;
      const session = await service.signIn({ plan: 'pro' });
      const { status, body } = await create(session, { name: ' suppliers ' });
      assert.equal(status, 201);
      const { url, id, ...rest } = body.data;
      assert.ok(url.startsWith(`${service.url}${PATH}/l/frl_live_`));
      const secret = url.split('/').at(-1);
      const createdAt = new Date(service.clock.now()).toISOString();
      const prefix = secret.slice(0, 15);
      assert.deepEqual(rest, { name: ' suppliers ', prefix, createdAt, lastUsedAt: null, expiresAt: null });
      assert.equal((await post(new URL(url).pathname, { queries })).status, 200);
      const listed = await service.client.get(LINKS, { headers: session.headers });
      assert.deepEqual(listed.body.meta, { count: 1, limit: 5 });
      assert.equal(listed.body.data[0].lastUsedAt, createdAt);
      const stored = (await dumpAccounts(service.services.accountsDb)).join('\n');
      assert.ok(stored.includes(hashSecret(secret)));
      for (const text of [listed.text, stored, service.logLines.join('\n')])
        assert.ok(!text.includes(secret.slice(15)));
      const keys = await service.client.get('/api/v1/api-keys', { headers: session.headers });
      assert.deepEqual(keys.body.data, [], 'a link is not listed as an API key');
      assert.equal((await service.client.get(`/api/v1/account`, { headers: session.headers })).body.data.usage.used, 1);
      assert.ok(id);
    });

    test('a link opens reconciliation only, and an API key is not a link', async () => {
      const { service } = reconcile;
      const link = await newLink();
      const headers = { 'x-api-key': link.secret };
      for (const path of ['/api/v1/countries', '/api/v1/entities?q=alpha', '/api/v1/match?name=alpha']) {
        const { status, body } = await service.client.get(path, { headers });
        assert.deepEqual([status, body.error.code], [401, 'invalid_api_key'], path);
      }
      const asKey = await post(PATH, { queries }, headers);
      assert.deepEqual([asKey.status, asKey.body.error.code], [401, 'invalid_api_key']);
      const session = await service.client.get('/api/v1/account', {
        headers: { authorization: `Bearer ${link.secret}` },
      });
      assert.equal(session.status, 401);
      const key = await service.createKey();
      const asLink = await post(`${PATH}/l/${key}`, { queries });
      assert.deepEqual([asLink.status, asLink.body.error.code], [401, 'invalid_reconcile_link']);
      assert.equal(asLink.headers.get('www-authenticate'), 'Bearer realm="reconcile link"');
      assert.equal((await ask(`${PATH}/l/${key}`)).status, 401, 'the manifest of a wrong link');
    });

    test('a revoked link is rejected at once, also by a server that has it cached, and cannot be revoked again', async () => {
      const { service } = reconcile;
      const session = await service.signIn({ plan: 'free' });
      const { id, url } = (await create(session, { name: 'one' })).body.data;
      const path = new URL(url).pathname;
      assert.equal((await post(path, { queries })).status, 200);
      const limit = await create(session, { name: 'two' });
      assert.deepEqual([limit.status, limit.body.error.code], [409, 'reconcile_link_limit_reached']);
      assert.match(limit.body.error.message, /one active reconcile link/);
      const revoke = (what: string) =>
        service.client.request('DELETE', `${LINKS}/${what}`, { headers: session.headers });
      const key = await service.services.apiKeys.create(session.account.accountId, 'key');
      assert.equal((await revoke(key.id)).body.error.code, 'reconcile_link_not_found', 'the id of an API key');
      await service.services.accountsDb.run('UPDATE api_keys SET revoked_at = 1 WHERE id = $1', [id]);
      const elsewhere = await post(path, { queries });
      assert.deepEqual([elsewhere.status, elsewhere.body.error.code], [401, 'invalid_reconcile_link']);
      await service.services.accountsDb.run('UPDATE api_keys SET revoked_at = NULL WHERE id = $1', [id]);
      assert.equal((await revoke(id)).status, 204);
      assert.equal((await post(path, { queries })).status, 401);
      assert.equal((await ask(path)).status, 401);
      const again = await revoke(id);
      assert.deepEqual([again.status, again.body.error.code], [404, 'reconcile_link_not_found']);
    });

    test('a link has a rate window of its own and draws on the quota of the account', async () => {
      const { service } = reconcile;
      const { account } = await service.signIn({ plan: 'free' });
      const { secret } = await service.services.reconcileLinks.create(account.accountId, 'link');
      const key = await service.services.apiKeys.create(account.accountId, 'key');
      const path = `${PATH}/l/${secret}`;
      for (let at = 0; at < 60; at++) assert.equal((await ask(path)).status, 200);
      const limited = await post(path, { queries });
      assert.deepEqual([limited.status, limited.body.error.code], [429, 'rate_limit_exceeded']);
      assert.ok(Number(limited.headers.get('retry-after')) <= 60);
      const other = await service.client.get('/api/v1/countries', { headers: { 'x-api-key': key.secret } });
      assert.equal(other.status, 200, 'the key has its own window');
      service.clock.advance(60_000);
      const paid = await post(path, { queries });
      assert.deepEqual([paid.status, paid.headers.get('x-monthly-quota-remaining')], [200, '998']);
    });

    test('the secret is in no log line, whatever happens to the request', async () => {
      const { service } = reconcile;
      const link = await newLink();
      reconcile.breakMatcher(new Error('a bug of ours'));
      await post(link.path, { queries });
      for (const rest of ['/nowhere/at/all', '/%E0%A4', `/preview?id=${link.secret}`, 'x'.repeat(9_000)]) {
        const reply = await fetch(service.url + link.path + rest);
        assert.ok(reply.status >= 400 && reply.status < 500, rest);
      }
      assert.equal((await ask(link.path, { method: 'DELETE' })).status, 405);
      const lines = service.logLines.join('\n');
      assert.ok(lines.includes('/api/v1/reconcile/l/:link'), 'requests are logged by the pattern of their route');
      assert.ok(!lines.includes(link.secret) && !lines.includes(link.secret.slice(15)));
      assert.equal(await usedBy(link), 0);
    });
  });
}
