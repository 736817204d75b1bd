import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { engines } from '../harness/databases.ts';
import { startService, type TestService, type TestSession } from '../harness/service.ts';

/** API1:2023 Broken Object Level Authorization: access to objects of other accounts, and proof that they exist. */
for (const engine of engines) {
  describe(`API1 objects of other accounts on ${engine}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(engine);
    });
    after(() => service[Symbol.asyncDispose]());

    const createKey = ({ account }: TestSession) => service.services.apiKeys.create(account.accountId, 'theirs');
    const revoke = ({ headers }: TestSession, id: string) =>
      service.client.request('DELETE', `/api/v1/api-keys/${id}`, { headers });

    test("revoking another account's key, a revoked key or an unknown key gets the same 404, and the other key still works", async () => {
      const [mine, theirs] = [await service.signIn(), await service.signIn()];
      const [own, stranger] = [await createKey(mine), await createKey(theirs)];
      assert.equal((await revoke(mine, own.id)).status, 204);
      const replies = await Promise.all([own.id, stranger.id, randomUUID()].map((id) => revoke(mine, id)));
      const seen = replies.map(({ status, body, headers }) => ({
        status,
        code: body.error.code,
        message: body.error.message,
        headers: [...headers.keys()].filter((name) => name !== 'date').sort(),
        length: headers.get('content-length'),
      }));
      assert.equal(seen[0]?.status, 404);
      assert.deepEqual(seen[1], seen[0]);
      assert.deepEqual(seen[2], seen[0]);
      const used = await service.client.get('/api/v1/countries', { headers: { 'x-api-key': stranger.secret } });
      assert.equal(used.status, 200);
    });

    test('lists, usage and billing belong to the signed-in account, even if the request names another one', async () => {
      const [mine, theirs] = [await service.signIn(), await service.signIn({ plan: 'pro' })];
      const key = await createKey(theirs);
      for (let times = 0; times < 3; times++) {
        await service.client.get('/api/v1/countries', { headers: { 'x-api-key': key.secret } });
      }
      const { accountId } = theirs.account;
      const claims = {
        'x-account-id': accountId,
        'x-user-id': theirs.user.id,
        'x-forwarded-user': theirs.user.email ?? '',
        'x-original-url': `/api/v1/account?accountId=${accountId}`,
        cookie: `${mine.headers.cookie}; accountId=${accountId}; session=${theirs.token}; Session=${theirs.token}`,
      };
      const { body } = await service.client.get('/api/v1/account', { headers: claims });
      assert.equal(body.data.id, mine.account.accountId);
      assert.equal(body.data.plan.id, 'business');
      assert.equal(body.data.usage.used, 0);
      assert.deepEqual(body.data.apiKeys, []);
      const list = await service.client.get('/api/v1/api-keys', { headers: claims });
      assert.deepEqual(list.body.data, []);
      for (const query of [`accountId=${accountId}`, `id=${accountId}`, `user=${theirs.user.id}`]) {
        const asked = await service.client.get(`/api/v1/account?${query}`, { headers: mine.headers });
        assert.equal(asked.status, 400, query);
      }
    });

    test('ids and secrets cannot be derived from each other', async () => {
      const session = await service.signIn();
      const keys = await Promise.all(Array.from({ length: 15 }, () => createKey(session)));
      assert.equal(new Set(keys.flatMap(({ id, prefix }) => [id, prefix])).size, 30);
      // Random (version 4), not sequential and not derived from the time.
      for (const { id } of keys) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
      assert.match(session.account.accountId, /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    });

    test('no reply reveals whether an e-mail address has an account', async () => {
      const known = await service.signIn({ email: 'known@example.com' });
      const shapes = [];
      for (const email of ['known@example.com', 'nobody@example.com']) {
        const replies = [
          await service.client.get(`/auth/login?login_hint=${email}&email=${email}`),
          await service.client.get(`/api/v1/auth/me?email=${email}`, { headers: known.headers }),
          await service.client.get('/api/v1/auth/me', { headers: { cookie: `session=${email}` } }),
          await service.client.get('/api/v1/auth/me', { headers: { authorization: `Bearer ${email}` } }),
        ];
        shapes.push(
          replies.map(({ status, headers, body, text }) => [
            status,
            [...headers.keys()].sort(),
            body?.error?.code ?? text,
            body?.error?.message,
          ]),
        );
      }
      assert.deepEqual(shapes[0], shapes[1]);
    });
  });
}
