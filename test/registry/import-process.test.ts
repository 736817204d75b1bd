import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../src/base/db/open.ts';
import { createDatabase, type TestDatabase, usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { run, start } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { company, writeGb } from './gb-file.ts';

const envOf = (database: TestDatabase) => ({
  DATA_DIR: database.dataDir,
  LOG_LEVEL: 'warn',
  ...(database.databaseUrl && { DATABASE_URL: database.databaseUrl }),
});

describeOn(usualEngines, 'the import command', (engine) => {
  test('generate, import and registers work together on an empty database', async () => {
    await using database = await createDatabase(engine);
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
  });

  test('Ctrl+C changes nothing, and the next run completes', async () => {
    await using database = await createDatabase(engine, { migrated: true });
    const env = envOf(database);
    const args = ['import', 'gb', writeGb(database.dataDir, 'companies.csv', [company('00000001', 'ALPHA LTD')])];
    const other = openStore('registry', database);
    const importing = await other.transaction(async (tx) => {
      await tx.hold('links between registers', 'exclusive');
      const waiting = start(args, env);
      await until('the import waits', () => waiting.output().includes('Waiting for another import'));
      waiting.kill('SIGINT');
      return waiting;
    });
    const { code, stderr } = await importing.ended;
    assert.deepEqual([code, stderr.split('\n').at(-2)], [1, 'Stopped: nothing was changed.']);
    assert.equal(await other.one('SELECT 1 FROM entities'), undefined);
    await other.close();
    const next = await run([...args, '--json'], env);
    assert.equal(JSON.parse(next.stdout).outcome, 'published', next.stderr);
  });
});

test('wrong usage exits with 2, a file that cannot be imported with 1 and one line of error', async () => {
  await using database = await createDatabase('sqlite');
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
});
