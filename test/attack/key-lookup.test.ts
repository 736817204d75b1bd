import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createKeyCache } from '../../src/accounts/key-cache.ts';
import { createApiKey, hashSecret, isWellFormedSecret, prefixOf } from '../../src/core/secrets.ts';
import type { Db } from '../../src/db/db.ts';
import { usualEngines } from '../harness/databases.ts';
import { startService, type TestService } from '../harness/service.ts';
import { forgeSimilarKey } from '../harness/similar-key.ts';

/**
 * The time of a refusal must not reveal anything about a key. All refused keys take the same path: one hash, one statement that finds rows by
 * the hash, nothing cached. `test/abuse/attacks/key-timing.ts` measures it.
 */
for (const engine of usualEngines) {
  describe(`looking up a refused key on ${engine}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(engine, { limits: { guessDelayMs: 0 } });
    });
    after(() => service[Symbol.asyncDispose]());

    async function createKeys() {
      const { account } = await service.signIn();
      const { apiKeys } = service.services;
      const active = await apiKeys.create(account.accountId, 'active');
      const revoked = await apiKeys.create(account.accountId, 'revoked');
      await apiKeys.revoke(account.accountId, revoked.id);
      return { active: active.secret, revoked: revoked.secret };
    }

    test('runs the same statement with nothing but a hash, for unknown, similar and revoked keys, every time', async () => {
      const { active, revoked } = await createKeys();
      const statements: { sql: string; params: readonly unknown[] }[] = [];
      const db: Db = {
        ...service.services.accountsDb,
        all: (sql, params = []) => {
          statements.push({ sql, params });
          return service.services.accountsDb.all(sql, params);
        },
      };
      const cache = createKeyCache(db);
      const refused = { unknown: createApiKey('live'), similar: forgeSimilarKey(active), revoked };
      const secrets = [...Object.values(refused), ...Object.values(refused)];
      for (const secret of secrets) {
        assert.equal(await cache.find(hashSecret(secret)), undefined);
      }
      assert.equal(statements.length, 6, 'a refusal is never cached');
      assert.equal(new Set(statements.map(({ sql }) => sql)).size, 1);
      for (const [at, { params }] of statements.entries()) {
        assert.deepEqual(new Set(params), new Set([hashSecret(secrets[at] ?? '')]), 'only the hash is compared');
      }
    });

    test('gets the same reply, except for the request id', async () => {
      const { active, revoked } = await createKeys();
      const replies = [];
      for (const key of [
        createApiKey('live'),
        forgeSimilarKey(active),
        revoked,
        active.slice(0, -1),
        prefixOf(active),
      ]) {
        const reply = await service.client.get('/api/v1/countries', { headers: { 'x-api-key': key } });
        const { requestId, ...error } = reply.body.error;
        assert.ok(requestId);
        const headers = [...reply.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
        replies.push({ status: reply.status, error, headers });
      }
      assert.equal(replies[0]?.status, 401);
      for (const reply of replies) assert.deepEqual(reply, replies[0]);
    });
  });
}

test('keys have more than 200 random bits beyond what lists show, and similar keys have unrelated hashes', () => {
  const key = createApiKey('live');
  const hidden = key.length - prefixOf(key).length - 6;
  assert.ok(hidden * Math.log2(62) > 200);
  assert.ok(isWellFormedSecret(forgeSimilarKey(key), 'frm'));
  const [a, b] = [key, forgeSimilarKey(key)].map(hashSecret);
  const same = [...(a ?? '')].filter((digit, at) => digit === b?.[at]).length;
  // 4 of 64 on average: 20 or more happen once in 10^9 pairs.
  assert.ok(same < 20, `${same} of 64 digits agree`);
});
