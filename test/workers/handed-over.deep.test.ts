import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase } from '../harness/databases.ts';
import { openOffice } from '../harness/keys.ts';
import { fire, tally } from '../harness/load.ts';
import { NO_SHARED_PORT, startServer } from '../harness/process.ts';
import { speakRaw } from '../harness/raw.ts';
import { openClient } from '../http/pipelined-client.ts';
import { stopUnderLoad } from './stop-under-load.ts';

const WORKERS = 2;
const REQUESTS = 300;
/** Each caller keeps its connection. */
const CALLERS = 30;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('where threads cannot share a port, connections are handed to the threads in turn', async () => {
  const database = await createDatabase('sqlite');
  const server = await startServer(database, { env: { WORKERS: String(WORKERS), ...NO_SHARED_PORT } });
  await using office = openOffice(database);
  const { keys } = await office.createAccount();
  const answers = await fire(REQUESTS, { urls: [server.url], keys, callers: CALLERS });
  assert.deepEqual(tally(answers), { 200: REQUESTS });
  // Everything else works as usual: pages link to the right address, and slow requests time out.
  const home = await (await fetch(`${server.url}/`)).text();
  assert.ok(home.replaceAll('<wbr>', '').includes(server.url), home);
  const slow = await speakRaw(server.url, 'GET /api/v1/plans HTTP/1.1\r\nHost: x\r\n', { timeoutMs: 60_000 });
  assert.deepEqual(
    slow.map(({ status }) => status),
    [408],
  );
  // Also on these connections, pipelined requests are answered one after the other.
  const pipelined = openClient(server.url);
  pipelined.write(
    ['plans', 'health/live', 'nothing']
      .map((name) => get(`/api/v1/${name}`))
      .join('')
      .repeat(50),
  );
  const replies = await pipelined.receive(150);
  assert.deepEqual(
    replies.map(({ status }) => status),
    Array.from({ length: 50 }, () => [200, 200, 404]).flat(),
  );
  pipelined.socket.destroy();
  await stopUnderLoad(server, 'SIGTERM');
  const { stdout } = await server.ended;
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const counts = Map.groupBy(
    lines.filter(({ route }) => route === '/api/v1/entities'),
    ({ worker }) => worker,
  );
  assert.deepEqual(
    [...counts.keys()].toSorted(),
    Array.from({ length: WORKERS }, (_, at) => at + 1),
  );
  // At least one request per connection. How many more depends on the scheduler.
  const least = Math.floor(CALLERS / WORKERS);
  for (const [worker, its] of counts) assert.ok(its.length >= least, `thread ${worker} served ${its.length}`);
  await database.remove();
});
