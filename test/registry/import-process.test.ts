import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../src/db/open.ts';
import { registers } from '../../src/registers/index.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { createKeyIn } from '../harness/keys.ts';
import { type Ended, run, start, startServer } from '../harness/process.ts';

const envOf = (database: TestDatabase) => ({
  DATA_DIR: database.dataDir,
  LOG_LEVEL: 'warn',
  ...(database.databaseUrl && { DATABASE_URL: database.databaseUrl }),
});

async function readState(database: TestDatabase): Promise<string> {
  const db = openStore('registry', database);
  const registry = createRegistry(db, registers);
  const rows = await db.one('SELECT count(*) AS n, max(updated_at) AS latest FROM entities');
  const held = (await registry.listRegisters()).filter(({ entities }) => entities > 0);
  const state = {
    version: await registry.version(),
    rows: { ...rows },
    held: held.map(({ entities }) => entities),
  };
  await db.close();
  return JSON.stringify(state);
}

for (const engine of engines) {
  describe(`the import command on ${engine}`, () => {
    test('generate, import and registers work together on an empty database', async () => {
      const database = await createDatabase(engine);
      const env = envOf(database);
      const file = join(database.dataDir, 'register.csv');
      const generated = await run(['generate', 'lv', '--rows', '300', '--seed', '2', '--out', file], env);
      assert.equal(generated.code, 0, generated.stderr);
      assert.match(generated.stdout, /^Wrote 300 invented companies to /);
      const dry = await run(['import', 'lv', file, '--dry-run', '--json'], env);
      assert.equal(dry.code, 0, dry.stderr);
      assert.equal(JSON.parse(dry.stdout).outcome, 'dry-run');
      const imported = await run(['import', 'lv', file], env);
      assert.equal(imported.code, 0, imported.stderr);
      assert.match(imported.stdout, /^ {2}added +2\d\d$|^ {2}added +300$/m);
      assert.match(imported.stdout, /^ {2}generation +1$/m);
      assert.match(
        imported.stdout,
        /^Note: 300 rows, but a complete file has at least 388000: is this a partial file\?$/m,
      );
      const again = await run(['import', 'lv', file], env);
      assert.match(again.stdout, /^Already imported: nothing to do\. Use --again to re-import\.$/m);
      const table = await run(['registers'], env);
      assert.match(table.stdout, /^lv +LV +.* +\d{2,3} +20\d\d-/m);
      assert.match(table.stdout, /^gb +GB +.* 0 +never/m);
      await database.remove();
    });

    test('wrong usage exits with 2, a file that cannot be imported with 1 and one line of error', async () => {
      const database = await createDatabase(engine);
      const env = envOf(database);
      const missing = join(database.dataDir, 'missing.csv');
      const page = join(database.dataDir, 'page.csv');
      writeFileSync(page, '<html><body>Moved</body></html>');
      for (const [args, code, message] of [
        [['import'], 2, /^import needs a register and at least one file/],
        [['import', 'gb', page, '--full', '--partial'], 2, /^Use either --full or --partial/],
        [['import', 'xx', page], 2, /^Unknown register "xx"/],
        [['import', 'gb', missing], 1, /^File not found: .*missing\.csv$/m],
        [['import', 'gb', database.dataDir], 1, /is not a regular file: name the files to import/],
        [['import', 'gb', page], 1, /^page\.csv is not a file of the register "gb".*HTML/],
        [['generate', 'gb', '--rows', 'many'], 2, /^--rows needs a whole number/],
        [['generate', 'gb', '--out', page], 1, /already exists/],
      ] as const) {
        const ended = await run(args, env);
        assert.equal(ended.code, code, `${args.join(' ')}: ${ended.stderr}`);
        assert.match(ended.stderr, message);
        if (code === 1) assert.equal(ended.stderr.trim().split('\n').length, 1, ended.stderr);
      }
      await database.remove();
    });

    test('a killed import leaves the old data, and the next run completes', async () => {
      const database = await createDatabase(engine);
      const env = envOf(database);
      const small = join(database.dataDir, 'small.zip');
      const large = join(database.dataDir, 'large.zip');
      await run(['generate', 'gb', '--rows', '2000', '--out', small], env);
      await run(['generate', 'gb', '--rows', '60000', '--seed', '9', '--out', large], env);
      assert.equal((await run(['import', 'gb', small], env)).code, 0);
      const before = await readState(database);
      for (const delay of [450, 600, 750, 900, 1100]) {
        const importing = start(['import', 'gb', large, '--full'], env);
        await sleep(delay);
        importing.kill('SIGKILL');
        const { signal } = await importing.ended;
        if (signal === 'SIGKILL') assert.equal(await readState(database), before, `killed after ${delay} ms`);
      }
      const done = await run(['import', 'gb', large, '--full', '--json'], env);
      assert.equal(done.code, 0, done.stderr);
      assert.ok(['published', 'unchanged'].includes(JSON.parse(done.stdout).outcome));
      assert.notEqual(await readState(database), before);
      await database.remove();
    });

    test('Ctrl+C stops the import and changes nothing', async () => {
      const database = await createDatabase(engine);
      const env = envOf(database);
      const large = join(database.dataDir, 'large.zip');
      await run(['generate', 'gb', '--rows', '60000', '--out', large], env);
      const interrupt = async (afterMs: number): Promise<Ended> => {
        const importing = start(['import', 'gb', large], env);
        await sleep(afterMs);
        importing.kill('SIGINT');
        const ended = await importing.ended;
        // On a busy machine the program may not be loaded yet; then the signal ended node itself.
        return ended.signal === 'SIGINT' && afterMs < 10_000 ? interrupt(afterMs * 2) : ended;
      };
      const ended = await interrupt(1_200);
      assert.deepEqual([ended.code, ended.stderr.trim().split('\n').at(-1)], [1, 'Stopped: nothing was changed.']);
      await database.remove();
    });

    test('an import does not delay requests', async () => {
      const database = await createDatabase(engine);
      const env = envOf(database);
      const large = join(database.dataDir, 'large.zip');
      await run(['generate', 'gb', '--rows', '30000', '--out', large], env);
      const server = await startServer(database);
      const headers = { 'x-api-key': await createKeyIn(database) };
      const importing = start(['import', 'gb', large], env);
      let isDone = false;
      void importing.ended.then(() => {
        isDone = true;
      });
      let slowest = 0;
      let requests = 0;
      while (!isDone) {
        const started = performance.now();
        const response = await fetch(`${server.url}/api/v1/countries`, { headers });
        await response.arrayBuffer();
        assert.equal(response.status, 200);
        slowest = Math.max(slowest, performance.now() - started);
        requests++;
        await sleep(5);
      }
      assert.equal((await importing.ended).code, 0, importing.output());
      assert.ok(requests > 50 && slowest < 500, `${requests} requests, the slowest took ${slowest} ms`);
      const after = await (await fetch(`${server.url}/api/v1/countries`, { headers })).json();
      const enabled = (after as { data: Array<{ code: string; enabled: boolean }> }).data.filter(
        (country) => country.enabled,
      );
      assert.deepEqual(
        enabled.map(({ code }) => code),
        ['GB'],
      );
      server.kill('SIGTERM');
      await server.ended;
      await database.remove();
    });
  });
}

