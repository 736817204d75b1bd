import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chooseTurnLimits, createTurns, type TurnLimits } from '../../src/base/system/turns.ts';

/** Starts searches that end when the test says so. The account of a search is the first letter of its name. */
function openTurns(limits: TurnLimits) {
  const turns = createTurns(limits, 'searches');
  const running: { readonly name: string; readonly end: () => void; readonly fail: () => void }[] = [];
  async function end(name: string, how: 'end' | 'fail' = 'end'): Promise<void> {
    const at = running.findIndex((search) => search.name === name);
    running.splice(at, 1)[0]?.[how]();
    await new Promise(setImmediate);
  }
  return {
    end,
    close: turns.close,
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
    assert.deepEqual(turns.running(), ['a2', 'c1', 'b2'], 'the account a has just had a turn');
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

  /** Ends the only search that runs, and checks which one starts then. */
  async function passOn(turns: ReturnType<typeof openTurns>, next: string): Promise<void> {
    await turns.end(turns.running()[0] ?? '');
    assert.deepEqual(turns.running(), [next]);
  }

  test('an account that has had a turn goes to the end of the line', async () => {
    await using turns = openTurns({ perAccount: 1, inTotal: 1 });
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) void turns.search(name);
    for (const next of ['b1', 'c1', 'a2', 'b2', 'a3']) await passOn(turns, next);
  });

  test('one account can wait only a few times, and others still can', async () => {
    await using turns = openTurns({ perAccount: 1, inTotal: 1, maxWaiting: 2 });
    for (const name of ['a1', 'a2', 'a3']) void turns.search(name);
    await assert.rejects(turns.search('a4'), /Too many searches/);
    void turns.search('b1');
    for (const next of ['b1', 'a2', 'a3']) await passOn(turns, next);
  });

  test('a search that gives up keeps the place of its account, also before accounts that come later', async () => {
    await using turns = openTurns({ perAccount: 1, inTotal: 1 });
    void turns.search('a1');
    await assert.rejects(turns.search('b1', performance.now()), /Too many searches/);
    for (const name of ['a2', 'c1', 'd1', 'b2']) void turns.search(name);
    for (const next of ['b2', 'c1', 'd1', 'a2']) await passOn(turns, next);
  });

  test('places that are kept are bounded, those of waiting accounts excepted', async () => {
    await using turns = openTurns({ perAccount: 1, inTotal: 1 });
    void turns.search('a');
    // Letters of their own are accounts of their own.
    const gone = Array.from({ length: 998 }, (_, at) => turns.search(String.fromCharCode(0x4e00 + at), 0));
    assert.ok((await Promise.allSettled(gone)).every(({ status }) => status === 'rejected'));
    void turns.search('w');
    for (const name of ['x', '\u4e00']) void turns.search(name);
    for (const next of ['w', 'x', '\u4e00']) await passOn(turns, next);
  });

  test('closing ends all waiting, and nothing more starts', async () => {
    await using turns = openTurns({ perAccount: 1, inTotal: 1 });
    const running = turns.search('a1');
    const waiting = ['b1', 'b2', 'c1'].map((name) => assert.rejects(turns.search(name), /Too many searches/));
    turns.close();
    await Promise.all([...waiting, assert.rejects(turns.search('d1'), /Too many searches/)]);
    await turns.end('a1');
    assert.equal(await running, 'a1');
    await assert.rejects(turns.search('a2'), /Too many searches/);
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
