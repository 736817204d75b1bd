import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { createNamedSecrets } from '../../src/accounts/named-secrets.ts';
import { insertAccount } from '../../src/accounts/store.ts';
import type { Db } from '../../src/base/db/db.ts';
import { openStore } from '../../src/base/db/open.ts';
import { Failure } from '../../src/base/errors.ts';
import { steppingDb } from '../billing/crashing-db.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines, type TestDatabase, usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import type { TestSession } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { type OpenPage, pageOpener } from '../web/pages.ts';

const HOUR = 3_600_000;

describeOn(usualEngines, 'rotating a key', (engine) => {
  const service = useService(engine);
  let open: OpenPage;
  before(async () => {
    open = pageOpener(service);
  });

  const ask = async (key: string) => {
    const { status, body } = await service.client.get('/api/v1/countries', { headers: { 'x-api-key': key } });
    return status === 200 ? 200 : body.error.code;
  };
  const secretIn = (html: string) => /frm_live_\w{46}/.exec(html)?.[0] ?? assert.fail('the page shows no secret');
  const list = async ({ headers }: TestSession) => (await service.client.get('/api/v1/api-keys', { headers })).body;
  const createKey = async (session: TestSession) =>
    secretIn((await open('/dashboard/keys', session, { name: 'production' })).html);
  const rotate = (session: TestSession, id: string, ends: string) => {
    service.clock.advance(1_000);
    return open(`/dashboard/keys/${id}/rotate`, session, { ends });
  };

  test('on the free plan: both keys work until the old one ends, to the minute', async () => {
    service.clock.set('2026-03-10T10:00:20.000Z');
    const session = await service.signIn({ plan: 'free' });
    const old = await createKey(session);
    const [{ id, expiresAt }] = (await list(session)).data;
    assert.equal(expiresAt, null);
    assert.match((await open(`/dashboard/keys/${id}/rotate`, session)).html, /The old key ends/);
    const rotated = await rotate(session, id, 'hour');
    const current = secretIn(rotated.html);
    assert.equal(rotated.status, 200);
    assert.deepEqual([await ask(old), await ask(current)], [200, 200]);
    const { data, meta } = await list(session);
    assert.deepEqual(
      data.map((key: { name: string; expiresAt: string | null }) => [key.name, key.expiresAt]),
      [
        ['production', '2026-03-10T11:01:00.000Z'],
        ['production', null],
      ],
    );
    assert.equal(meta.limit, 1);
    assert.match((await open('/dashboard', session)).text, /1 of 1 in use.*Ends 10 Mar 2026, 11:01 UTC/);
    service.clock.set('2026-03-10T11:00:59.999Z');
    assert.deepEqual([await ask(old), await ask(current)], [200, 200]);
    service.clock.set('2026-03-10T11:01:00.000Z');
    assert.deepEqual([await ask(old), await ask(current)], ['invalid_api_key', 200]);
    assert.equal((await list(session)).data.length, 1);
    assert.equal((await service.client.request('DELETE', `/api/v1/api-keys/${id}`, session)).status, 404);
  });

  test('the statement that counts requests refuses an ended key that a server still has in its cache', async () => {
    service.clock.set('2026-03-11T10:00:00.000Z');
    const session = await service.signIn({ plan: 'free' });
    const caller = (await service.services.apiKeys.findKey(await createKey(session))) ?? assert.fail('no caller');
    await service.services.apiKeys.rotate(session.account.accountId, caller.keyId, HOUR);
    const take = async () => (await service.services.meter.take(caller, true)).outcome;
    service.clock.set('2026-03-11T10:59:59.000Z');
    assert.equal(await take(), 'granted');
    service.clock.set('2026-03-11T11:00:00.000Z');
    assert.equal(await take(), 'revoked');
  });

  test('as many keys can end at a time as the plan has; ending one now needs no room', async () => {
    service.clock.set('2026-03-12T10:00:00.000Z');
    const session = await service.signIn({ plan: 'free' });
    const first = await createKey(session);
    const [{ id }] = (await list(session)).data;
    const second = secretIn((await rotate(session, id, 'week')).html);
    const newest = (await list(session)).data.at(-1).id;
    const refused = await rotate(session, newest, 'day');
    assert.equal(refused.status, 409);
    assert.match(refused.text, /An earlier API key that was replaced still works/);
    assert.equal((await rotate(session, id, 'day')).status, 404, 'a key that ends cannot be rotated again');
    assert.equal((await rotate(session, newest, 'whenever')).status, 400);
    const third = secretIn((await rotate(session, newest, 'now')).html);
    assert.deepEqual([await ask(first), await ask(second), await ask(third)], [200, 'invalid_api_key', 200]);
    assert.match((await open('/dashboard/keys', session, { name: 'more' })).text, /allows one active API key/);
  });

  test('a form that is sent twice makes one key and shows it once', async () => {
    service.clock.set('2026-03-13T10:00:00.000Z');
    for (const ends of ['day', 'now']) {
      const session = await service.signIn({ plan: 'free' });
      await createKey(session);
      const [{ id }] = (await list(session)).data;
      const address = `/dashboard/keys/${id}/rotate`;
      const once = /name="once" value="([^"]+)"/.exec((await open(address, session)).html)?.[1] ?? '';
      // The list is sorted by time.
      service.clock.advance(1_000);
      const pages = await Promise.all([0, 1].map(() => open(address, session, { ends, once })));
      assert.deepEqual(pages.map(({ status }) => status).toSorted(), [200, 409], ends);
      assert.equal((await list(session)).data.length, ends === 'day' ? 2 : 1);
      const late = await open(address, session, { ends, once });
      assert.equal(late.status, 409);
      assert.match(late.text, /This form was sent before/);
    }
  });
});

