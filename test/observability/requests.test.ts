import assert from 'node:assert/strict';
import { request } from 'node:http';
import { beforeEach, describe, test } from 'node:test';
import { listenAdmin } from '../../src/base/observability/metrics.ts';
import { usualEngines } from '../harness/databases.ts';
import { speakRaw } from '../harness/raw.ts';
import { startService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';

describe('logs', () => {
  const [arrived, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  /** How many lines the log had before the test. */
  let since = 0;
  const service = useService('sqlite', {
    extend: (app) => {
      app.get('/test/slow', async () => {
        arrived.resolve();
        await gone.promise;
        return { done: true };
      });
    },
  });
  beforeEach(() => {
    since = service.logLines.length;
  });
  const newLines = () => service.logLines.slice(since);
  const requestLines = () =>
    newLines()
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'request');
  /** The line is written when the response is complete, a moment after the client has received it. */
  const settle = (count: number) => until('the requests are logged', () => requestLines().length >= count);

  test('one line per request, with request id, route, status, duration, account and key', async () => {
    const replies = [
      await service.client.get('/api/v1/plans'),
      await service.client.get('/docs/errors/not_found'),
      await service.client.get('/nope'),
    ];
    await speakRaw(service.url, 'nonsense\r\n\r\n');
    await settle(4);
    const lines = requestLines();
    assert.deepEqual(
      lines.map(({ route, status, method }) => [method, route, status]),
      [
        ['GET', '/api/v1/plans', 200],
        ['GET', '/docs/errors/:code', 200],
        ['GET', 'unmatched', 404],
        [null, 'unparsed', 400],
      ],
    );
    for (const [index, reply] of replies.entries()) {
      assert.equal(lines[index].requestId, reply.headers.get('x-request-id'));
      assert.ok(lines[index].durationMs >= 0 && lines[index].durationMs < 10_000);
      assert.equal(lines[index].accountId, null);
      assert.equal(lines[index].keyId, null);
    }
  });

  test('a request whose client disconnects is logged as aborted', async () => {
    const { port } = new URL(service.url);
    const hasty = request({ port, path: '/test/slow' }).on('error', () => undefined);
    hasty.end();
    await arrived.promise;
    hasty.destroy();
    await settle(1);
    gone.resolve();
    assert.equal(requestLines()[0]?.aborted, true);
  });

  test('headers, cookies, queries, paths, bodies and keys are not logged, not even invalid keys', async () => {
    const secret = 'frm_live_SECRETsecret0123456789';
    const headers = {
      authorization: `Bearer ${secret}`,
      'x-api-key': secret,
      cookie: `session=${secret}`,
      'user-agent': secret,
    };
    await service.client.get('/api/v1/plans', { headers });
    await service.client.get(`/api/v1/plans?api_key=${secret}`, { headers });
    await service.client.get(`/${secret}`, { headers });
    await service.client.get(`/docs/errors/${secret}`, { headers });
    const body = JSON.stringify({ secret });
    await service.client.request('POST', '/api/v1/plans', {
      body,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    await speakRaw(service.url, `GET /${secret} HTTP/1.1\r\nX-API-Key ${secret}\r\n\r\n`);
    await settle(6);
    assert.equal(requestLines().length, 6);
    assert.ok(!newLines().join('').includes('SECRET'), 'the secret is in the log');
  });
});

for (const engine of usualEngines) {
  test(`metrics on ${engine}: requests by route and status, event loop, process, database pools, on a separate port`, async () => {
    await using service = await startService(engine);
    const admin = await listenAdmin(service.services.metrics.render, 0);
    try {
      await service.client.get('/api/v1/plans');
      await service.client.get('/api/v1/plans');
      await service.client.get('/nope');
      // Requests are counted when they are logged.
      await until(
        'they are counted',
        () => service.logLines.filter((line) => line.includes('"msg":"request"')).length >= 3,
      );
      const response = await fetch(admin.url);
      const text = await response.text();
      assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
      assert.match(
        text,
        /^http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/plans",status="200"\} 2$/m,
      );
      assert.match(text, /^http_request_duration_seconds_count\{method="GET",route="unmatched",status="404"\} 1$/m);
      assert.match(text, /^nodejs_eventloop_lag_p99_seconds \d/m);
      assert.match(text, /^process_resident_memory_bytes \d/m);
      for (const database of ['registry', 'accounts']) {
        for (const state of ['open', 'idle', 'waiting']) {
          assert.match(
            text,
            new RegExp(`^database_pool_connections\\{database="${database}",state="${state}"\\} \\d`, 'm'),
          );
        }
      }
      assert.equal((await fetch(new URL('/', admin.url))).status, 404);
      assert.equal((await service.client.get('/metrics')).status, 404, 'metrics are not on the public port');
    } finally {
      await admin[Symbol.asyncDispose]();
    }
  });
}
