import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { run, start } from '../harness/process.ts';
import { mountSmallDisk } from '../harness/small-disk.ts';
import { until } from '../harness/until.ts';

const trial = mountSmallDisk(1);
trial?.remove();
const skip = trial === undefined && 'only root can mount a small disk';

/** Exports that do not come to their end. Processes of their own, because they are stopped by signals. */
describe('an export that is stopped', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  let file: string;
  before(async () => {
    database = await createDatabase('sqlite', { migrated: true });
    env = { DATA_DIR: database.dataDir };
    file = join(database.dataDir, 'lv.csv');
    assert.equal((await run(['generate', 'lv', '--rows', '3000', '--out', file], env)).code, 0);
    assert.equal((await run(['import', 'lv', file], env)).code, 0);
  });
  after(() => database?.remove());

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
    assert.deepEqual(readdirSync(out).sort(), ['.state.json', 'LICENCES.md', 'entities', 'manifest.json']);
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
      const whole = join(database.dataDir, 'whole');
      assert.equal((await run(exporting(whole), env)).code, 0);
      assert.deepEqual(hashesIn(folder), hashesIn(whole));
    } finally {
      disk.remove();
    }
  });

  test('killed on PostgreSQL, the next run keeps finished files and gives the same bytes', async () => {
    const postgres = await createDatabase('postgres');
    try {
      const env = { DATA_DIR: postgres.dataDir, DATABASE_URL: postgres.databaseUrl ?? '' };
      assert.equal((await run(['import', 'lv', file], env)).code, 0);
      const [out, whole] = [join(postgres.dataDir, 'killed'), join(postgres.dataDir, 'whole')];
      const small = (folder: string) => exporting(folder, 50);
      const killed = start(small(out), env);
      let isOver = false;
      void killed.ended.then(() => {
        isOver = true;
      });
      const countFinished = () => {
        const state = join(out, '.partial', '.state.json');
        return existsSync(state) ? JSON.parse(readFileSync(state, 'utf8')).files.length : 0;
      };
      await until('some files are finished', () => isOver || countFinished() > 0);
      killed.kill('SIGKILL');
      await killed.ended;
      const resumed = await run([...small(out), '--json'], env);
      assert.ok(JSON.parse(resumed.stdout).keptFiles > 0, resumed.stderr);
      assert.equal((await run(small(whole), env)).code, 0);
      assert.deepEqual(hashesIn(out), hashesIn(whole));
    } finally {
      await postgres.remove();
    }
  });
});
