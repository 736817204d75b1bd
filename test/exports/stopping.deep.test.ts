import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, test } from 'node:test';
import { mountSmallDisk } from '../faults/small-disk.ts';
import { engines, useDatabase } from '../harness/databases.ts';
import { importSyntheticAll } from '../harness/entities.ts';
import { run, start } from '../harness/process.ts';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { exportAll } from './exporting.ts';

const trial = mountSmallDisk(1);
trial?.remove();
const skip = trial === undefined && 'only root can mount a small disk';

/** Exports that do not come to their end. Processes of their own, because they are stopped by signals. */
for (const engine of engines) {
  describe(`an export that is stopped, on ${engine}`, () => {
    const database = useDatabase(engine, { migrated: true });
    let env: Record<string, string>;
    before(async () => {
      const { dataDir, databaseUrl } = database;
      env = { DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
      const file = join(dataDir, 'lv.csv');
      assert.equal((await run(['generate', 'lv', '--rows', '3000', '--out', file], env)).code, 0);
      assert.equal((await run(['import', 'lv', file], env)).code, 0);
    });

    const exporting = (out: string, rows = 500) => {
      return ['export', '--format', 'csv', '--rows-per-file', String(rows), '--out', out];
    };
    const hashesIn = (folder: string) =>
      JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')).files.map(
        (each: { sha256: string }) => each.sha256,
      );

    test('two at once: the second is refused with a reason; Ctrl+C stops the first, and the next run completes', async () => {
      const out = join(database.dataDir, 'two');
      const first = start(exporting(out), env);
      await until('the first has begun', () => existsSync(join(out, '.partial', '.state.json')));
      // It holds its lock as long as the test needs.
      first.kill('SIGSTOP');
      const second = await run(exporting(out), env);
      assert.equal(second.code, 1);
      assert.match(second.stderr, /^Another export is being written to .*two: wait until it has ended\.\n$/);
      first.kill('SIGINT');
      first.kill('SIGCONT');
      const stopped = await first.ended;
      assert.equal(stopped.code, 1, stopped.stderr);
      assert.match(stopped.stderr, /Stopped\. Run the same command again to continue\.\n$/);
      assert.deepEqual(readdirSync(out), ['.partial'], 'nothing is offered');
      const again = await run([...exporting(out), '--json'], env);
      assert.deepEqual([again.code, JSON.parse(again.stdout).rows], [0, 3_000], again.stderr);
      assert.deepEqual(readdirSync(out).sort(), ['LICENCES.md', 'entities', 'manifest.json']);
    });

    test('killed at any point, the next run keeps finished files and gives the same bytes', async () => {
      const whole = join(database.dataDir, 'whole');
      assert.equal((await run(exporting(whole, 50), env)).code, 0);
      for (const finished of [1, 4, 9]) {
        const out = join(database.dataDir, `killed-${finished}`);
        const killed = start(exporting(out, 50), env);
        let isOver = false;
        void killed.ended.then(() => {
          isOver = true;
        });
        const countFinished = () => {
          const state = join(out, '.partial', '.state.json');
          return existsSync(state) ? JSON.parse(readFileSync(state, 'utf8')).files.length : 0;
        };
        await until('some files are finished', () => isOver || countFinished() >= finished);
        killed.kill('SIGKILL');
        await killed.ended;
        const resumed = await run([...exporting(out, 50), '--json'], env);
        assert.ok(JSON.parse(resumed.stdout).keptFiles >= finished, resumed.stderr);
        assert.match(resumed.stderr, /Continuing an unfinished export: \d+ finished files are kept/);
        assert.deepEqual(hashesIn(out), hashesIn(whole));
      }
    });

    test('the disk is full: one sentence says what to do, nothing is offered, and the next run completes', {
      skip,
    }, async () => {
      const disk = mountSmallDisk(4) ?? assert.fail('cannot mount');
      try {
        const folder = join(disk.folder, 'export');
        disk.fill(400_000);
        const failed = await run(exporting(folder), env);
        assert.deepEqual([failed.code, failed.stdout], [1, '']);
        assert.match(failed.stderr, /^The disk is full: free some space and run the same command again; .*\n$/m);
        assert.deepEqual(readdirSync(folder), ['.partial']);
        disk.free();
        const done = await run(exporting(folder), env);
        assert.equal(done.code, 0, done.stderr);
        assert.equal(hashesIn(folder).length, 6);
      } finally {
        disk.remove();
      }
    });
  });
}

/** The open files of this process, on Linux. */
const FILES = '/proc/self/fd';

/** Replaces the entities by so many that sorting them never ends. */
const ENDLESS = `
  ALTER TABLE entities RENAME TO finite;
  CREATE VIEW entities AS
    WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers)
    SELECT number AS rowid, finite.* FROM numbers, (SELECT * FROM finite LIMIT 1) AS finite;`;

/** Whether SQLite has sorted more than fits its cache. It gives its temporary files this name. */
function hasSpilled(): boolean {
  return readdirSync(FILES).some((file) => {
    try {
      return readlinkSync(join(FILES, file)).includes('etilqs_');
    } catch {
      // Closed in the meantime.
      return false;
    }
  });
}

describe('sorting in SQLite, which blocks its thread', () => {
  test('the main thread stays free, and the export can be stopped at once', {
    skip: !existsSync(FILES) && 'open files cannot be listed',
  }, async () => {
    await using service = await startService('sqlite');
    await importSyntheticAll(service, 2);
    const file = new DatabaseSync(join(service.database.dataDir, 'registry.db'));
    file.exec(ENDLESS);
    file.close();
    const stop = new AbortController();
    const folder = join(service.database.dataDir, 'endless');
    const exporting = exportAll(service, 'ndjson', {
      folderOf: () => folder,
      signal: stop.signal,
      onProgress: async ({ phase }) => {
        assert.equal(phase, 'sorting');
        // This needs a free main thread.
        await until('SQLite sorts', hasSpilled);
        stop.abort();
      },
    });
    await assert.rejects(exporting, { name: 'AbortError' });
    assert.deepEqual(readdirSync(join(folder, '.partial')), ['.state.json'], 'the lock is released');
  });
});
