import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { App } from '../../src/http/app.ts';
import { prepareDrain } from '../../src/http/drain.ts';
import { runs } from '../harness/depth.ts';
import { startService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { openClient } from './pipelined-client.ts';

/** What the service did with the requests of this file. */
const inWork = new Map<Socket, number>();
let most = 0;
let startedPaths: string[] = [];
let release = Promise.withResolvers<void>();
let turn = 0;
const startsPerTurn = new Map<number, number>();
let drain: ReturnType<typeof prepareDrain>;

function extend(app: App): void {
  drain = prepareDrain(app);
  app.server.on('request', (request, response) => {
    const { socket } = request;
    const count = (inWork.get(socket) ?? 0) + 1;
    inWork.set(socket, count);
    most = Math.max(most, count);
    startedPaths.push(request.url ?? '');
    startsPerTurn.set(turn, (startsPerTurn.get(turn) ?? 0) + 1);
    response.once('close', () => {
      const left = (inWork.get(socket) ?? 0) - 1;
      if (left === 0) inWork.delete(socket);
      else inWork.set(socket, left);
    });
  });
  app.get('/now/:id', (request, reply) => {
    reply.send(request.params as object);
  });
  app.get('/later/:id', async (request) => {
    await sleep(1);
    return request.params;
  });
  app.get('/released/:id', async (request) => {
    await release.promise;
    return request.params;
  });
  app.get('/big/:id', async (request) => ({ ...Object(request.params), pad: 'x'.repeat(300_000) }));
  app.get('/large', (_request, reply) => {
    reply.send(Buffer.alloc(32_000_000));
  });
  app.post('/echo', async (request) => request.body);
  app.post('/released', async (request) => {
    await release.promise;
    return request.body;
  });
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const post = (body: string, headers = '') =>
  `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;
const idOf = ({ text }: { text: string }) => Number(JSON.parse(text).id);

describe('pipelining', () => {
  const service = useService('sqlite', { extend });

  /** The server has read what was sent before: another client, who came later, is answered. */
  async function passTurns(): Promise<void> {
    for (let round = 0; round < 3; round++) await service.client.get('/api/v1/plans');
    startedPaths = startedPaths.filter((path) => path !== '/api/v1/plans');
  }

  /** Every test starts with this: whatever earlier clients did, nothing may stay in work. */
  async function startAgain(): Promise<void> {
    await until('nothing is in work', () => inWork.size === 0);
    startsPerTurn.clear();
    startedPaths = [];
    most = 0;
    release = Promise.withResolvers();
  }

  test('of hundreds of requests in one write, one is in work at a time, and one starts per turn of the event loop', async () => {
    await startAgain();
    let isRunning = true;
    const countTurns = () => {
      turn++;
      if (isRunning) setImmediate(countTurns);
    };
    countTurns();
    const ids = Array.from({ length: 200 }, (_, id) => id);
    const clients = [1, 2, 3].map(() => openClient(service.url));
    for (const { write } of clients) write(ids.map((id) => get(`/${id % 7 === 0 ? 'later' : 'now'}/${id}`)).join(''));
    for (const { receive } of clients) assert.deepEqual((await receive(200)).map(idOf), ids);
    isRunning = false;
    assert.equal(most, 1);
    // The first request of a connection starts when it is read.
    assert.ok(Math.max(...startsPerTurn.values()) <= 1 + clients.length);
    for (const { socket } of clients) socket.destroy();
  });

  test('the second request does not start before the first reply is sent', async () => {
    await startAgain();
    const { socket, write, receive } = openClient(service.url);
    write(get('/released/0') + get('/now/1'));
    await until('the first request has started', () => startedPaths.length > 0);
    await passTurns();
    assert.deepEqual(startedPaths, ['/released/0']);
    release.resolve();
    assert.deepEqual((await receive(2)).map(idOf), [0, 1]);
    socket.destroy();
  });

  test('a client that does not read its reply gets no further request started', async () => {
    await startAgain();
    const { socket, write } = openClient(service.url);
    socket.pause();
    write(get('/large').repeat(50));
    await until('the first request has started', () => startedPaths.length > 0);
    await passTurns();
    assert.equal(startedPaths.length, 1);
    socket.destroy();
  });

  test('a client that disconnects leaves nothing behind', async () => {
    await startAgain();
    const { socket, write } = openClient(service.url);
    write(get('/released/0') + get('/now/1'));
    await until('the first request has started', () => startedPaths.length > 0);
    socket.resetAndDestroy();
    release.resolve();
    await until('nothing is in work', () => inWork.size === 0);
    const next = openClient(service.url);
    next.write(get('/now/2') + get('/now/3'));
    assert.deepEqual((await next.receive(2)).map(idOf), [2, 3]);
    assert.ok(!startedPaths.includes('/now/1'));
    next.socket.destroy();
  });

  const endings: readonly [title: string, bytes: string, status: number][] = [
    ['bytes that are not HTTP', 'NOT HTTP\r\n\r\n', 400],
    ['CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['an upgrade', 'GET /now/1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n', 400],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(30_000)}\r\n\r\n`, 431],
  ];
  for (const [title, bytes, status] of endings) {
    test(`${title} behind a slow request: the replies arrive in order, then the connection is closed`, async () => {
      await startAgain();
      const { write, ended } = openClient(service.url);
      write(get('/released/0') + bytes + get('/now/2'));
      await until('the first request has started', () => startedPaths.length > 0);
      await passTurns();
      release.resolve();
      const replies = await ended;
      assert.deepEqual(
        replies.map((reply) => reply.status),
        [200, status],
      );
      assert.ok(!startedPaths.includes('/now/2'));
    });
  }

  test('a request that waits for our slow reply does not time out', async () => {
    await startAgain();
    await using impatient = await startService('sqlite', {
      extend,
      limits: { headersMs: 2_000, requestMs: 2_000, checkEveryMs: 50 },
    });
    const { socket, write, receive } = openClient(impatient.url);
    write(get('/released/0') + post('{"id":1}').slice(0, -4));
    await until('the first request has started', () => startedPaths.length > 0);
    // Another client began its request later, and its time is over.
    const other = openClient(impatient.url);
    other.write(post('{"id":2}').slice(0, -4));
    assert.deepEqual(
      (await other.ended).map(({ status }) => status),
      [408],
    );
    release.resolve();
    write('":1}');
    assert.deepEqual((await receive(2)).map(idOf), [0, 1]);
    socket.destroy();
  });

  test('a server that stops answers the request in work and says that it closes the connection', async () => {
    await startAgain();
    await using stopping = await startService('sqlite', { extend });
    const { write, ended } = openClient(stopping.url);
    write(get('/released/0') + get('/now/1'));
    await until('the first request has started', () => startedPaths.length > 0);
    const drained = drain({ lingerMs: 20, deadlineMs: 60_000 });
    release.resolve();
    const replies = await ended;
    assert.deepEqual(replies.map(idOf), [0, 1].slice(0, replies.length));
    assert.equal(replies.at(-1)?.headers.get('connection'), 'close');
    assert.equal(await drained, true);
  });

  test('any mix of requests in any packets is answered in order, one at a time, also if other clients hang up', async () => {
    const request = fc.oneof(
      fc.constantFrom('now', 'later', 'big').map((speed) => (id: number) => get(`/${speed}/${id}`)),
      fc.nat(3_000).map((size) => (id: number) => post(JSON.stringify({ id, pad: 'x'.repeat(size) }))),
      fc.constant((id: number) => get(`/now/${id}`).replace('GET', 'HEAD')),
    );
    const conversation = fc.record({
      requests: fc.array(request, { minLength: 1, maxLength: 30 }),
      /** Where the bytes are split into packets. */
      cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
      /** The part of the bytes after which the client disconnects. */
      hangUp: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(conversation, { minLength: 1, maxLength: 4 }), async (conversations) => {
        await startAgain();
        await Promise.all(
          conversations.map(async ({ requests, cuts, hangUp }) => {
            const bytes = requests.map((render, id) => render(id)).join('');
            const isHead = (at: number) => requests[at]?.(at).startsWith('HEAD') === true;
            const { socket, write, receive } = openClient(service.url, isHead);
            const sent = bytes.slice(0, Math.round((hangUp ?? 1) * bytes.length));
            let from = 0;
            for (const end of [
              ...cuts.map((cut) => Math.round(cut * sent.length)).toSorted((a, b) => a - b),
              sent.length,
            ]) {
              write(sent.slice(from, end));
              from = end;
              await new Promise(setImmediate);
            }
            if (hangUp === null) {
              const replies = await receive(requests.length);
              assert.deepEqual(
                replies.map(({ text }, at) => (text === '' ? at : idOf({ text }))),
                requests.map((_, at) => at),
              );
            }
            socket.resetAndDestroy();
          }),
        );
        await until('nothing is in work', () => inWork.size === 0);
        assert.ok(most <= 1, `${most} requests of one connection were in work`);
      }),
      { numRuns: runs(30, 1_000) },
    );
  });
});
