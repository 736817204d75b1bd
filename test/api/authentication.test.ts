import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createIdentify } from '../../src/accounts/charging/execute.ts';
import { createGuesses, createGuessThrottle } from '../../src/accounts/charging/guess-throttle.ts';
import { createKeyCache } from '../../src/accounts/named-secrets.ts';
import type { Db } from '../../src/base/db/db.ts';
import { createApiKey, hashSecret, prefixOf } from '../../src/base/secrets.ts';
import { startDeadline } from '../../src/base/system/deadline.ts';
import type { Caller } from '../../src/base/usage.ts';
import { forgeSimilarKey } from '../attack/similar-key.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { useService } from '../harness/shared-service.ts';

describe('guess throttle', () => {
  test('after 20 failures per minute, each further one waits longer, up to a maximum; waiting resets it', () => {
    let now = 0;
    const throttle = createGuessThrottle({ maxDelayMs: 1_000, elapsed: () => now });
    const delays = Array.from({ length: 60 }, () => throttle('a'));
    assert.deepEqual(delays.slice(0, 20), Array(20).fill(0));
    assert.deepEqual(delays.slice(20, 24), [50, 100, 150, 200]);
    assert.equal(Math.max(...delays), 1_000);
    assert.equal(throttle('b'), 0, 'other addresses are not delayed');
    now += 3_000_000;
    assert.equal(throttle('a'), 0);
  });

  test('an address is delayed for at most two minutes, and the memory does not grow', () => {
    let now = 0;
    const throttle = createGuessThrottle({ maxDelayMs: 1_000, elapsed: () => now });
    for (let index = 0; index < 100_000; index++) throttle('a');
    now += 61_000 + 3_000;
    assert.ok(throttle('a') <= 50);
    for (let index = 0; index < 20_000; index++) throttle(`10.0.${index}`);
    assert.equal(throttle('10.0.1'), 0);
  });

  test('at most a thousand responses are delayed at the same time', () => {
    const throttle = createGuessThrottle({ maxDelayMs: 1_000, elapsed: () => 0 });
    const delays = Array.from({ length: 3_000 }, () => throttle('a'));
    assert.equal(delays.filter((delay) => delay > 0).length, 1_000);
  });

  test('threads that share the memory count failures together', () => {
    const guesses = createGuesses();
    const throttles = [1, 2].map(() => createGuessThrottle({ maxDelayMs: 1_000, guesses, elapsed: () => 0 }));
    const delays = Array.from({ length: 24 }, (_, at) => throttles[at % 2]?.('a'));
    assert.deepEqual(delays.slice(18), [0, 0, 50, 100, 150, 200]);
  });

  test('a valid key from the same address is never delayed', async () => {
    const caller = { accountId: 'a', keyId: 'k' } as Caller;
    const identify = createIdentify({
      apiKeys: { peekKey: () => undefined, findKey: async (key) => (key === 'valid' ? caller : undefined) },
      reconcileLinks: { peekKey: () => undefined, findKey: async () => undefined },
      guesses: { maxDelayMs: 1_000, elapsed: () => 0 },
    });
    const order: string[] = [];
    const ask = (secret: string) =>
      new Promise<void>((resolve) => {
        const credential = { kind: 'key', secret, address: '10.0.0.1' } as const;
        const note = (name: string) => () => {
          order.push(name);
          resolve();
        };
        identify({ credential, deadline: startDeadline(), caller: null }, note(secret), note('guess'));
      });
    // More than are free, so that the last one is delayed. The valid key comes after it and needs no turn of the event loop, so no
    // timer can end before it, however busy the machine is.
    const guesses = Array.from({ length: 21 }, () => ask('guess'));
    const valid = ask('valid');
    await Promise.all([...guesses, valid]);
    assert.equal(order.length, 22);
    assert.ok(order.indexOf('valid') < 21, 'the delayed guess was answered before the valid key');
  });
});

/**
 * The time of a refusal must not reveal anything about a key. All refused keys take the same path: one hash, one statement that finds rows by
 * the hash, nothing cached.
 */
describeOn(usualEngines, 'looking up a refused key', (engine) => {
  const service = useService(engine, { limits: { guessDelayMs: 0 } });

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
    for (const key of [createApiKey('live'), forgeSimilarKey(active), revoked, active.slice(0, -1), prefixOf(active)]) {
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
