import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { defaultTransportLimits, type TransportLimits } from '../../src/http/transport/limits.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { openClient } from './pipelined-client.ts';

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
