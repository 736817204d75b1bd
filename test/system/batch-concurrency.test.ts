import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { createBatch } from '../../src/system/batch.ts';
import { settle } from './batches.ts';

/** A batch whose runs end on command. */
function heldBatch(options: { maxSize: number; concurrency: number }) {
  const runs: { items: number[]; end: () => void; fail: () => void }[] = [];
  const ask = createBatch((items: readonly number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<number[]>();
    runs.push({
      items: [...items],
      end: () => resolve(items.map((item) => -item)),
      fail: () => reject(new Error('broken')),
    });
    return promise;
  }, options);
  const started = () => runs.map(({ items }) => items);
  return { runs, ask, started };
}

describe('createBatch with `concurrency`', () => {
  test('one run at a time: calls that arrive meanwhile wait and share the next run in order', async () => {
    const { runs, ask, started } = heldBatch({ maxSize: 100, concurrency: 1 });
    const first = ask(1);
    await settle();
    const later = [ask(2)];
    await settle();
    later.push(ask(3));
    await settle();
    later.push(ask(4));
    await settle();
    assert.deepEqual(started(), [[1]]);
    runs[0]?.end();
    assert.equal(await first, -1);
    await settle();
    assert.deepEqual(started(), [[1], [2, 3, 4]]);
    runs[1]?.end();
    assert.deepEqual(await Promise.all(later), [-2, -3, -4]);
  });

  test('more than `maxSize` waiting calls go into several consecutive runs', async () => {
    const { runs, ask, started } = heldBatch({ maxSize: 2, concurrency: 1 });
    const pending = [1, 2, 3, 4, 5].map(ask);
    for (const expected of [
      [[1, 2]],
      [
        [1, 2],
        [3, 4],
      ],
      [[1, 2], [3, 4], [5]],
    ]) {
      await settle();
      assert.deepEqual(started(), expected);
      runs.at(-1)?.end();
      await settle();
    }
    assert.deepEqual(await Promise.all(pending), [-1, -2, -3, -4, -5]);
  });

  test('after a failed run the next one starts', async () => {
    const { runs, ask, started } = heldBatch({ maxSize: 100, concurrency: 1 });
    const first = assert.rejects(ask(1), /broken/);
    await settle();
    const second = ask(2);
    await settle();
    runs[0]?.fail();
    await first;
    await settle();
    assert.deepEqual(started(), [[1], [2]]);
    runs[1]?.end();
    assert.equal(await second, -2);
  });

  test('after a run that throws synchronously the next one starts', async () => {
    let broken = true;
    const ask = createBatch<number, number>(
      (items) => {
        if (broken) throw new Error('synchronous failure');
        return Promise.resolve([...items]);
      },
      { maxSize: 1, concurrency: 1 },
    );
    const results = await Promise.allSettled([ask(1), ask(2)]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    broken = false;
    assert.equal(await ask(3), 3);
  });

  test('several concurrent runs: a free slot is used, whichever it is', async () => {
    const { runs, ask, started } = heldBatch({ maxSize: 1, concurrency: 2 });
    const pending = [1, 2, 3, 4].map(ask);
    await settle();
    assert.deepEqual(started(), [[1], [2]]);
    runs[1]?.end();
    await settle();
    assert.deepEqual(started(), [[1], [2], [3]]);
    runs[0]?.end();
    runs[2]?.end();
    await settle();
    assert.deepEqual(started(), [[1], [2], [3], [4]]);
    runs[3]?.end();
    assert.deepEqual(await Promise.all(pending), [-1, -2, -3, -4]);
  });

  test('for any arrival times and durations: runs are never too many or too large, and all calls get their results in order', () => {
    const shape = fc.record({
      maxSize: fc.integer({ min: 1, max: 5 }),
      concurrency: fc.integer({ min: 1, max: 3 }),
      arrivals: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 40 }),
      lengths: fc.array(fc.record({ turns: fc.nat({ max: 4 }), fails: fc.boolean() }), { minLength: 1, maxLength: 8 }),
    });
    return fc.assert(
      fc.asyncProperty(shape, async ({ maxSize, concurrency, arrivals, lengths }) => {
        const seen: number[] = [];
        const failed = new Set<number>();
        let [running, count] = [0, 0];
        const ask = createBatch(
          async (items: readonly number[]) => {
            const { turns, fails } = lengths[count++ % lengths.length] ?? { turns: 0, fails: false };
            assert.ok(++running <= concurrency, `${running} concurrent runs`);
            assert.ok(items.length >= 1 && items.length <= maxSize, `a run of ${items.length}`);
            seen.push(...items);
            for (let turn = 0; turn < turns; turn++) await nextTurn();
            running--;
            if (!fails) return items.map((item) => item * 2);
            for (const item of items) failed.add(item);
            throw new Error('broken');
          },
          { maxSize, concurrency },
        );
        const pending: Promise<number | string>[] = [];
        for (const [index, pause] of arrivals.entries()) {
          for (let turn = 0; turn < pause; turn++) await nextTurn();
          pending.push(ask(index).catch(() => 'failed'));
        }
        const answers = await Promise.all(pending);
        assert.deepEqual(
          answers,
          arrivals.map((_, index) => (failed.has(index) ? 'failed' : index * 2)),
        );
        assert.deepEqual(seen, [...arrivals.keys()]);
      }),
      { numRuns: 300 },
    );
  });
});
