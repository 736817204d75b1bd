import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prepareDrain, waitUntilQuiet, watchProbes } from '../../src/http/transport/drain.ts';
import { startService } from '../harness/service.ts';
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
