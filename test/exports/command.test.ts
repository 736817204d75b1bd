import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { run, start } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { company, writeGb } from '../registry/gb-file.ts';

/** SQLite: the command itself does not depend on the database. */
describe('firmament export', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  const hashesIn = (folder: string) =>
    JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')).files.map(
      (file: { sha256: string }) => file.sha256,
    );

  before(async () => {
    database = await createDatabase('sqlite');
    env = { DATA_DIR: database.dataDir, KEEP_EXPORTS: '1' };
    for (const [id, rows] of [
      ['lv', '3000'],
      ['ro', '20'],
    ] as const) {
      const file = join(database.dataDir, `${id}.${id === 'ro' ? 'zip' : 'csv'}`);
      assert.equal((await run(['generate', id, '--rows', rows, '--out', file], env)).code, 0);
      assert.equal((await run(['import', id, file], env)).code, 0);
    }
    const file = writeGb(database.dataDir, 'gb.csv', [company('00000001', 'ALPHA LTD')]);
    assert.equal((await run(['import', 'gb', file], env)).code, 0);
  });
  after(() => database?.remove());

  test('writes to EXPORT_DIR, leaves out unknown licences except of invented companies, and does nothing the second time', async () => {
    const first = await run(['export', '--format', 'csv'], env);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /Left out, because the licence is unknown: gb\. Use --include-unknown-licences/);
    assert.match(first.stdout, /Exported 3,020 entities of generation 3 /);
    const folder = join(database.dataDir, 'exports', '3', 'csv');
    assert.deepEqual(readdirSync(folder).sort(), ['.state.json', 'LICENCES.md', 'entities', 'manifest.json']);
    const { registers, includesUnknownLicences } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    assert.deepEqual(
      registers.map(({ register, synthetic }: Record<string, unknown>) => [register, synthetic]),
      [
        ['lv', true],
        ['ro', true],
      ],
    );
    assert.equal(includesUnknownLicences, false);
    assert.match(readFileSync(join(folder, 'LICENCES.md'), 'utf8'), /## ro\n\n- Publisher: Firmament \(synthetic/);
    const again = await run(['export', '--format', 'csv', '--json'], env);
    assert.deepEqual([again.code, JSON.parse(again.stdout).isNew], [0, false]);
  });

  test('wrong usage is one sentence with a suggestion', async () => {
    const full = join(database.dataDir, 'full');
    mkdirSync(full);
    writeFileSync(join(full, 'mine.txt'), 'x');
    for (const [line, code, message] of [
      ['export --format parket', 2, /^Unknown format "parket"\. Did you mean "parquet"\?\n$/],
      ['export --country latvia', 2, /^Unknown country "latvia"\. Did you mean "LV"\?\n$/],
      ['export --country XX', 2, /^Unknown country "XX"\. /],
      ['export --register latvia', 2, /^Unknown register "latvia"\. Did you mean "lv"\?\n$/],
      ['export --register gb', 1, /^There is nothing to export: the licence of gb is unknown\. --include-unknown/],
      [`export --out ${full}`, 1, /is not empty and not an export: choose another folder\.\n$/],
    ] as const) {
      const ended = await run(line.split(' '), env);
      assert.deepEqual([ended.code, ended.stdout], [code, ''], line);
      assert.match(ended.stderr, message);
    }
    assert.deepEqual(readdirSync(full), ['mine.txt']);
  });

  test('killed at any point, the next run keeps finished files and gives the same bytes', async () => {
    const args = (out: string) => ['export', '--format', 'ndjson', '--rows-per-file', '300', '--out', out];
    const whole = join(database.dataDir, 'whole');
    assert.equal((await run(args(whole), env)).code, 0);
    const points = runs(2, 10);
    for (let point = 0; point < points; point++) {
      const out = join(database.dataDir, `killed-${point}`);
      const files = join(out, '.partial/entities/country=LV');
      const killed = start(args(out), env);
      const count = () => (existsSync(files) ? readdirSync(files).filter((name) => name.endsWith('.zst')).length : 0);
      let isOver = false;
      void killed.ended.then(() => {
        isOver = true;
      });
      await until('some files are finished', () => isOver || count() > point);
      killed.kill('SIGKILL');
      await killed.ended;
      const resumed = await run([...args(out), '--json'], env);
      assert.equal(resumed.code, 0, resumed.stderr);
      assert.deepEqual(hashesIn(out), hashesIn(whole));
    }
  });
});
