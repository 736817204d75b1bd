import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { openStore } from '../../src/base/db/open.ts';
import { registers } from '../../src/registers/index.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { type RunningServer, run as runCommand, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { listGuideCommands, listMissing } from './guide-commands.ts';

const run = promisify(execFile);

/** What `npm start` does. The first start imports samples of all registers, which takes seconds, so the tests share it. */
describe('npm start', () => {
  let database: TestDatabase;
  let server: RunningServer;
  /** Whether the samples were loaded when the service became ready. */
  let wasLoaded = true;
  /** The answers of the readiness probe while they were loading. */
  const probes: number[] = [];
  /** How many companies were found when the welcome was printed. */
  let found = 0;
  before(async () => {
    database = await createDatabase('sqlite');
    server = await startServer(database, { args: ['--demo'] });
    wasLoaded = existsSync(join(database.dataDir, 'demo.json'));
    await until('the welcome is printed', async () => {
      probes.push((await fetch(`${server.url}/api/v1/health/ready`)).status);
      return server.output().includes('Ctrl+C');
    });
    found = await findAll();
  });
  after(async () => {
    server?.kill('SIGKILL');
    await server?.ended;
    await database?.[Symbol.asyncDispose]();
  });

  async function startDemo(): Promise<RunningServer> {
    const started = await startServer(database, { until: 'live', args: ['--demo'] });
    await until('the welcome is printed', () => started.output().includes('Ctrl+C'));
    return started;
  }

  const readCommand = () => /^ +curl -H 'X-API-Key: (\S+)' '(\S+)'$/m.exec(server.output())?.slice(1) ?? [];

  async function ask(path: string): Promise<{ data: Record<string, unknown>[]; meta: unknown }> {
    const [key = '', url = ''] = readCommand();
    const reply = await fetch(new URL(path, url), { headers: { 'X-API-Key': key } });
    assert.equal(reply.status, 200);
    return reply.json() as Promise<{ data: Record<string, unknown>[]; meta: unknown }>;
  }

  async function findAll(): Promise<number> {
    const { apiKey } = JSON.parse(readFileSync(join(database.dataDir, 'demo.json'), 'utf8'));
    const reply = await fetch(`${server.url}/api/v1/entities?pageSize=1`, { headers: { 'X-API-Key': apiKey } });
    return ((await reply.json()) as { meta: { total: number } }).meta.total;
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

  test('is ready when databases and index are, and stays ready while the samples load', () => {
    assert.equal(wasLoaded, false, 'readiness has waited for the samples');
    assert.deepEqual(new Set(probes), new Set([200]));
  });

  test('prints its welcome when all sample companies can be found', async () => {
    assert.equal(found, (await countStored()).entities);
  });

  test('a second demo with the same data is refused with a sentence', async () => {
    const { code, stderr } = await runCommand(['serve', '--demo'], {
      DATA_DIR: database.dataDir,
      PORT: '0',
      ADMIN_PORT: '0',
    });
    assert.equal(code, 1);
    assert.match(stderr, /^A demo is already running with the data in \S+: use that one, or set DATA_DIR .*\n$/);
  });

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

  test('answers every request of the guides as they show', async (t) => {
    const installed = await run('sh', ['-c', 'command -v curl jq sha256sum']).catch(() => undefined);
    if (installed === undefined)
      return t.diagnostic('curl, jq or sha256sum is missing: the requests of guides were not sent');
    // The demo has no exports at first.
    assert.equal((await runCommand(['export'], { DATA_DIR: database.dataDir })).code, 0);
    const token = await runCommand(['token', '--email', 'guides@example.com'], { DATA_DIR: database.dataDir });
    const [FIRMAMENT_KEY = ''] = readCommand();
    const env = {
      PATH: process.env.PATH,
      FIRMAMENT_KEY,
      SESSION_TOKEN: token.stdout.trim(),
      FIRMAMENT_TOKEN: token.stdout.trim(),
    };
    const commands = listGuideCommands();
    assert.ok(commands.length >= 20);
    let id = '';
    for (const { guide, command, shown } of commands) {
      const script = command
        .replaceAll('http://127.0.0.1:3000', server.url)
        .replace(/^FIRMAMENT_TOKEN=.*$/m, '')
        .replace('$(uuidgen)', 'b1d4c2f8-0cb1-411b-8310-bbbf2455fb10')
        .replace('<resourceId>', id)
        .replaceAll(/\bcurl (?!-f)(?=-|')/g, 'curl -sS --fail-with-body ');
      const failed = JSON.stringify(shown ?? '').includes('"error"');
      const { stdout } = await run('sh', ['-ec', script], { env, cwd: database.dataDir }).catch((error) =>
        failed ? error : assert.fail(`${guide}: ${command}${error.stdout}${error.stderr}`),
      );
      const reply = stdout.startsWith('{') ? JSON.parse(stdout) : undefined;
      id = reply?.data?.id ?? id;
      if (shown !== undefined) assert.deepEqual(listMissing(shown, reply), [], `${guide}: ${command}`);
    }
  });

  const readme = readFileSync('README.md', 'utf8');

  test('gives the answers that the README and the quick start show', async () => {
    const [, path = '', answer = ''] =
      /^\$ curl -H 'X-API-Key: \S+ 'http:\/\/127\.0\.0\.1:3000(\S+)'\n(\{.*?\})\n```/ms.exec(readme) ?? [];
    const shown = JSON.parse(answer.replaceAll('\n', ''));
    const { data, meta } = await ask(path);
    assert.deepEqual(meta, shown.meta);
    assert.deepEqual(
      data.map((each) => ({ ...each, updatedAt: '' })),
      shown.data.map((each: object) => ({ ...each, updatedAt: '' })),
    );
    const quickStart = readFileSync('docs/guides/quick-start.md', 'utf8');
    const [, created = ''] =
      /^ +http:\/\/127\.0\.0\.1:3000\/api\/v1\/api-keys\n(\{.*?\})\n```/ms.exec(quickStart) ?? [];
    const token = await runCommand(['token', '--email', 'you@example.com'], { DATA_DIR: database.dataDir });
    const key = await fetch(`${server.url}/api/v1/api-keys`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token.stdout.trim()}`,
        'content-type': 'application/json',
        connection: 'close',
      },
      body: '{"name":"laptop"}',
    });
    const { data: fields } = (await key.json()) as { data: object };
    assert.deepEqual(Object.keys(fields), Object.keys(JSON.parse(created.replaceAll('\n', '')).data));
    const [, wrong = '', text = ''] =
      /^\$ curl 'http:\/\/127\.0\.0\.1:3000(\S+)'\n(\{.*?\})\n```/ms.exec(quickStart) ?? [];
    const reply = await fetch(new URL(wrong, server.url), { headers: { connection: 'close' } });
    const { error } = (await reply.json()) as { error: Record<string, string> };
    const promised = JSON.parse(text.replaceAll('\n', '')).error;
    assert.deepEqual([error.code, error.message], [promised.code, promised.message]);
    assert.deepEqual(Object.keys(error), Object.keys(promised));
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
