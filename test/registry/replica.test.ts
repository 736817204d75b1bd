import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Db } from '../../src/base/db/db.ts';
import { findVersion } from '../../src/base/db/version.ts';
import { createReplica } from '../../src/registry/records/replica.ts';
import { useStore } from '../harness/databases.ts';

/** The pauses of a replica that fails, on a clock of the test. The machines of `test/machines` test real replicas. */
describe('a replica that answers probes but fails requests', () => {
  const { db: primary } = useStore('sqlite', 'registry');

  test('is left alone for five seconds, for one if it is only behind, and then probed in the background', async (t) => {
    let now = 1_000_000;
    t.mock.method(performance, 'now', () => now);
    const counts: string[] = [];
    const warnings: unknown[] = [];
    const replica = createReplica({
      db: primary,
      primary,
      log: { info: () => undefined, warn: (...line: unknown[]) => void warnings.push(line[1]) },
      count: (outcome) => void counts.push(outcome),
    });
    const fail = () => Promise.reject(new Error('the connection was closed'));
    const ask = async (read: (db: Db) => Promise<{ readonly version: string }>) => {
      await replica.read(1, read);
      // The probe goes on in the background.
      for (let turns = 0; turns < 20; turns++) await turn();
      return counts.at(-1);
    };
    const lag = async () => ({ version: 'older' });
    const read = async (db: Db) => ({ version: await findVersion(db) });

    assert.equal(await ask(fail), 'resting', 'the first request starts a probe and does not wait for it');
    for (const [use, outcome, seconds] of [[fail, 'failed', 5] as const, [lag, 'behind', 1] as const]) {
      assert.equal(await ask(use), outcome);
      now += seconds * 1_000 - 1;
      assert.deepEqual([await ask(use), await ask(use)], ['resting', 'resting'], `within ${seconds} seconds`);
      now += 1;
      assert.equal(await ask(use), 'resting', 'this request starts the probe');
      assert.equal(await ask(read), 'used');
    }
    assert.deepEqual(warnings, ['the replica fails: reading records from the primary']);
  });
});
