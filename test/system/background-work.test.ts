import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBackgroundWork } from '../../src/system/background-work.ts';

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
