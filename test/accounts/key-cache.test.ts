import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createKeyCache, createKeyChanges } from '../../src/accounts/named-secrets.ts';
import type { Db } from '../../src/base/db/db.ts';
import { createApiKey, hashSecret } from '../../src/base/secrets.ts';

/** A fake database of keys that records queries and answers when the test allows it. */
function fakeStore(accounts: Map<string, string>) {
  const asked: string[][] = [];
  let gate = Promise.resolve();
  const db = {
    async all(_sql: string, hashes: string[]) {
      asked.push(hashes);
      const rows = [...new Set(hashes)].flatMap((hash) => {
        const accountId = accounts.get(hash);
        return accountId === undefined
          ? []
          : [{ hash, keyId: `key of ${hash}`, accountId, planId: 'free', periodAnchor: null, periodEnd: null }];
      });
      await gate;
      return rows;
    },
  } as unknown as Db;
  return {
    db,
    asked,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}

describe('the cache of API keys', () => {
  test('queries once within its lifetime, and again after it', async () => {
    let now = 0;
    const { db, asked } = fakeStore(new Map([['h', 'a']]));
    const cache = createKeyCache(db, { elapsed: () => now });
    assert.equal((await cache.find('h'))?.accountId, 'a');
    now = 899;
    assert.equal((await cache.find('h'))?.accountId, 'a');
    assert.equal(asked.length, 1);
    now = 900;
    await cache.find('h');
    assert.equal(asked.length, 2);
  });

  test('the lifetime starts with the query, not with its late result', async () => {
    let now = 0;
    const { db, asked, hold } = fakeStore(new Map([['h', 'a']]));
    const cache = createKeyCache(db, { elapsed: () => now });
    const release = hold();
    const found = cache.find('h');
    await nextTurn();
    now = 800;
    release();
    await found;
    now = 950;
    await cache.find('h');
    assert.equal(asked.length, 2);
  });

  test('lookups of one turn of the event loop share a statement, with one of four list lengths', async () => {
    const hashes = Array.from({ length: 150 }, (_, index) => `h${index}`);
    const { db, asked } = fakeStore(new Map(hashes.map((hash) => [hash, hash])));
    const cache = createKeyCache(db);
    const found = await Promise.all([...hashes, ...hashes.slice(0, 10)].map((hash) => cache.find(hash)));
    assert.deepEqual(
      found.map((caller) => caller?.accountId),
      [...hashes, ...hashes.slice(0, 10)],
    );
    assert.deepEqual(
      asked.map((list) => list.length),
      [64, 64, 64],
    );
    await cache.find('unknown');
    assert.equal(asked.at(-1)?.length, 1);
  });

  test('misses are not cached, so a new key works immediately', async () => {
    const accounts = new Map<string, string>();
    const { db } = fakeStore(accounts);
    const cache = createKeyCache(db);
    assert.equal(await cache.find('h'), undefined);
    accounts.set('h', 'a');
    assert.equal((await cache.find('h'))?.accountId, 'a');
  });

  test('a result that was on its way when the account changed is not cached', async () => {
    const accounts = new Map([['h', 'a']]);
    const { db, hold } = fakeStore(accounts);
    const cache = createKeyCache(db);
    const release = hold();
    const before = cache.find('h');
    await nextTurn();
    await nextTurn();
    accounts.delete('h');
    cache.forget();
    release();
    await before;
    assert.equal(await cache.find('h'), undefined, 'the revoked key was cached');
  });

  test('a change made in another thread takes effect immediately, even for a result on its way', async () => {
    const accounts = new Map([['h', 'a']]);
    const { db, asked, hold } = fakeStore(accounts);
    const changes = createKeyChanges();
    const [here, there] = [createKeyCache(db, { changes }), createKeyCache(db, { changes })];
    await here.find('h');
    const release = hold();
    const before = there.find('h');
    await nextTurn();
    await nextTurn();
    accounts.delete('h');
    there.forget();
    assert.equal(asked.length, 2);
    release();
    await before;
    assert.equal(await here.find('h'), undefined, 'the revoked key was still cached');
    assert.equal(await there.find('h'), undefined, 'the revoked key was cached');
  });

  test('drops the oldest entry when it is full', async () => {
    const hashes = Array.from({ length: 30 }, (_, index) => `h${index}`);
    const { db, asked } = fakeStore(new Map(hashes.map((hash) => [hash, hash])));
    const cache = createKeyCache(db, { maxEntries: 10 });
    for (const hash of hashes) await cache.find(hash);
    await cache.find('h29');
    assert.equal(asked.length, 30);
    await cache.find('h19');
    assert.equal(asked.length, 31);
  });

  test('an entry that is queried again becomes the newest', async () => {
    let now = 0;
    const { db, asked } = fakeStore(new Map(['a', 'b', 'c'].map((hash) => [hash, hash])));
    const cache = createKeyCache(db, { maxEntries: 2, elapsed: () => now });
    await cache.find('a');
    now = 500;
    await cache.find('b');
    now = 1_000;
    for (const hash of ['a', 'c', 'a']) await cache.find(hash);
    assert.equal(asked.length, 4, 'the renewed entry was dropped instead of the oldest');
  });

  test('a failing query fails the lookup, and the next one works', async () => {
    let broken = true;
    const store = fakeStore(new Map([['h', 'a']]));
    const db = {
      all: (sql: string, params: string[]) => (broken ? Promise.reject(new Error('down')) : store.db.all(sql, params)),
    } as unknown as Db;
    const cache = createKeyCache(db);
    await assert.rejects(cache.find('h'), /down/);
    broken = false;
    assert.ok(await cache.find('h'));
  });

  test('no query contains the secret', async () => {
    const secret = createApiKey('live');
    const { db, asked } = fakeStore(new Map());
    await createKeyCache(db).find(hashSecret(secret));
    assert.deepEqual(asked, [[hashSecret(secret)]]);
  });
});
