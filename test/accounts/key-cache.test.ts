import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createKeyCache, createKeyChanges } from '../../src/accounts/key-cache.ts';
import { createApiKey, hashSecret } from '../../src/core/secrets.ts';
import type { Db } from '../../src/db/db.ts';

/** A database of keys by hash that remembers what it was asked and answers when it is let. */
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
  test('asks once in less than a second, and again after', async () => {
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

  test('its life counts from the question, not from a late answer', async () => {
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

  test('look-ups of one turn share a statement, of one of four sizes', async () => {
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

  test('what is not found is not kept, so that a key works as soon as it is made', async () => {
    const accounts = new Map<string, string>();
    const { db } = fakeStore(accounts);
    const cache = createKeyCache(db);
    assert.equal(await cache.find('h'), undefined);
    accounts.set('h', 'a');
    assert.equal((await cache.find('h'))?.accountId, 'a');
  });

  test('forgetting an account asks about its keys again, and about no others', async () => {
    const { db, asked } = fakeStore(
      new Map([
        ['h1', 'a'],
        ['h2', 'b'],
      ]),
    );
    const cache = createKeyCache(db);
    await Promise.all([cache.find('h1'), cache.find('h2')]);
    cache.forget('a');
    await cache.find('h2');
    assert.equal(asked.length, 1);
    await cache.find('h1');
    assert.equal(asked.length, 2);
  });

  test('an answer that was on its way when the account changed is not kept', async () => {
    const accounts = new Map([['h', 'a']]);
    const { db, hold } = fakeStore(accounts);
    const cache = createKeyCache(db);
    const release = hold();
    const before = cache.find('h');
    await nextTurn();
    await nextTurn();
    accounts.delete('h');
    cache.forget('a');
    release();
    await before;
    assert.equal(await cache.find('h'), undefined, 'the revoked key was kept');
  });

  test('a change made in another thread counts at once, also for an answer on its way', async () => {
    const accounts = new Map([
      ['h', 'a'],
      ['other', 'b'],
    ]);
    const { db, asked, hold } = fakeStore(accounts);
    const changes = createKeyChanges();
    const [here, there] = [createKeyCache(db, { changes }), createKeyCache(db, { changes })];
    await Promise.all([here.find('h'), here.find('other')]);
    const release = hold();
    const before = there.find('h');
    await nextTurn();
    await nextTurn();
    accounts.delete('h');
    there.forget('a');
    assert.equal(asked.length, 2);
    release();
    await before;
    assert.equal(await here.find('h'), undefined, 'the revoked key was still known');
    assert.equal(await there.find('h'), undefined, 'the revoked key was kept');
    await here.find('other');
    assert.equal(asked.length, 4, 'other accounts are still known');
  });

  test('is bounded: the oldest goes', async () => {
    const hashes = Array.from({ length: 30 }, (_, index) => `h${index}`);
    const { db, asked } = fakeStore(new Map(hashes.map((hash) => [hash, hash])));
    const cache = createKeyCache(db, { maxEntries: 10 });
    for (const hash of hashes) await cache.find(hash);
    await cache.find('h29');
    assert.equal(asked.length, 30);
    await cache.find('h19');
    assert.equal(asked.length, 31);
  });

  test('a failing database fails the look-up, and the next one works', async () => {
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

  test('is asked by hash: the secret is not in any statement', async () => {
    const secret = createApiKey('live');
    const { db, asked } = fakeStore(new Map());
    await createKeyCache(db).find(hashSecret(secret));
    assert.deepEqual(asked, [[hashSecret(secret)]]);
  });
});
