import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBatch } from '../../src/system/batch.ts';

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

  test('the same item twice gets two results', async () => {
    const { runs, square } = squares();
    assert.deepEqual(await Promise.all([square(5), square(5)]), [25, 25]);
    assert.deepEqual(runs, [[5, 5]]);
  });

  test('no run is larger than `maxSize`, and every call gets a result', async () => {
    const { runs, square } = squares(4);
    const items = Array.from({ length: 10 }, (_, index) => index);
    assert.deepEqual(
      await Promise.all(items.map(square)),
      items.map((item) => item * item),
    );
    assert.deepEqual(
      runs.map((run) => run.length),
      [4, 4, 2],
    );
  });

  test('a failing run rejects its own calls only, and the next run works', async () => {
    const { square } = squares(2);
    const results = await Promise.allSettled([1, 13, 2, 3].map(square));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
    );
    assert.equal(await square(4), 16);
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
