import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { createBackgroundWork } from '../../src/base/system/background-work.ts';
import { runWithBreaks } from '../../src/base/system/event-loop.ts';

test('background work is repeated, never runs twice at the same time, and is aborted and awaited by stop', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const started: { signal: AbortSignal; end: () => void }[] = [];
  const work = createBackgroundWork(1_000, (signal) => {
    const run = Promise.withResolvers<void>();
    started.push({ signal, end: run.resolve });
    return run.promise;
  });
  work.start();
  work.start();
  t.mock.timers.tick(999);
  assert.equal(started.length, 0);
  t.mock.timers.tick(1);
  assert.equal(started.length, 1);
  t.mock.timers.tick(3_000);
  assert.equal(started.length, 1, 'a second run started before the first one ended');
  started[0]?.end();
  await new Promise(setImmediate);
  t.mock.timers.tick(1_000);
  assert.equal(started.length, 2);
  assert.equal(started[1]?.signal.aborted, false);
  let isStopped = false;
  const stopped = work.stop().then(() => {
    isStopped = true;
  });
  assert.equal(started[1]?.signal.aborted, true);
  await new Promise(setImmediate);
  assert.equal(isStopped, false, 'stop does not wait for the run');
  started[1]?.end();
  await stopped;
  t.mock.timers.tick(5_000);
  assert.equal(started.length, 2, 'it was started again after stop');
});

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

const PROGRAM = `
  import { readdirSync } from 'node:fs';
  import { getPriority } from 'node:os';
  import { lowerPriority } from '${new URL('../../src/base/system/priority.ts', import.meta.url)}';
  lowerPriority();
  console.log(JSON.stringify(readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)))));`;

test('the priority of all threads is lowered, also of those that run already', {
  skip: !existsSync('/proc/self/task') && 'only Linux has a priority per thread',
}, () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], { encoding: 'utf8' });
  const priorities: number[] = JSON.parse(output);
  assert.ok(priorities.length > 1);
  assert.deepEqual(new Set(priorities), new Set([19]));
});
