import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { openConnection } from '../../src/search/clickhouse/connection.ts';
import { until } from '../harness/until.ts';

test('a connection to ClickHouse that is not used is closed long before the node closes it', async () => {
  const server = createServer((request, response) => request.resume().on('end', () => response.end('[1]\n')));
  // As ClickHouse: it says so in a header, and undici would keep the connection for 29 s.
  server.keepAliveTimeout = 30_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  let open = 0;
  server.on('connection', (socket) => {
    open++;
    socket.on('close', () => open--);
  });
  const place = { hosts: [`http://127.0.0.1:${port}`], user: 'default', password: '', database: 'firmament' };
  const connection = openConnection(place);
  try {
    assert.deepEqual(await connection.read('SELECT 1'), [[1]]);
    assert.equal(open, 1);
    await until('the idle connection is closed', () => open === 0, 20_000);
    assert.deepEqual(await connection.read('SELECT 1'), [[1]]);
  } finally {
    await connection.close();
    server.close();
  }
});
