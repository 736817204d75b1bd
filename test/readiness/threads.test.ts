import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDatabase } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { createKeyIn } from '../harness/keys.ts';
import { startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

const THREADS = runs(2, 3);

test(`${THREADS} serving threads: all of them follow a missing file, and use the settings for origins and proxies`, async (t) => {
  const database = await createDatabase('sqlite');
  const key = await createKeyIn(database);
  const env = { WORKERS: String(THREADS), CORS_ORIGINS: 'https://tools.example', TRUST_PROXY: '127.0.0.1' };
  const server = await startServer(database, { env });
  t.after(async () => {
    server.kill('SIGKILL');
    await server.ended;
    await database.remove();
  });

  /** Each request has its own connection, so that the kernel spreads them over all threads. */
  const ask = (path: string) => Promise.all(Array.from({ length: 40 }, () => send(server.url + path, key)));
  const statusesOf = async (path: string) => [...new Set((await ask(path)).map(({ status }) => status))];
  const file = join(database.dataDir, 'accounts.db');

  for (let round = 0; round < 2; round++) {
    renameSync(file, `${file}.away`);
    for (const path of ['/api/v1/health/ready', '/api/v1/countries']) {
      await until(`${path} fails in all threads`, async () => String(await statusesOf(path)) === '503');
    }
    renameSync(`${file}.away`, file);
    for (const path of ['/api/v1/health/ready', '/api/v1/countries']) {
      await until(`${path} succeeds in all threads`, async () => String(await statusesOf(path)) === '200');
    }
  }
  for (const { origin } of await ask('/api/v1/countries')) assert.equal(origin, 'https://tools.example');
  await until('every request of the last second is logged', () => /"address":"203\.0\.113\.7"/.test(server.output()));
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line.includes('"/api/v1/countries"'));
  assert.ok(lines.every((line) => JSON.parse(line).address === '203.0.113.7'));
  assert.equal(new Set(lines.map((line) => JSON.parse(line).worker)).size, THREADS);
});

function send(url: string, key: string): Promise<{ status: number; origin: string | undefined }> {
  const headers = { 'x-api-key': key, origin: 'https://tools.example', 'x-forwarded-for': '203.0.113.7' };
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { ...headers, connection: 'close' }, agent: false }, (response) => {
      response.resume();
      const origin = response.headers['access-control-allow-origin'];
      response.on('end', () => resolve({ status: response.statusCode ?? 0, origin }));
    });
    sent.on('error', reject).end();
  });
}
