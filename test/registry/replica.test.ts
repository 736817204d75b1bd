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

  test('is left alone for two seconds, then for twice as long each time, up to 30 seconds; for one if it was steady', async (t) => {
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

    assert.equal(await ask(fail), 'resting', 'the first request starts a probe and does not wait for it');
    for (const seconds of [2, 4, 8, 16, 30, 30]) {
      assert.equal(await ask(fail), 'failed');
      now += seconds * 1_000 - 1;
      assert.deepEqual([await ask(fail), await ask(fail)], ['resting', 'resting'], `within ${seconds} seconds`);
      now += 1;
      assert.equal(await ask(fail), 'resting', 'this request starts the probe');
    }
    const read = async (db: Db) => ({ version: await findVersion(db) });
    assert.equal(await ask(read), 'used');
    now += 30_001;
    assert.equal(await ask(fail), 'failed', 'it was steady for longer than the longest pause');
    now += 999;
    assert.deepEqual([await ask(read), await ask(read)], ['resting', 'resting']);
    now += 1;
    assert.deepEqual([await ask(read), await ask(read)], ['resting', 'used']);
  });
});
