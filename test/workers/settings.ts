import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestDatabase } from '../harness/databases.ts';
import type { RunningServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

/** The settings that `testSettings` expects. */
export const SETTINGS = { CORS_ORIGINS: 'https://tools.example', TRUST_PROXY: '127.0.0.1' } as const;

interface Started {
  readonly server: RunningServer;
  readonly database: TestDatabase;
  readonly key: string;
}

/** For a server on SQLite. */
export function testSettings(threads: number, use: () => Started): void {
  test('all threads follow a missing file, and use the settings for origins and proxies', async () => {
    const { server, database, key } = use();
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
    assert.equal(new Set(lines.map((line) => JSON.parse(line).worker)).size, threads);
  });
}

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
