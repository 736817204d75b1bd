import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { defaultTransportLimits, type TransportLimits } from '../../src/http/connections.ts';
import { prepareDrain, waitUntilQuiet, watchProbes } from '../../src/http/drain.ts';
import { DETAIL, ENDPOINTS, type TestKey, useMeteredService } from '../api/metered-service.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { openClient } from './pipelined-client.ts';

test('a server that stops serves a connection that the kernel had accepted while its thread was busy', async () => {
  let drain: ReturnType<typeof prepareDrain> | undefined;
  await using service = await startService('sqlite', {
    extend: (app) => {
      drain = prepareDrain(app);
    },
  });
  const drained = drain?.({ lingerMs: 60_000, deadlineMs: 60_000 });
  const client = openClient(service.url);
  client.write('GET /api/v1/plans HTTP/1.1\r\nHost: x\r\n\r\n');
  // The connection is opened in this turn. It can be accepted only in the next one.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  for (const end = performance.now() + 300; performance.now() < end; );
  const [reply] = await client.ended;
  assert.deepEqual([reply?.status, reply?.headers.get('connection')], [200, 'close']);
  assert.equal(await drained, true);
});

test('a listener stays open until the proxy that checks readiness knows that the server is stopping', async () => {
  const probes = watchProbes();
  probes.note(true);
  assert.equal(probes.areAwaited(), false, 'one probe is not a proxy');
  probes.note(true);
  let isTold = false;
  const quiet = waitUntilQuiet(() => 0, probes).then(() => isTold);
  setTimeout(() => {
    isTold = true;
    probes.note(false);
  }, 500);
  assert.equal(await quiet, true);
});

test('a proxy that no longer checks is not waited for', () => {
  let now = 0;
  const probes = watchProbes(() => now);
  probes.note(true);
  probes.note(true);
  assert.equal(probes.areAwaited(), true);
  now = 8_000;
  assert.equal(probes.areAwaited(), false);
});

const limits: Partial<TransportLimits> = { checkEveryMs: 50 };
const REQUEST = 'GET /api/v1/plans HTTP/1.1\r\nHost: x\r\n\r\n';

function countConnections({ app }: TestService): Promise<number> {
  return promisify(app.server.getConnections.bind(app.server))();
}

/** Waits less than the time that Node would need without our limits. */
async function untilNoConnection(service: TestService, bytes?: () => void): Promise<void> {
  const MAX_MS = 30_000;
  assert.ok(MAX_MS < defaultTransportLimits.idleMs);
  const sending = setInterval(() => bytes?.(), 20);
  try {
    await until('all connections are closed', async () => (await countConnections(service)) === 0, MAX_MS);
  } finally {
    clearInterval(sending);
  }
}

test('a client that does not close its side after an error is disconnected', async () => {
  await using impatient = await startService('sqlite', { limits: { ...limits, headersMs: 200 } });
  await using service = await startService('sqlite');
  const timedOut = openClient(impatient.url);
  const broken = openClient(service.url);
  broken.write('NOT HTTP\r\n\r\n');
  // The client allows half-open connections, and so keeps its side open.
  assert.deepEqual(
    (await timedOut.ended).map(({ status }) => status),
    [408],
  );
  assert.deepEqual(
    (await broken.ended).map(({ status }) => status),
    [400],
  );
  await untilNoConnection(impatient);
  await untilNoConnection(service);
});

test('empty lines do not keep a connection open', async () => {
  await using service = await startService('sqlite', { limits: { ...limits, idleMs: 3_000 } });
  const { write, receive } = openClient(service.url);
  write(REQUEST);
  assert.equal((await receive(1))[0]?.status, 200);
  await untilNoConnection(service, () => write('\r\n'));
});

test('a client that never reads a reply is disconnected, even if it keeps sending', async () => {
  await using service = await startService('sqlite', {
    limits: { ...limits, replyMs: 500 },
    extend: (app) => void app.get('/large', (_request, reply) => void reply.send(Buffer.alloc(32_000_000))),
  });
  const { socket, write } = openClient(service.url);
  socket.pause();
  write(REQUEST.replace('/api/v1/plans', '/large'));
  await until('the client is connected', async () => (await countConnections(service)) === 1);
  await untilNoConnection(service, () => write('\r\n'));
});

describeOn(usualEngines, 'requests that cannot be answered cost nothing', (engine) => {
  const metered = useMeteredService(engine);

  /** Sends bytes, closes its side if asked to, and returns what arrives. */
  function exchange(text: string, closes: boolean): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect({
        port: Number(new URL(metered.service.url).port),
        host: '127.0.0.1',
        allowHalfOpen: true,
      });
      let received = '';
      socket.setEncoding('latin1').on('data', (more) => {
        received += more;
      });
      socket.on('error', () => undefined).on('end', () => socket.end());
      socket.on('close', () => resolve(received));
      if (closes) socket.end(text);
      else socket.write(text);
    });
  }
  const write = (path: string, { secret }: TestKey, more = '') =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\n${more}\r\n`;

  test('bad framing gets 400 and costs nothing', async () => {
    const key = await metered.newKey('business');
    for (const path of [...ENDPOINTS, '/api/v1/changes', '/api/v1/exports']) {
      const reply = await exchange(write(path, key, 'Transfer-Encoding: identity\r\n'), false);
      assert.match(reply, /^HTTP\/1\.1 400 /, path);
      assert.equal(reply.match(/^HTTP\/1\.1 \d/gm)?.length, 1, 'one reply');
    }
    await until('nothing is charged', async () => (await metered.counts(key))[1] === 0);
  });

  test('a client that closes its side pays exactly for the answers that it gets', async () => {
    const key = await metered.newKey('business');
    const paths = Array.from({ length: 40 }, (_, at) => ENDPOINTS[at % ENDPOINTS.length] ?? DETAIL);
    const conditional = 'If-None-Match: "x"\r\n';
    const replies = await Promise.all(
      paths.map((path, at) => exchange(write(path, key, at % 2 === 0 ? '' : conditional), true)),
    );
    const answered = replies.filter((reply) => reply.startsWith('HTTP/1.1 200')).length;
    assert.ok(replies.every((reply) => reply === '' || reply.startsWith('HTTP/1.1 200')));
    await until('only answers are charged', async () => (await metered.counts(key))[1] === answered);
  });
});
