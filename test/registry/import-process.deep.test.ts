import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
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
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { type Ended, run, start } from '../harness/process.ts';
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

for (const engine of engines) {
  describe(`imports as processes on ${engine}`, () => {
    test('Ctrl+C changes nothing, and the next run completes', async () => {
      const database = await createDatabase(engine);
      const env = envOf(database);
      assert.equal((await run(['import', 'gb', small], env)).code, 0);
      const before = await readState(database);
      const began = performance.now();
      assert.equal((await start(['import', 'gb', large, '--full', '--dry-run'], env).ended).code, 0);
      const importMs = performance.now() - began;

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
  });
}
