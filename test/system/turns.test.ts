import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { chooseTurnLimits, createAccountTurns, createTurns, type TurnLimits } from '../../src/base/system/turns.ts';
import { until } from '../harness/until.ts';
import { trackTimers } from './timers.ts';

const MAX_WAIT_MS = 8_001;

/** Work that ends when the test says so. */
function useWork(turns: ReturnType<typeof createTurns>) {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  return {
    started,
    take(account: string, name = account): Promise<string> {
      return turns.take(account, () => {
        started.push(name);
        return new Promise((resolve) => ends.push(() => resolve(name)));
      });
    },
    /** Ends the work that runs, and waits until `next` has started. */
    async end(next?: string): Promise<void> {
      const count = started.length;
      ends.shift()?.();
      if (next === undefined) return;
      await until(`${next} has started`, () => started.length > count);
      assert.equal(started.at(-1), next);
    },
  };
}

describe('turns between accounts', () => {
  test('an account that has had a turn goes to the end of the line', async () => {
    const { take, end, started } = useWork(createTurns({ maxWaitMs: MAX_WAIT_MS, maxWaiting: 3 }));
    const all = [take('a', 'a1'), take('a', 'a2'), take('a', 'a3'), take('b', 'b1'), take('c', 'c1'), take('b', 'b2')];
    assert.deepEqual(started, ['a1']);
    for (const next of ['b1', 'c1', 'a2', 'b2', 'a3']) await end(next);
    await end();
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
  });

  test('one account can wait only a few times, and others still can', async () => {
    const { take, end } = useWork(createTurns({ maxWaitMs: MAX_WAIT_MS, maxWaiting: 2 }));
    const [first, second, third] = [take('a', 'a1'), take('a', 'a2'), take('a', 'a3')];
    assert.equal(await take('a', 'a4'), 'busy');
    const other = take('b');
    await end('b');
    await end('a2');
    await end('a3');
    await end();
    assert.deepEqual(await Promise.all([first, second, third, other]), ['a1', 'a2', 'a3', 'b']);
  });

  test('a call that gives up keeps the place of its account, also before accounts that come later', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { take, end } = useWork(createTurns({ maxWaitMs: MAX_WAIT_MS, maxWaiting: 3 }));
      const first = take('a', 'a1');
      const early = take('b', 'b1');
      mock.timers.tick(MAX_WAIT_MS - 1);
      const second = take('a', 'a2');
      mock.timers.tick(1);
      assert.equal(await early, 'busy');
      const later = Array.from({ length: 3 }, (_, index) => take(`c${index}`));
      const again = take('b', 'b2');
      mock.timers.reset();
      await end('b2');
      for (const next of ['c0', 'c1', 'c2', 'a2']) await end(next);
      await end();
      assert.deepEqual(await Promise.all([first, second, again]), ['a1', 'a2', 'b2']);
      await Promise.all(later);
    } finally {
      mock.timers.reset();
    }
  });

  test('work that has started is not ended by the time it waited, and leaves no timer', async () => {
    using timers = trackTimers(MAX_WAIT_MS);
    const { take, end } = useWork(createTurns({ maxWaitMs: MAX_WAIT_MS, maxWaiting: 3 }));
    const [first, second] = [take('a', 'a1'), take('b', 'b1')];
    assert.deepEqual(timers.count(), { started: 1, running: 1 });
    await end('b1');
    assert.deepEqual(timers.count(), { started: 1, running: 0 });
    await end();
    assert.deepEqual(await Promise.all([first, second]), ['a1', 'b1']);
  });

  test('work that fails passes the turn on', async () => {
    const turns = createTurns({ maxWaitMs: MAX_WAIT_MS, maxWaiting: 3 });
    const failed = turns.take('a', () => Promise.reject(new Error('broken')));
    const next = turns.take('b', async () => 'done');
    await assert.rejects(failed, /broken/);
    assert.equal(await next, 'done');
    assert.equal(await turns.take('a', async () => 'again'), 'again');
  });

  test('places that are kept are bounded, those of waiting accounts excepted', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { take, end } = useWork(createTurns({ maxWaitMs: MAX_WAIT_MS, maxWaiting: 3 }));
      const first = take('a', 'a1');
      const gone = Array.from({ length: 998 }, (_, index) => take(`gone${index}`));
      mock.timers.tick(MAX_WAIT_MS);
      assert.ok((await Promise.all(gone)).every((result) => result === 'busy'));
      const waiting = take('w');
      // The line is full: those that do not wait lose their places.
      const more = take('x');
      const back = take('gone0');
      mock.timers.reset();
      for (const next of ['w', 'x', 'gone0']) await end(next);
      await end();
      await Promise.all([first, waiting, more, back]);
    } finally {
      mock.timers.reset();
    }
  });

  test('closing ends all waiting, and nothing more starts', async () => {
    using timers = trackTimers(MAX_WAIT_MS);
    const turns = createTurns({ maxWaitMs: MAX_WAIT_MS, maxWaiting: 3 });
    const { take, end, started } = useWork(turns);
    const running = take('a');
    const waiting = [take('b'), take('b'), take('c')];
    turns.close();
    assert.deepEqual(await Promise.all([...waiting, take('d')]), Array(4).fill('busy'));
    await end();
    assert.equal(await running, 'a');
    assert.equal(await take('a'), 'busy');
    assert.deepEqual(started, ['a']);
    assert.equal(timers.count().running, 0);
  });
});

