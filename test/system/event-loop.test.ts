import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWithBreaks } from '../../src/system/event-loop.ts';

/** Each step takes a millisecond or more, so that two or three of them use up a turn. */
const [COMPUTATIONS, STEPS, MAX_IN_TURN] = [4, 12, 3];

test('long computations share the turns of the event loop, and all of them end with their results', async () => {
  const perTurn: number[] = [];
  let isRunning = true;
  const beginTurn = () => {
    perTurn.push(0);
    if (isRunning) setImmediate(beginTurn);
  };
  beginTurn();
  function* compute(result: number) {
    for (let step = 0; step < STEPS; step++) {
      const end = performance.now() + 1;
      while (performance.now() < end);
      perTurn[perTurn.length - 1] = (perTurn.at(-1) as number) + 1;
      yield;
    }
    return result;
  }
  const results = await Promise.all(Array.from({ length: COMPUTATIONS }, (_, at) => runWithBreaks(compute(at))));
  isRunning = false;
  assert.deepEqual(results, [0, 1, 2, 3]);
  const [first = 0, ...others] = perTurn;
  // All of them begin in the first turn, so each does its first step there.
  assert.ok(first <= MAX_IN_TURN + COMPUTATIONS - 1, `${first} steps in the first turn`);
  for (const steps of others) assert.ok(steps <= MAX_IN_TURN, `${steps} steps in a turn`);
});
