import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { createCollector } from '../../src/search/memory/collector.ts';
import { isDeep } from '../harness/depth.ts';
import { until } from '../harness/until.ts';

const MEGABYTE = 1024 * 1024;

describe('collector of dropped indexes', () => {
  // When V8 collects depends on everything else in the process, and files share processes in `npm test`.
  test('shared memory that is dropped is freed', { skip: isDeep ? false : 'only in the deep run' }, async () => {
    const collect = createCollector();
    // In a function of its own, so that no variable of this one refers to the memory.
    const drop = () => new WeakRef(new SharedArrayBuffer(512 * MEGABYTE));
    const dropped = drop();
    await until('the memory is freed', () => {
      collect(512 * MEGABYTE);
      return dropped.deref() === undefined;
    });
  });

  test('allocates one piece per turn of the event loop, about as much as was dropped', (t) => {
    const { collect, countAfter } = countPieces(t);
    collect(200 * MEGABYTE);
    assert.deepEqual([0, 20, 20, 20, 20, 20, 1_000].map(countAfter), [0, 1, 2, 3, 4, 5, 5]);
  });

  test('adds up small amounts', (t) => {
    const { collect, countAfter } = countPieces(t);
    for (let times = 0; times < 3; times++) collect(20 * MEGABYTE);
    assert.equal(countAfter(1_000), 0);
    collect(20 * MEGABYTE);
    assert.equal(countAfter(1_000), 3);
  });

  test('a drop during a collection extends it, and a large drop is bounded', (t) => {
    const { collect, countAfter } = countPieces(t);
    collect(100 * MEGABYTE);
    assert.equal(countAfter(20), 1);
    collect(128 * MEGABYTE);
    assert.equal(countAfter(1_000), 4);
    collect(1e12);
    assert.equal(countAfter(10_000), 36);
  });
});

function countPieces(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let pieces = 0;
  const collect = createCollector({ allocate: () => pieces++ });
  const countAfter = (milliseconds: number) => {
    // Step by step: a timer that another one starts is due only after its own pause.
    for (let step = 0; step < milliseconds; step += 20) t.mock.timers.tick(20);
    return pieces;
  };
  return { collect, countAfter };
}
