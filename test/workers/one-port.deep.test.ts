import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase } from '../harness/databases.ts';
import { openOffice } from '../harness/keys.ts';
import { fire, tally } from '../harness/load.ts';
import { NO_SHARED_PORT, startServer } from '../harness/process.ts';
import { stopUnderLoad } from './stop-under-load.ts';

const REQUESTS = 100;

test('where threads cannot share a port, one thread serves all requests, and the log says so', async () => {
  await using database = await createDatabase('sqlite');
  const server = await startServer(database, { env: { WORKERS: '2', ...NO_SHARED_PORT } });
  await using office = openOffice(database);
  const { keys } = await office.createAccount();
  const answers = await fire(REQUESTS, { urls: [server.url], keys, callers: 10 });
  assert.deepEqual(tally(answers), { 200: REQUESTS });
  await stopUnderLoad(server, 'SIGTERM');
  const { stdout } = await server.ended;
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const warning = lines.find(({ msg }) => msg.startsWith('on this system only one thread can listen on a port'));
  assert.deepEqual([warning?.level, warning?.workers], [40, 2]);
  assert.deepEqual(new Set(lines.map(({ worker }) => worker)), new Set([undefined]));
});
