import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { createApiKeys } from '../../src/accounts/api-keys.ts';
import { createIdempotency } from '../../src/accounts/idempotency/idempotency.ts';
import { sealRequest } from '../../src/accounts/idempotency/sealed-request.ts';
import { insertAccount } from '../../src/accounts/store.ts';
import { Failure } from '../../src/core/errors.ts';
import type { Db } from '../../src/db/db.ts';
import { openStore } from '../../src/db/open.ts';
import { steppingDb } from '../billing/crashing-db.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';

const log = { info: () => undefined, warn: () => undefined };
const DAY = 86_400_000;
const SERVERS = 3;

/** A request for one of two names or pages, with one of two keys, to one of the servers. */
const request = fc.record({
  server: fc.nat(SERVERS - 1),
  key: fc.constantFrom('key-0-0123456789', 'key-1-0123456789'),
  body: fc.constantFrom('a', 'b'),
});
/** After how many steps each server dies. */
const lives = fc.array(fc.oneof(fc.nat(12), fc.constant(1_000)), { minLength: SERVERS, maxLength: SERVERS });
const requests = fc.array(request, { minLength: 2, maxLength: 8 });

for (const engine of engines) {
  describe(`repeated requests on ${engine}`, () => {
    const clock = testClock();
    let database: TestDatabase;
    let stores: Db[];
    before(async () => {
      database = await createDatabase(engine, { migrated: true });
      stores = Array.from({ length: SERVERS }, () => openStore('accounts', { ...database, poolSize: 4 }));
    });
    after(async () => {
      await Promise.all(stores.map((db) => db.close()));
      await database.remove();
    });

    const storeAt = (at: number) => stores[at] ?? assert.fail();
    async function createAccount(): Promise<string> {
      const id = randomUUID();
      await insertAccount(storeAt(0), id, clock.now());
      await storeAt(0).run("UPDATE accounts SET plan = 'business' WHERE id = $1", [id]);
      return id;
    }
    function open(db: Db) {
      const idempotency = createIdempotency({ db, clock, log });
      const keys = createApiKeys(db, clock, { mode: 'live', readLastUsed: async () => new Map(), idempotency });
      return { idempotency, keys };
    }
    /** Servers whose statements run in the order that the scheduler chooses, and that die after a number of them. */
    const openServers = (s: fc.Scheduler, lives: readonly number[]) =>
      stores.map((db, at) => {
        let left = lives[at] ?? 0;
        return open(
          steppingDb(db, async () => {
            if (left-- <= 0) throw new Error('the process is dead');
            await s.schedule(Promise.resolve(), `server ${at}`);
          }),
        );
      });
    const isDead = (error: unknown) => error instanceof Error && error.message === 'the process is dead';
    const isReused = (error: unknown) => error instanceof Failure && error.code === 'idempotency_key_reused';

    test('in any order, with servers that die at any step, each key creates at most one API key', () =>
      fc.assert(
        fc.asyncProperty(fc.scheduler(), requests, lives, async (s, sent, lives) => {
          const accountId = await createAccount();
          const servers = openServers(s, lives);
          const all = Promise.allSettled(
            sent.map(({ server, key, body }) => servers[server]?.keys.createOnce(accountId, `${key} ${body}`, key)),
          );
          const outcomes = await s.waitFor(all);
          const created = await storeAt(0).all<{ id: string; name: string }>(
            'SELECT id, name FROM api_keys WHERE account_id = $1',
            [accountId],
          );
          const { keys } = open(storeAt(0));
          for (const [at, { key, body }] of sent.entries()) {
            const [winner, ...others] = created.filter(({ name }) => name.startsWith(key));
            assert.deepEqual(others, [], 'two keys were created');
            const outcome = outcomes[at];
            if (outcome?.status === 'fulfilled') assert.equal(outcome.value?.result.id, winner?.id);
            else assert.ok(isDead(outcome?.reason) || (isReused(outcome?.reason) && winner?.name !== `${key} ${body}`));
            if (winner === undefined) continue;
            // The client repeats what it has sent, to a server that works.
            const again = keys.createOnce(accountId, `${key} ${body}`, key);
            if (winner.name !== `${key} ${body}`) await assert.rejects(again, isReused);
            else {
              const { result, isReplay } = await again;
              assert.deepEqual([result.id, isReplay], [winner.id, true]);
              if (outcome?.status === 'fulfilled') assert.deepEqual(result, outcome.value?.result);
            }
          }
        }),
        { numRuns: runs(40, 1_000) },
      ));

    test('in any order, all servers return the same page of a provider that recognizes repeated requests', () =>
      fc.assert(
        fc.asyncProperty(fc.scheduler(), requests, lives, async (s, sent, lives) => {
          const accountId = await createAccount();
          const servers = openServers(s, lives);
          const pages = new Map<string, string>();
          const openPage = async (id: string | undefined, body: string) => {
            await s.schedule(Promise.resolve(), 'provider');
            const name = `${id} ${body}`;
            const page = pages.get(name) ?? `page ${pages.size} ${body}`;
            pages.set(name, page);
            return page;
          };
          const send = (idempotency: ReturnType<typeof createIdempotency>, key: string, body: string) =>
            idempotency.once({ accountId, operation: 'open', key, body }, (id) => openPage(id, body));
          const all = Promise.allSettled(
            sent.map(({ server, key, body }) => {
              const { idempotency } = servers[server] ?? assert.fail();
              return send(idempotency, key, body);
            }),
          );
          const outcomes = await s.waitFor(all);
          for (const key of new Set(sent.map((each) => each.key))) {
            const own = sent.map((each, at) => ({ ...each, outcome: outcomes[at] })).filter((each) => each.key === key);
            const returned = own.flatMap(({ outcome }) =>
              outcome?.status === 'fulfilled' ? outcome.value.result : [],
            );
            assert.ok(new Set(returned).size <= 1, `two pages: ${returned.join(', ')}`);
            for (const { body, outcome } of own) {
              if (outcome?.status === 'fulfilled') assert.ok(outcome.value.result.endsWith(` ${body}`));
              else assert.ok(isDead(outcome?.reason) || isReused(outcome?.reason));
            }
            if (returned.length === 0) continue;
            const { body } = own.find(({ outcome }) => outcome?.status === 'fulfilled') ?? assert.fail();
            const again = await s.waitFor(send(open(storeAt(0)).idempotency, key, body));
            assert.deepEqual(again, { result: returned[0], isReplay: true });
          }
        }),
        { numRuns: runs(40, 1_000) },
      ));

    test('a reply is kept for 24 hours and then deleted, in batches; younger ones stay', async () => {
      const accountId = await createAccount();
      const { idempotency } = open(storeAt(0));
      const send = (key: string) =>
        idempotency.once({ accountId, operation: 'count', key, body: '' }, async () => randomUUID());
      const count = async () =>
        (await storeAt(0).one<{ n: number }>('SELECT count(*) AS n FROM idempotent_replies'))?.n ?? -1;
      clock.advance(DAY);
      await idempotency.prune();
      assert.equal(await count(), 0);
      const first = await send('expires first, 0');
      for (let at = 1; at <= 120; at++) await send(`expires first, ${at}`);
      clock.advance(DAY / 2);
      const second = await send('expires later');
      clock.advance(DAY / 2 - 1);
      assert.deepEqual(await send('expires first, 0'), { ...first, isReplay: true });
      assert.equal(await idempotency.prune(), 0);
      clock.advance(1);
      const renewed = await send('expires first, 0');
      assert.equal(renewed.isReplay, false, 'an expired reply was returned');
      assert.notEqual(renewed.result, first.result);
      assert.equal(await idempotency.prune(), 120, 'the renewed reply was deleted, or an expired one was not');
      assert.equal(await count(), 2);
      assert.deepEqual(await send('expires later'), { ...second, isReplay: true });
    });

    test('a failed request is not kept: the same key can be used again', async () => {
      const accountId = await createAccount();
      const { idempotency } = open(storeAt(0));
      const send = (make: () => Promise<string>) =>
        idempotency.once({ accountId, operation: 'try', key: 'the same key', body: '' }, make);
      await assert.rejects(
        send(() => Promise.reject(new Error('not now'))),
        /not now/,
      );
      assert.deepEqual(await send(async () => 'done'), { result: 'done', isReplay: false });
      assert.deepEqual(await send(async () => 'again'), { result: 'done', isReplay: true });
    });
  });
}

test('a stored reply can be read only with the key, account and operation of its request, and not if it was changed', () => {
  const request = { accountId: randomUUID(), operation: 'createApiKey', key: randomUUID(), body: 'name' };
  const { id, seal, unseal } = sealRequest(request);
  const sealed = seal('the reply');
  assert.equal(unseal(sealed), 'the reply');
  assert.equal(sealRequest(request).unseal(sealed), 'the reply');
  assert.notEqual(seal('the reply'), sealed, 'two equal replies look the same');
  for (const change of [{ key: `${request.key}x` }, { accountId: randomUUID() }, { operation: 'createPortal' }]) {
    const other = sealRequest({ ...request, ...change });
    assert.notEqual(other.id, id);
    assert.throws(() => other.unseal(sealed));
  }
  assert.equal(sealRequest({ ...request, body: 'other' }).id, id);
  const bytes = Buffer.from(sealed, 'base64url');
  for (const at of [0, 12, 28, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => unseal(changed.toString('base64url')), `byte ${at}`);
  }
  assert.throws(() => unseal(bytes.subarray(0, 20).toString('base64url')));
});
