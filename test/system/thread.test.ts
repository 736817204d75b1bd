import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../src/base/errors.ts';
import { openThread, type ThreadOptions } from '../../src/base/system/thread.ts';
import { until } from '../harness/until.ts';
import type { Echo, EchoEvents } from './echo-worker.ts';

function open(options: Partial<ThreadOptions<EchoEvents>> = {}) {
  return openThread<Echo, EchoEvents>(new URL('echo-worker.ts', import.meta.url), { name: 'echo', ...options });
}

describe('calls of a thread', () => {
  test('return results, in any order, with the data of the thread', async () => {
    await using thread = open({ data: { key: 'value' } });
    const waits = thread.call('wait');
    assert.deepEqual(await thread.call('echo', { a: [1] }), { a: [1] });
    assert.deepEqual(await thread.call('data'), { key: 'value' });
    await thread.call('release');
    assert.equal(await waits, undefined);
  });

  test('fail with the same error, and the thread goes on', async () => {
    await using thread = open();
    const error = await thread.call('fail', 'error').catch((thrown: Error) => thrown);
    assert.ok(error instanceof Error && error.cause instanceof Error);
    assert.deepEqual([error.name, error.message, error.cause.name], ['RangeError', 'on purpose', 'TypeError']);
    assert.match(error.stack ?? '', /echo-worker\.ts/);
    await assert.rejects(thread.call('fail', 'system'), { code: 'ENOENT', syscall: 'open' });
    const failure = await thread.call('fail', 'failure').catch((thrown: Error) => thrown);
    assert.ok(failure instanceof Failure);
    assert.equal(failure.code, 'service_unavailable');
    assert.deepEqual(failure.headers, { 'Retry-After': '7' });
    await assert.rejects(
      thread.call('echo', () => undefined),
      { name: 'DataCloneError' },
    );
    assert.equal(await thread.call('echo', 1), 1);
  });

  test('move buffers and share memory', async () => {
    await using thread = open();
    assert.deepEqual(await thread.call('bytes', 3), new Uint8Array([7, 7, 7]));
    assert.equal(await thread.call('movedLength'), 0);
    const shared = new Int32Array(new SharedArrayBuffer(8)).fill(2);
    assert.equal(await thread.call('sum', shared), 4);
  });

  test('can emit events', async () => {
    const said: string[] = [];
    await using thread = open({ on: { said: (text) => said.push(text) } });
    await thread.call('say', 'a');
    assert.deepEqual(said, ['a']);
    await thread.finish();
    assert.deepEqual(said, ['a', 'finished'], 'what is sent after the last call arrives');
  });
});

describe('the end of a thread', () => {
  const crashes = [
    ['crash', (thread: ReturnType<typeof open>) => thread.call('crash'), /crashed on purpose/],
    ['exit', (thread: ReturnType<typeof open>) => thread.call('exit', 3), /the thread "echo" ended with code 3/],
    ['too much memory', (thread: ReturnType<typeof open>) => thread.call('fill'), /memory/],
    ['a post that throws', async (thread: ReturnType<typeof open>) => thread.post('fail', ['error']), /on purpose/],
  ] as const;
  for (const [what, act, message] of crashes) {
    test(`${what}: everything pending fails with one error, and so do later calls`, async () => {
      const ended: Error[] = [];
      const resourceLimits = { maxOldGenerationSizeMb: 32 };
      await using thread = open({ resourceLimits, onEnd: (reason) => ended.push(reason) });
      const outcomes = Promise.allSettled([thread.call('wait'), thread.call('wait'), act(thread)]);
      const [first, second] = await outcomes;
      assert.ok(first.status === 'rejected' && second.status === 'rejected');
      const error: Error = first.reason;
      assert.match(error.message, message);
      assert.equal(second.reason, error);
      assert.equal(thread.ended, error);
      await assert.rejects(thread.call('echo', 1), error);
      await until('its owner knows', () => ended.length > 0);
      assert.deepEqual(ended, [error]);
    });
  }

  test('a script that does not load fails the calls', async () => {
    const script = new URL('data:text/javascript,throw new Error("does not load")');
    await using thread = openThread<Echo>(script, { name: 'broken' });
    await assert.rejects(thread.call('echo', 1), /does not load/);
  });

  test('close ends a blocked thread, and fails what is pending with its reason', async () => {
    const thread = open();
    const blocked = thread.call('block');
    const stream = thread.stream('count', 1);
    const failed = Promise.all([assert.rejects(blocked, /was closed/), assert.rejects(stream.next(), /was closed/)]);
    await thread.close();
    await failed;
    const stuck = open();
    const call = assert.rejects(stuck.call('block'), /too slow/);
    await stuck.close(new Error('too slow'));
    await call;
  });

  test('a signal closes it', async () => {
    const controller = new AbortController();
    await using thread = open({ signal: controller.signal });
    const blocked = thread.call('block');
    controller.abort(new Error('stopped'));
    await assert.rejects(blocked, /stopped/);
    await using late = open({ signal: controller.signal });
    await assert.rejects(late.call('echo', 1), /stopped/);
  });

  test('finish lets calls end first', async () => {
    const thread = open();
    const waits = thread.call('wait');
    const finished = thread.finish();
    const released = thread.call('release');
    await Promise.all([waits, released, finished]);
    assert.match(String(thread.ended), /ended with code 0/);
  });

  test('finish fails if the thread crashes meanwhile', async () => {
    const thread = open();
    thread.post('crash', []);
    await assert.rejects(thread.finish(), /crashed on purpose/);
  });
});

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
