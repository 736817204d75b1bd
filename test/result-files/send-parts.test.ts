import assert from 'node:assert/strict';
import { get, type ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  chooseWait,
  countKeptUnits,
  countUnits,
  type ResultPart,
  type Sent,
  sendParts,
} from '../../src/exports/results/result-files.ts';
import { startHttp } from '../harness/http-server.ts';
import { until } from '../harness/until.ts';
import { use } from '../harness/use.ts';

const PATIENT = { stallMs: 100_000, rowsPerSecond: 1, maxMs: 1_000_000 };

describe('sending a file in parts', () => {
  const server = use(
    () => startHttp((_request, response) => answer(response)),
    (opened) => opened[Symbol.asyncDispose](),
  );
  let answer: (response: ServerResponse) => void = () => undefined;

  /** Parts without end, and how many were produced. */
  function endless() {
    const produced = { parts: 0 };
    function* make(): Generator<ResultPart> {
      for (;;) {
        produced.parts++;
        yield { rows: 200, bytes: Buffer.alloc(64 * 1024, 'x') };
      }
    }
    return { produced, parts: make() };
  }

  /** Opens a response and reads nothing of it. */
  function openUnread(send: (response: ServerResponse) => Promise<Sent>) {
    const { promise: sent, resolve } = Promise.withResolvers<Sent & { readonly isCut: boolean }>();
    answer = async (response) => resolve({ ...(await send(response)), isCut: response.destroyed });
    const request = get(server.url, { agent: false }, (response) => void response.pause().on('error', () => undefined));
    request.on('error', () => undefined);
    return { request, sent };
  }

  test('nothing is produced for a client that does not read, and what was handed to the connection counts', async () => {
    const { produced, parts } = endless();
    const { request, sent } = openUnread((response) => sendParts(response, parts, PATIENT));
    let last = 0;
    let unchanged = 0;
    await until('no more parts are produced', () => {
      unchanged = produced.parts > 0 && produced.parts === last ? unchanged + 1 : 0;
      last = produced.parts;
      return unchanged === 20;
    });
    const held = produced.parts;
    request.destroy();
    const { rows, end } = await sent;
    assert.equal(end, 'client gone');
    assert.equal(produced.parts, held);
    assert.equal(rows, held * 200, 'the part that waited may have been read in part');
  });

  test('a client that takes nothing for too long is disconnected; so is one that takes too long in total', async () => {
    const stalled = openUnread((response) => sendParts(response, endless().parts, { ...PATIENT, stallMs: 300 }));
    const { end, isCut } = await stalled.sent;
    assert.deepEqual([end, isCut], ['too slow', true]);
    const slow = openUnread((response) => sendParts(response, endless().parts, { ...PATIENT, maxMs: 300 }));
    const second = await slow.sent;
    assert.deepEqual([second.end, second.isCut], ['too slow', true]);
  });

  test('an error while reading cuts the connection, so that the file does not look complete', async () => {
    function* failing(): Generator<ResultPart> {
      yield { rows: 3, bytes: 'abc' };
      throw new Error('the database is gone');
    }
    const { promise: sent, resolve } = Promise.withResolvers<Sent>();
    answer = (response) => resolve(sendParts(response, failing(), PATIENT));
    await assert.rejects(fetch(server.url).then((response) => response.text()));
    const { rows, end, error } = await sent;
    assert.deepEqual([rows, end, String(error)], [3, 'failed', 'Error: the database is gone']);
  });

  test('a client that has gone before the first part gets nothing, and nothing counts', async () => {
    const { promise: sent, resolve } = Promise.withResolvers<Sent>();
    answer = (response) => {
      response.once('close', () => resolve(sendParts(response, endless().parts, PATIENT)));
      request.destroy();
    };
    const request = get(server.url, { agent: false }).on('error', () => undefined);
    assert.deepEqual(await sent, { isStarted: false, rows: 0, end: 'client gone' });
  });

  test('a client that reads fewer rows per second than it must is disconnected, although it never stalls', async () => {
    const limits = { stallMs: 500, rowsPerSecond: 1_000_000, maxMs: 1_000_000 };
    const { promise: sent, resolve } = Promise.withResolvers<Sent>();
    answer = (response) => resolve(sendParts(response, endless().parts, limits));
    // Reads a part from time to time, which is far less than the rate, and much more often than every half second.
    const request = get(server.url, { agent: false }, (response) => {
      response.on('error', () => undefined).pause();
      const reading = setInterval(() => response.read(64 * 1024), 50);
      response.once('close', () => clearInterval(reading));
    }).on('error', () => undefined);
    assert.equal((await sent).end, 'too slow');
    request.destroy();
  });

  test('other work gets its turn between two parts', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    function* some(): Generator<ResultPart> {
      for (let part = 0; part < 300; part++) {
        const busyUntil = performance.now() + 1;
        while (performance.now() < busyUntil);
        yield { rows: 1, bytes: 'x' };
      }
    }
    answer = (response) => void sendParts(response, some(), PATIENT);
    assert.equal((await (await fetch(server.url)).text()).length, 300);
    clearInterval(timer);
    assert.ok(turns > 20, `${turns} turns`);
  });
});

test('the price: one unit per 100 rows, and rows that were handed to the connection are paid', () => {
  assert.deepEqual([0, 1, 100, 101, 1_000_000].map(countUnits), [1, 1, 1, 2, 10_000]);
  assert.equal(countKeptUnits({ isStarted: false, rows: 0 }), 0);
  assert.deepEqual(
    [0, 1, 100, 200, 250].map((rows) => countKeptUnits({ isStarted: true, rows })),
    [1, 1, 1, 2, 3],
  );
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(100_000), (rows, some) => {
      const kept = countKeptUnits({ isStarted: true, rows: Math.min(rows, some) });
      assert.ok(kept >= 1 && kept <= countUnits(rows) && kept * 100 >= Math.min(rows, some));
    }),
  );
});

test('how long a client is waited for: never longer than a stall, and less if it was slow before', () => {
  const limits = { stallMs: 30_000, rowsPerSecond: 100, maxMs: 3_600_000 };
  assert.equal(chooseWait(limits, 0, 0), 30_000);
  assert.equal(chooseWait(limits, 200, 29_000), 3_000);
  assert.equal(chooseWait(limits, 1_000_000, 60_000), 30_000);
  assert.ok(chooseWait(limits, 1_000, 40_001) < 0, 'seven rows per second are too few');
});
