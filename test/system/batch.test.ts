import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { createBatch, createQueue } from '../../src/base/system/batch.ts';

/** Waits until a finished run has resolved its calls and the next one has started. */
async function settle(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** A batch that returns squares and records its runs. */
function squares(maxSize = 100) {
  const runs: number[][] = [];
  const square = createBatch(
    async (items: readonly number[]) => {
      runs.push([...items]);
      await nextTurn();
      if (items.includes(13)) throw new Error('unlucky');
      return items.map((item) => item * item);
    },
    { maxSize },
  );
  return { runs, square };
}

describe('createBatch', () => {
  test('calls in one turn of the event loop form one run, in order, and each gets its own result', async () => {
    const { runs, square } = squares();
    assert.deepEqual(await Promise.all([3, 1, 2].map(square)), [9, 1, 4]);
    assert.deepEqual(runs, [[3, 1, 2]]);
  });

  test('callbacks of one turn share a run, although microtasks run between them', async () => {
    const { runs, square } = squares();
    const pending = await Promise.all(
      [1, 2, 3].map(async (item) => {
        await nextTurn();
        return [square(item)];
      }),
    );
    assert.deepEqual(await Promise.all(pending.flat()), [1, 4, 9]);
    assert.deepEqual(runs, [[1, 2, 3]]);
  });

  test('a run that throws synchronously or returns too few results rejects its calls', async () => {
    const throwing = createBatch<number, number>(
      () => {
        throw new Error('synchronous failure');
      },
      { maxSize: 8 },
    );
    await assert.rejects(throwing(1), /synchronous failure/);
    const incomplete = createBatch<number, number>(async () => [1], { maxSize: 8 });
    const results = await Promise.allSettled([incomplete(1), incomplete(2)]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
  });

  test('calls during a run go into the next one', async () => {
    const { runs, square } = squares();
    const first = square(1);
    await nextTurn();
    assert.deepEqual(await Promise.all([first, square(2)]), [1, 4]);
    assert.deepEqual(runs, [[1], [2]]);
  });
});

/** A batch whose runs end on command. */
function heldBatch(options: { maxSize: number; concurrency: number }) {
  const runs: { items: number[]; end: () => void }[] = [];
  const ask = createBatch((items: readonly number[]) => {
    const { promise, resolve } = Promise.withResolvers<number[]>();
    runs.push({ items: [...items], end: () => resolve(items.map((item) => -item)) });
    return promise;
  }, options);
  const started = () => runs.map(({ items }) => items);
  return { runs, ask, started };
}

describe('createBatch with `concurrency`', () => {
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

describe('createQueue', () => {
  test('a callback that throws does not keep the others from their results, and its error is uncaught', async () => {
    const uncaught: unknown[] = [];
    const keep = (error: unknown) => void uncaught.push(error);
    const others = process.rawListeners('uncaughtException') as NodeJS.UncaughtExceptionListener[];
    process.removeAllListeners('uncaughtException').on('uncaughtException', keep);
    try {
      for (const fails of [false, true]) {
        const called: string[] = [];
        const queue = createQueue<number, number>(
          async (items) => {
            if (fails) throw new Error('broken run');
            return items;
          },
          { maxSize: 10, concurrency: 1 },
        );
        for (const item of [1, 2, 3]) {
          const call = (how: string) => {
            called.push(`${how} ${item}`);
            if (item < 3) throw new Error(`broken callback ${item}`);
          };
          queue({ item, resolve: () => call('resolve'), reject: () => call('reject') });
        }
        await settle();
        const how = fails ? 'reject' : 'resolve';
        assert.deepEqual(called, [`${how} 1`, `${how} 2`, `${how} 3`]);
        assert.match(String(uncaught.splice(0)), /callback 1.*callback 2/);
      }
    } finally {
      process.off('uncaughtException', keep);
      for (const listener of others) process.on('uncaughtException', listener);
    }
  });

  test('the next run starts before the callers of the last one are answered', async () => {
    const events: string[] = [];
    const queue = createQueue<number, number>(
      async (items) => {
        events.push(`run ${items}`);
        return items;
      },
      { maxSize: 2, concurrency: 1 },
    );
    const reject = () => assert.fail('no run fails');
    for (const item of [1, 2, 3, 4, 5]) queue({ item, resolve: () => void events.push(`answer ${item}`), reject });
    await settle();
    assert.deepEqual(events, [
      'run 1,2',
      'run 3,4',
      'answer 1',
      'answer 2',
      'run 5',
      'answer 3',
      'answer 4',
      'answer 5',
    ]);
  });

  test('an item that a callback adds goes into a later run', async () => {
    const runs: number[][] = [];
    const queue = createQueue<number, number>(
      async (items) => {
        runs.push([...items]);
        return items;
      },
      { maxSize: 10, concurrency: 1 },
    );
    const reject = () => assert.fail('no run fails');
    queue({ item: 1, resolve: () => queue({ item: 2, resolve: () => undefined, reject }), reject });
    await settle();
    assert.deepEqual(runs, [[1], [2]]);
  });
});