/** Starts searches that end when the test says so. */
function openTurns(limits: TurnLimits) {
  const turns = createAccountTurns(limits);
  const running: { readonly name: string; readonly end: () => void; readonly fail: () => void }[] = [];
  async function end(name: string, how: 'end' | 'fail' = 'end'): Promise<void> {
    const at = running.findIndex((search) => search.name === name);
    running.splice(at, 1)[0]?.[how]();
    await new Promise(setImmediate);
  }
  return {
    end,
    running: () => running.map(({ name }) => name),
    search(name: string, deadline = performance.now() + 60_000) {
      const account = name.charAt(0);
      return turns.run(account, deadline, () => {
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        running.push({ name, end: () => resolve(name), fail: () => reject(new Error(name)) });
        return promise;
      });
    },
    async [Symbol.asyncDispose]() {
      for (let [next] = running; next !== undefined; [next] = running) await end(next.name);
    },
  };
}

describe('turns to search', () => {
  test('an account runs as many searches as its bound, and other accounts do not wait for it', async () => {
    await using turns = openTurns({ perAccount: 2, inTotal: 10 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) void turns.search(name);
    assert.deepEqual(turns.running(), ['a1', 'a2', 'b1']);
    await turns.end('b1');
    assert.deepEqual(turns.running(), ['a1', 'a2']);
    await turns.end('a2');
    assert.deepEqual(turns.running(), ['a1', 'a3']);
  });

  test('with all turns taken, the next free one goes to the first account below its bound', async () => {
    await using turns = openTurns({ perAccount: 2, inTotal: 3 });
    for (const name of ['a1', 'a2', 'b1', 'a3', 'c1', 'b2']) void turns.search(name);
    assert.deepEqual(turns.running(), ['a1', 'a2', 'b1']);
    await turns.end('b1');
    assert.deepEqual(turns.running(), ['a1', 'a2', 'c1']);
    await turns.end('a1');
    assert.deepEqual(turns.running(), ['a2', 'c1', 'a3']);
  });

  test('results and errors are passed on, and both free the turn', async () => {
    await using turns = openTurns({ perAccount: 1, inTotal: 1 });
    const failing = assert.rejects(turns.search('a1'), /a1/);
    const waiting = turns.search('a2');
    await turns.end('a1', 'fail');
    await failing;
    await turns.end('a2');
    assert.equal(await waiting, 'a2');
    void turns.search('a3');
    assert.deepEqual(turns.running(), ['a3']);
  });

  test('a search that gets no turn before its deadline fails and never runs', async () => {
    await using turns = openTurns({ perAccount: 1, inTotal: 9 });
    void turns.search('a1');
    const refused = turns.search('a2', performance.now() + 20);
    await assert.rejects(refused, (error: Error) => {
      assert.match(error.message, /^Too many searches are running/);
      assert.deepEqual(Reflect.get(error, 'headers'), { 'Retry-After': '1' });
      return Reflect.get(error, 'code') === 'service_unavailable';
    });
    await turns.end('a1');
    assert.deepEqual(turns.running(), []);
  });

  test('whatever the number of connections, two accounts can search, and lookups keep a connection', () => {
    for (let connections = 4; connections <= 100; connections++) {
      const { perAccount, inTotal } = chooseTurnLimits(connections);
      assert.ok(perAccount >= 1 && 2 * perAccount <= inTotal && inTotal < connections, String(connections));
    }
    for (const connections of [2, 3]) assert.ok(chooseTurnLimits(connections).inTotal < connections);
  });
});
