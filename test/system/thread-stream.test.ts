import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openThread } from '../../src/system/thread.ts';
import { until } from '../harness/until.ts';
import type { Echo } from './echo-worker.ts';

const open = () => openThread<Echo>(new URL('echo-worker.ts', import.meta.url), { name: 'echo' });

describe('streams of a thread', () => {
  test('yield all items in order and return the result', async () => {
    await using thread = open();
    const numbers = thread.stream('count', 100);
    for (let expected = 1; expected <= 100; expected++)
      assert.deepEqual(await numbers.next(), { value: expected, done: false });
    assert.deepEqual(await numbers.next(), { value: 'done', done: true });
  });

  for (const [weight, unused] of [
    [1, 4],
    [3, 1],
    [9, 1],
  ] as const) {
    test(`are at most ${unused} unused items of weight ${weight} ahead`, async () => {
      await using thread = open();
      const numbers = thread.stream('count', 100, weight);
      /** One more has been made and waits to be sent. */
      const isAt = async (item: number) => (await thread.call('progress')).made === item + unused + 1;
      await until('the thread waits', () => isAt(0));
      for (const item of [1, 2, 3]) {
        // An item is in use until the next one is asked for.
        await numbers.next();
        await until('the thread waits again', () => isAt(item - 1));
      }
    });
  }

  test('end in the thread when the reader stops', async () => {
    await using thread = open();
    for await (const number of thread.stream('count', 100)) if (number === 2) break;
    await until('the generator has ended', async () => (await thread.call('progress')).ended === 1);
    assert.ok((await thread.call('progress')).made < 100);
    await thread.finish();
  });

  test('fail after the items that were sent before', async () => {
    await using thread = open();
    const numbers: number[] = [];
    await assert.rejects(async () => {
      for await (const number of thread.stream('failAfter', 3)) numbers.push(number);
    }, /no more/);
    assert.deepEqual(numbers, [1, 2, 3]);
    assert.equal(await thread.call('echo', 1), 1);
  });

  test('several run at the same time', async () => {
    await using thread = open();
    const streams = [thread.stream('count', 10), thread.stream('count', 20)] as const;
    for (let number = 1; number <= 10; number++) {
      for (const stream of streams) assert.equal((await stream.next()).value, number);
    }
  });
});
