import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openStore } from '../src/db/open.ts';
import { registers } from '../src/registers/index.ts';
import { createDatabase, type TestDatabase } from './harness/databases.ts';
import { type RunningServer, startServer } from './harness/process.ts';
import { until } from './harness/until.ts';

/** What `npm start` does. The first start imports samples of all registers, which takes seconds, so the tests share it. */
describe('npm start', () => {
  let database: TestDatabase;
  let server: RunningServer;
  before(async () => {
    database = await createDatabase('sqlite');
    server = await startDemo();
  });
  after(async () => {
    server?.kill('SIGKILL');
    await server?.ended;
    await database?.remove();
  });

  async function startDemo(): Promise<RunningServer> {
    const started = await startServer(database, { args: ['--demo'] });
    await until('the welcome is printed', () => started.output().includes('Ctrl+C'), 60_000);
    return started;
  }

  const readCommand = () => /^ +curl -H 'X-API-Key: (\S+)' '(\S+)'$/m.exec(server.output())?.slice(1) ?? [];

  async function ask(path: string): Promise<{ data: Record<string, unknown>[]; meta: unknown }> {
    const [key = '', url = ''] = readCommand();
    const reply = await fetch(new URL(path, url), { headers: { 'X-API-Key': key } });
    assert.equal(reply.status, 200);
    return reply.json() as Promise<{ data: Record<string, unknown>[]; meta: unknown }>;
  }

  async function countStored() {
    const db = openStore('registry', database);
    const row = await db.one<{ entities: number; generation: number; real: number }>(
      `SELECT (SELECT count(*) FROM entities) AS entities, (SELECT generation FROM generation) AS generation,
        (SELECT count(*) FROM files WHERE synthetic = 0) AS real`,
    );
    await db.close();
    return { ...row };
  }

  test('prints a command that works', async () => {
    const [, url = ''] = readCommand();
    assert.equal((await ask(url)).data.length, 3);
  });

  test('gives the answers that the quick start guide shows', async () => {
    const guide = readFileSync('docs/guides/quick-start.md', 'utf8');
    const [search = '', record = ''] = Array.from(
      guide.matchAll(/'http:\/\/127\.0\.0\.1:3000(\S+)'/g),
      ([, path]) => path,
    );
    const shown = JSON.parse(/^```json\n(.*?)^```/ms.exec(guide)?.[1] ?? '');
    const { data, meta } = await ask(search);
    assert.deepEqual(meta, shown.meta);
    assert.deepEqual({ ...data[0], updatedAt: '' }, { ...shown.data[0], updatedAt: '' });
    assert.equal(Reflect.get((await ask(record)).data, 'id'), shown.data[0].id);
  });

  test('imports samples of every register, marked as synthetic, and only at the first start', async () => {
    const enabled = (await ask('/api/v1/countries')).data.filter((country) => country.enabled).map(({ code }) => code);
    for (const { country } of registers) assert.ok(country === null || enabled.includes(country), `${country}`);
    const stored = await countStored();
    assert.ok((stored.entities ?? 0) > registers.length * 570, JSON.stringify(stored));
    assert.equal(stored.real, 0);
    assert.ok(existsSync(join(database.dataDir, 'samples')));

    server.kill('SIGINT');
    assert.equal((await server.ended).code, 0, server.output());
    server = await startDemo();
    assert.deepEqual(await countStored(), stored);
  });
});
