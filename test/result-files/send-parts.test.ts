import assert from 'node:assert/strict';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { countKeptUnits, countUnits } from '../../src/result-files/price.ts';
import { type Part, type Sent, sendParts } from '../../src/result-files/send-parts.ts';
import { createSlots } from '../../src/result-files/slots.ts';
import { until } from '../harness/until.ts';

const PATIENT = { stallMs: 100_000, maxMs: 1_000_000 };

describe('sending a file in parts', () => {
  const server = createServer((_request, response) => answer(response));
  let answer: (response: ServerResponse) => void = () => undefined;
  let url = '';
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Parts without end, and how many were produced. */
  function endless() {
    const produced = { parts: 0 };
    function* make(): Generator<Part> {
      for (;;) {
        produced.parts++;
        yield { rows: 200, bytes: Buffer.alloc(64 * 1024, 'x') };
      }
    }
    return { produced, parts: make() };
  }

  /** Opens a response and reads nothing of it. */
  function openUnread(send: (response: ServerResponse) => Promise<Sent>) {
    const { promise: sent, resolve } = Promise.withResolvers<Sent>();
    answer = (response) => resolve(send(response));
    const request = get(url, { agent: false }, (response) => void response.pause().on('error', () => undefined));
    request.on('error', () => undefined);
    return { request, sent };
  }

  test('nothing is produced for a client that does not read, and what the kernel did not take over is not counted', async () => {
    const { produced, parts } = endless();
    const { request, sent } = openUnread((response) => sendParts(response, parts, PATIENT));
    let last = -1;
    await until('no more parts are produced', async () => {
      const before = last;
      last = produced.parts;
      await sleep(100);
      return last > 0 && before === last && produced.parts === last;
    });
    const held = produced.parts;
    request.destroy();
    const { rows, end } = await sent;
    assert.equal(end, 'client gone');
    assert.equal(produced.parts, held);
    assert.equal(rows, (held - 1) * 200, 'all parts but the one that waited');
  });

  test('a client that takes nothing for too long is disconnected; so is one that takes too long in total', async () => {
    const stalled = openUnread((response) => sendParts(response, endless().parts, { ...PATIENT, stallMs: 300 }));
    assert.equal((await stalled.sent).end, 'too slow');
    const slow = openUnread((response) => sendParts(response, endless().parts, { ...PATIENT, maxMs: 300 }));
    assert.equal((await slow.sent).end, 'too slow');
  });

  test('an error while reading cuts the connection, so that the file does not look complete', async () => {
    function* failing(): Generator<Part> {
      yield { rows: 3, bytes: 'abc' };
      throw new Error('the database is gone');
    }
    const { promise: sent, resolve } = Promise.withResolvers<Sent>();
    answer = (response) => resolve(sendParts(response, failing(), PATIENT));
    await assert.rejects(fetch(url).then((response) => response.text()));
    const { rows, end, error } = await sent;
    assert.deepEqual([rows, end, String(error)], [3, 'failed', 'Error: the database is gone']);
  });

  test('other work gets its turn between two parts', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    function* some(): Generator<Part> {
      for (let part = 0; part < 300; part++) {
        const busyUntil = performance.now() + 1;
        while (performance.now() < busyUntil);
        yield { rows: 1, bytes: 'x' };
      }
    }
    answer = (response) => void sendParts(response, some(), PATIENT);
    assert.equal((await (await fetch(url)).text()).length, 300);
    clearInterval(timer);
    assert.ok(turns > 20, `${turns} turns`);
  });
});

test('the price: one unit per 100 rows, and what was sent in part is rounded in favour of the client', () => {
  assert.deepEqual([0, 1, 100, 101, 1_000_000].map(countUnits), [1, 1, 1, 2, 10_000]);
  assert.deepEqual(
    [0, 1, 99, 100, 199, 200, 249, 250].map((sent) => countKeptUnits(250, sent)),
    [0, 1, 1, 1, 1, 2, 2, 3],
  );
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(100_000), (rows, some) => {
      const sent = Math.min(rows, some);
      const kept = countKeptUnits(rows, sent);
      assert.ok(kept <= countUnits(rows) && (kept <= 1 || kept * 100 <= sent || sent === rows));
    }),
  );
});

test('slots: a bound per account and in total, and each is released once', () => {
  const slots = createSlots({ perAccount: 2, inTotal: 3 });
  const first = slots.take('a');
  slots.take('a');
  assert.throws(() => slots.take('a'), { code: 'rate_limit_exceeded' });
  slots.take('b');
  assert.throws(() => slots.take('c'), { code: 'service_unavailable' });
  first[Symbol.dispose]();
  slots.take('c');
  assert.throws(() => slots.take('a'), { code: 'service_unavailable' });
});