test('the demo imports synthetic samples of every register at its first start only', async () => {
  const database = await createDatabase('sqlite');
  const countEntities = async () => {
    const db = openStore('registry', database);
    const row = await db.one<{ n: number; generation: number; real: number }>(
      `SELECT (SELECT count(*) FROM entities) AS n, (SELECT generation FROM generation) AS generation,
        (SELECT count(*) FROM files WHERE synthetic = 0) AS real`,
    );
    await db.close();
    return { ...row };
  };
  const serveOnce = async () => {
    const server = await startServer(database, { args: ['--demo'] });
    for (let tries = 0; !server.output().includes('Ctrl+C') && tries < 1_000; tries++) await sleep(20);
    const { apiKey } = JSON.parse(readFileSync(join(database.dataDir, 'demo.json'), 'utf8'));
    const headers = { 'x-api-key': apiKey };
    const { data } = (await (await fetch(`${server.url}/api/v1/countries`, { headers })).json()) as {
      data: Array<{ enabled: boolean }>;
    };
    server.kill('SIGTERM');
    await server.ended;
    return data.filter(({ enabled }) => enabled).length;
  };
  const countries = new Set(registers.flatMap(({ country }) => country ?? []));
  assert.equal(await serveOnce(), countries.size);
  const first = await countEntities();
  assert.ok((first.n ?? 0) > registers.length * 570);
  assert.equal(first.real, 0);
  assert.ok(existsSync(join(database.dataDir, 'samples')));
  await serveOnce();
  assert.deepEqual(await countEntities(), first);
  await database.remove();
});
