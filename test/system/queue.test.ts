import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createQueue } from '../../src/system/batch.ts';
import { settle } from './batches.ts';

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
