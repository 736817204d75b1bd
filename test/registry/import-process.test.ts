import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../src/db/open.ts';
import { gb } from '../../src/registers/gb/register.ts';
import { registers } from '../../src/registers/index.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { createDatabase, type TestDatabase, usualEngines } from '../harness/databases.ts';
import { boundMs, isDeep, runs } from '../harness/depth.ts';
import { createKeyIn } from '../harness/keys.ts';
import { type Ended, run, start, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { checkJournal } from './journal-check.ts';

const envOf = (database: TestDatabase) => ({
  DATA_DIR: database.dataDir,
  LOG_LEVEL: 'warn',
  ...(database.databaseUrl && { DATABASE_URL: database.databaseUrl }),
});

async function readState(database: TestDatabase): Promise<string> {
  const db = openStore('registry', database);
  const registry = createRegistry(db, registers);
  await checkJournal(db);
  const rows = await db.one('SELECT count(*) AS n, max(updated_at) AS latest FROM entities');
  const held = (await registry.listRegisters(0)).filter(({ entities }) => entities > 0);
  const state = {
    version: await registry.version(),
    rows: { ...rows },
    held: held.map(({ entities }) => entities),
  };
  await db.close();
  return JSON.stringify(state);
}

/** Written once for all tests. An import of the large file takes long enough to be interrupted. */
let folder: string;
let small: string;
let large: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'firmament-import-'));
  const write = async (name: string, rows: number, seed: number) => {
    mkdirSync(join(folder, name));
    return writeSynthetic(join(folder, name), generateFile(gb, rows, seed));
  };
  small = await write('small', 1_000, 1);
  large = await write('large', runs(5_000, 60_000), 9);
});
after(() => rmSync(folder, { recursive: true, force: true }));

for (const engine of usualEngines) {
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
        /^Note: 300 rows, but a complete file has at least 388,000: is this a partial file\?$/m,
      );
      const again = await run(['import', 'lv', file], env);
      assert.match(again.stdout, /^Already imported: nothing to do\. Use --again to re-import\.$/m);
      const table = await run(['registers'], env);
      assert.match(table.stdout, /^lv +LV +.* +\d{2,3} +sample +never +20\d\d-/m);
      assert.match(table.stdout, /^gb +GB +.* 0 +never +never/m);
      const unknown = await run(['registers', '--unknown'], env);
      assert.match(
        unknown.stdout,
        /^There are no unknown values: the registers know every status, legal form and activity/,
      );
      assert.deepEqual(JSON.parse((await run(['registers', '--unknown', '--json'], env)).stdout), []);
      const partial = await run(['import', 'lv', file, '--partial', '--again'], env);
      assert.equal(partial.code, 0, partial.stderr);
      assert.doesNotMatch(partial.stdout, /partial file/);
      await database.remove();
    });

    test('a killed import leaves the old data, Ctrl+C changes nothing, and the next run completes', async () => {
      const database = await createDatabase(engine);
      const env = envOf(database);
      assert.equal((await run(['import', 'gb', small], env)).code, 0);
      const before = await readState(database);
      const began = performance.now();
      assert.equal((await start(['import', 'gb', large, '--full', '--dry-run'], env).ended).code, 0);
      const importMs = performance.now() - began;

      // Timings vary on a busy machine, so an import may publish before it is killed. Then it must be complete: the last
      // run below finds nothing to do.
      for (const fraction of isDeep ? [0.45, 0.55, 0.65, 0.75, 0.85] : [0.6]) {
        const importing = start(['import', 'gb', large, '--full'], env);
        await sleep(fraction * importMs);
        importing.kill('SIGKILL');
        await importing.ended;
        if ((await readState(database)) !== before) break;
      }

      const interrupt = async (afterMs: number, attempts = 8): Promise<Ended> => {
        const importing = start(['import', 'gb', large, '--full', '--again'], env);
        await sleep(afterMs);
        importing.kill('SIGINT');
        const ended = await importing.ended;
        if (attempts === 0) return ended;
        // The import may have finished, or the program may not be loaded yet and the signal ended node itself.
        if (ended.code === 0) return interrupt(afterMs * 0.8, attempts - 1);
        return ended.signal === 'SIGINT' ? interrupt(afterMs * 1.2, attempts - 1) : ended;
      };
      const stopped = await interrupt(0.6 * importMs);
      assert.deepEqual([stopped.code, stopped.stderr.trim().split('\n').at(-1)], [1, 'Stopped: nothing was changed.']);

      const isPublished = (await readState(database)) !== before;
      // Until PostgreSQL notices that the killed import is gone, it refuses another one.
      let done: Ended | undefined;
      await until('the next run completes', async () => {
        done = await run(['import', 'gb', large, '--full', '--json'], env);
        return done.code === 0;
      });
      assert.equal(JSON.parse(done?.stdout ?? '').outcome, isPublished ? 'unchanged' : 'published');
      assert.notEqual(await readState(database), before);
      await database.remove();
    });

    test('an import does not delay requests', async () => {
      const database = await createDatabase(engine);
      const env = envOf(database);
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
        await sleep(runs(20, 5));
      }
      assert.equal((await importing.ended).code, 0, importing.output());
      assert.ok(requests > 10 && slowest < boundMs(500), `${requests} requests, the slowest took ${slowest} ms`);
      await until('the country of the import can be searched', async () => {
        const after = await (await fetch(`${server.url}/api/v1/countries`, { headers })).json();
        const { data } = after as { data: Array<{ code: string; enabled: boolean }> };
        const enabled = data.filter((country) => country.enabled).map(({ code }) => code);
        return enabled.join() === 'GB';
      });
      server.kill('SIGTERM');
      await server.ended;
      await database.remove();
    });
  });
}

test('wrong usage exits with 2, a file that cannot be imported with 1 and one line of error', async () => {
  const database = await createDatabase('sqlite');
  const env = envOf(database);
  const missing = join(database.dataDir, 'missing.csv');
  const page = join(database.dataDir, 'page.csv');
  writeFileSync(page, '<html><body>Moved</body></html>');
  for (const [args, code, message] of [
    [['import'], 2, /^import needs a register and at least one file/],
    [['import', 'gb', page, '--full', '--partial'], 2, /^Use either --full or --partial/],
    [['import', 'xx', page], 2, /^Unknown register "xx"/],
    [['import', 'gb', missing], 1, /^File not found: .*missing\.csv$/m],
    [['import', 'gb', database.dataDir], 1, /is not a regular file: name a file/],
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