const SERVERS = 3;

/** A request with one of two keys, to one of the servers. */
const request = fc.record({
  server: fc.nat(SERVERS - 1),
  key: fc.constantFrom('key-0-0123456789', 'key-1-0123456789'),
});
/** After how many steps each server dies. */
const lives = fc.array(fc.oneof(fc.nat(12), fc.constant(1_000)), { minLength: SERVERS, maxLength: SERVERS });
const requests = fc.array(request, { minLength: 2, maxLength: 8 });

describeOn(engines, 'repeated requests', (engine) => {
  const clock = testClock();
  let database: TestDatabase;
  let stores: Db[];
  before(async () => {
    database = await createDatabase(engine, { migrated: true });
    stores = Array.from({ length: SERVERS }, () => openStore('accounts', { ...database, poolSize: 4 }));
  });
  after(async () => {
    await Promise.all(stores.map((db) => db.close()));
    await database[Symbol.asyncDispose]();
  });

  const storeAt = (at: number) => stores[at] ?? assert.fail();
  async function createAccount(): Promise<string> {
    const id = randomUUID();
    await insertAccount(storeAt(0), id, clock.now());
    await storeAt(0).run("UPDATE accounts SET plan = 'business' WHERE id = $1", [id]);
    return id;
  }
  const open = (db: Db) =>
    createNamedSecrets(db, clock, 'api_key', { mode: 'live', readLastUsed: async () => new Map() });
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
  const namesMade = (error: unknown, id: string | undefined) =>
    error instanceof Failure && error.code === 'idempotency_key_reused' && error.resourceId === id;

  test('in any order, with servers that die at any step, each key creates at most one API key, shown at most once', () =>
    fc.assert(
      fc.asyncProperty(fc.scheduler(), requests, lives, async (s, sent, lives) => {
        const accountId = await createAccount();
        const servers = openServers(s, lives);
        const all = Promise.allSettled(
          sent.map(({ server, key }) => servers[server]?.create(accountId, key, false, key)),
        );
        const outcomes = await s.waitFor(all);
        const created = await storeAt(0).all<{ id: string; name: string }>(
          'SELECT id, name FROM api_keys WHERE account_id = $1',
          [accountId],
        );
        for (const key of new Set(sent.map((each) => each.key))) {
          const [winner, ...others] = created.filter(({ name }) => name === key);
          assert.deepEqual(others, [], 'two keys were created');
          const own = outcomes.filter((_, at) => sent[at]?.key === key);
          const shown = own.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value?.id] : []));
          assert.ok(shown.length <= 1 && shown.every((id) => id === winner?.id), 'a secret was shown twice');
          for (const outcome of own) {
            if (outcome.status === 'fulfilled') continue;
            assert.ok(isDead(outcome.reason) || namesMade(outcome.reason, winner?.id), String(outcome.reason));
          }
          // The client repeats what it has sent, to a server that works.
          const again = open(storeAt(0)).create(accountId, key, false, key);
          if (winner === undefined) await again;
          else await assert.rejects(again, (error) => namesMade(error, winner.id));
        }
      }),
      { numRuns: runs(40, 200) },
    ));
});
