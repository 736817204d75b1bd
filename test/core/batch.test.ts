import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBatch } from '../../src/core/batch.ts';

/** A batch that answers with the square and remembers its runs. */
function squares(most = 100) {
  const runs: number[][] = [];
  const square = createBatch(
    async (items: readonly number[]) => {
      runs.push([...items]);
      await nextTurn();
      if (items.includes(13)) throw new Error('unlucky');
      return items.map((item) => item * item);
    },
    { most },
  );
  return { runs, square };
}

describe('createBatch', () => {
  test('what is asked for in one turn is one run, in order, each answered with its own', async () => {
    const { runs, square } = squares();
    assert.deepEqual(await Promise.all([3, 1, 2].map(square)), [9, 1, 4]);
    assert.deepEqual(runs, [[3, 1, 2]]);
  });

  test('callbacks of one turn meet, though microtasks run between them', async () => {
    const { runs, square } = squares();
    const asked = await Promise.all(
      [1, 2, 3].map(async (item) => {
        await nextTurn();
        return [square(item)];
      }),
    );
    assert.deepEqual(await Promise.all(asked.flat()), [1, 4, 9]);
    assert.deepEqual(runs, [[1, 2, 3]]);
  });

  test('the same item twice is answered twice', async () => {
    const { runs, square } = squares();
    assert.deepEqual(await Promise.all([square(5), square(5)]), [25, 25]);
    assert.deepEqual(runs, [[5, 5]]);
  });

  test('no run is larger than `most`, and nobody is forgotten', async () => {
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

  test('a failing run rejects all its callers, no others, and the next run works', async () => {
    const { square } = squares(2);
    const results = await Promise.allSettled([1, 13, 2, 3].map(square));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
    );
    assert.equal(await square(4), 16);
  });

  test('a run that throws at once, or answers too few, is a failure and not a hang', async () => {
    const throwing = createBatch<number, number>(
      () => {
        throw new Error('at once');
      },
      { most: 8 },
    );
    await assert.rejects(throwing(1), /at once/);
    const forgetful = createBatch<number, number>(async () => [1], { most: 8 });
    const results = await Promise.allSettled([forgetful(1), forgetful(2)]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
  });

  test('what is asked for while a run is under way goes into the next', async () => {
    const { runs, square } = squares();
    const first = square(1);
    await nextTurn();
    assert.deepEqual(await Promise.all([first, square(2)]), [1, 4]);
    assert.deepEqual(runs, [[1], [2]]);
  });
});
