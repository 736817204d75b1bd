import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import { listenAdmin } from '../../src/observability/admin-server.ts';
import { speakRaw } from '../harness/raw.ts';
import { startService } from '../harness/service.ts';

describe('API5 the admin port', () => {
  test('serves only GET /metrics, only on this machine; the public port serves no metrics', async () => {
    await using service = await startService('sqlite');
    const admin = await listenAdmin(service.services.metrics.render, 0);
    try {
      const { origin, port } = new URL(admin.url);
      for (const path of [
        '/',
        '/metrics/',
        '/metrics?x',
        '//metrics',
        '/METRICS',
        '/%6detrics',
        '/../metrics',
        '/debug/pprof',
      ]) {
        const [reply] = await speakRaw(origin, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`).catch(
          () => [],
        );
        assert.ok(reply === undefined || reply.status === 404, `${path}: ${reply?.status}`);
        const open = await fetch(`${service.url}${path === '/' ? '/metrics' : path}`);
        assert.notEqual(open.status, 200, `${path} on the public port`);
      }
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
        assert.equal((await fetch(admin.url, { method })).status, 404, method);
      }
      const [outside] = Object.values(networkInterfaces())
        .flat()
        .filter((each) => each?.family === 'IPv4' && !each.internal);
      if (outside !== undefined) {
        const reached = await new Promise((resolve) => {
          const socket = connect(Number(port), outside.address);
          socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
          socket.setTimeout(1_000, () => resolve(false));
        });
        assert.equal(reached, false, 'the admin port is open to other machines');
      }
    } finally {
      await admin.close();
    }
  });

  test('clients cannot create metric series or write into them', async () => {
    await using service = await startService('sqlite');
    const before = (await service.services.metrics.render()).text;
    for (const path of ['/x"} 1\\n', '/api/v1/entities/a%22%7d%201', '/docs/errors/%0aforged%201']) {
      for (const method of ['PROPFIND', 'MKCOL', 'QUERY', 'M-SEARCH']) {
        await speakRaw(service.url, `${method} ${path.replaceAll(' ', '+')} HTTP/1.1\r\nHost: x\r\n\r\n`, {
          quietMs: 20,
        });
      }
    }
    const after = (await service.services.metrics.render()).text;
    assert.ok(!after.includes('forged') && !/PROPFIND|MKCOL|QUERY|M-SEARCH/.test(after));
    const count = (text: string) => text.split('\n').filter((line) => /_count\{method/.test(line)).length;
    assert.ok(count(after) - count(before) <= 3, after);
  });
});
