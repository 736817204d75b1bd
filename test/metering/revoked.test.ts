import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Caller } from '../../src/core/usage.ts';
import { decide } from '../../src/metering/decisions.ts';
import { engines } from '../harness/databases.ts';
import { createCaller, outcomes, times, useMeterStore } from './meter-store.ts';

for (const engine of engines) {
  describe(`requests with a revoked key on ${engine}`, () => {
    const store = useMeterStore(engine);

    /** A caller whose key is stored, as the cache of a server knows it. */
    async function storeKey(): Promise<Caller> {
      const caller = createCaller();
      const { accountId, keyId } = caller;
      await store.db.run("INSERT INTO accounts (id, plan, created_at) VALUES ($1, 'pro', 0)", [accountId]);
      await store.db.run(
        "INSERT INTO api_keys (id, account_id, name, prefix, hash, created_at) VALUES ($1, $2, 'test', 'frm', $3, 0)",
        [keyId, accountId, keyId],
      );
      return caller;
    }
    /** As another machine does it. */
    const revoke = ({ keyId }: Caller) =>
      store.dbs[1]?.run('UPDATE api_keys SET revoked_at = 1 WHERE id = $1', [keyId]);

    test('the first request after the revocation is rejected and charges nothing', async () => {
      const { meter } = store.newMeter();
      const caller = await storeKey();
      assert.equal((await meter.take(caller, true)).outcome, 'granted');
      await revoke(caller);
      for (const charged of [true, false]) {
        const { outcome, receipt } = await meter.take(caller, charged);
        assert.deepEqual([outcome, receipt], ['revoked', null]);
      }
      assert.equal(await store.storedQuota(caller), 1);
      assert.deepEqual(
        (await store.storedDays(caller)).map(({ requests }) => requests),
        [1],
      );
    });

    for (const [name, charged] of [
      ['that are all charged', () => true],
      ['of which some are not charged', (index: number) => index % 2 === 0],
    ] as const) {
      for (const size of [3, 50]) {
        test(`in a batch of ${size} requests ${name}, only its own are rejected`, async () => {
          const callers = await Promise.all(times(size, storeKey));
          const gone = callers.filter((_, index) => index % 3 === 0);
          for (const caller of gone) await revoke(caller);
          const takes = callers.map((caller, index) => ({ caller, charged: charged(index) }));
          const decisions = await decide(store.db, takes, Date.parse('2026-03-15T12:00:00Z'));
          assert.deepEqual(outcomes(decisions), { revoked: gone.length, granted: size - gone.length });
          for (const [index, caller] of callers.entries()) {
            const isRevoked = index % 3 === 0;
            assert.equal(decisions[index]?.outcome, isRevoked ? 'revoked' : 'granted');
            assert.equal(await store.storedQuota(caller), !isRevoked && charged(index) ? 1 : 0);
          }
        });
      }
    }

    test('a revoked key is rejected as revoked, not as limited', async () => {
      const { meter } = store.newMeter();
      const caller = { ...(await storeKey()), plan: createCaller({ perMinute: 1, perPeriod: 1 }).plan };
      assert.deepEqual(
        [(await meter.take(caller, true)).outcome, (await meter.take(caller, true)).outcome],
        ['granted', 'rate_limited'],
      );
      await revoke(caller);
      assert.equal((await meter.take(caller, true)).outcome, 'revoked');
    });
  });
}
