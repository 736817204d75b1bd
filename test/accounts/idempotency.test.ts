import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { createApiKeys } from '../../src/accounts/api-keys.ts';
import { insertAccount } from '../../src/accounts/store.ts';
import { Failure } from '../../src/core/errors.ts';
import type { Db } from '../../src/db/db.ts';
import { openStore } from '../../src/db/open.ts';
import { steppingDb } from '../billing/crashing-db.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';

const SERVERS = 3;

/** A request with one of two keys, to one of the servers. */
const request = fc.record({
  server: fc.nat(SERVERS - 1),
  key: fc.constantFrom('key-0-0123456789', 'key-1-0123456789'),
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
    const open = (db: Db) => createApiKeys(db, clock, { mode: 'live', readLastUsed: async () => new Map() });
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
        { numRuns: runs(40, 1_000) },
      ));
  });
}
