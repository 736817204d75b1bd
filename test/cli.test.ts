import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { version } from '../src/base/config/config.ts';
import { completeEnv, spawnScript } from './harness/children.ts';
import { createDatabase, usualEngines } from './harness/databases.ts';
import { run } from './harness/process.ts';

describe('the firmament command', () => {
  test('help and --version exit with 0, and commands have their own help', async () => {
    const help = await run(['help']);
    assert.equal(help.code, 0);
    for (const [command, args] of [
      ['serve', ['serve', '--help']],
      ['migrate', ['migrate', '-h']],
      ['openapi', ['help', 'openapi']],
    ] as const) {
      assert.match(help.stdout, new RegExp(`^  ${command} +\\S`, 'm'));
      const own = await run(args);
      assert.equal(own.code, 0);
      assert.match(own.stdout, new RegExp(`^Usage: firmament ${command}`));
    }
    assert.equal((await run(['--version'])).stdout, `${version}\n`);
  });

  test('wrong usage exits with 2 and suggests the right command', async () => {
    const none = await run([]);
    assert.equal(none.code, 2);
    assert.match(none.stderr, /^Usage: firmament <command>/m);
    const typo = await run(['serv']);
    assert.deepEqual(
      [typo.code, typo.stderr],
      [2, 'firmament: unknown command "serv": did you mean "firmament serve"?\n'],
    );
    const unknown = await run(['zzzzzz']);
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [2, 'firmament: unknown command "zzzzzz": see "firmament help"\n'],
    );
    for (const [line, message] of [
      ['serve --dmo', 'Unknown option "--dmo". Did you mean "--demo"?'],
      ['serve extra', 'serve takes no arguments, but "extra" was given. See "firmament serve --help".'],
      ['help nothing', 'firmament: unknown command "nothing": see "firmament help"'],
      ['billing evnts', 'Unknown action "evnts". Did you mean "events"?'],
      [
        'bench x',
        'Unknown benchmark "x". Use one of: import, search, http, scale, update, export, match, monitor, parties. See "firmament bench --help".',
      ],
      ['generate gb --rows=-5', '--rows needs a whole number of 0 or more. See "firmament generate --help".'],
      ['generate gb --rows --seed 1', '--rows needs a value. See "firmament generate --help".'],
      ['import latvia x.csv', 'Unknown register "latvia". Did you mean "lv"?'],
    ] as const) {
      const wrong = await run(line.split(' '));
      assert.deepEqual([wrong.code, wrong.stdout, wrong.stderr], [2, '', `${message}\n`], line);
    }
    assert.match(
      (await run(['import', 'xx', 'x.csv'])).stderr,
      /^Unknown register "xx"\. Use one of: ar, au, [^\n]+\n$/,
    );
  });

  test('a file that cannot be written or read is one line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'firmament-files-'));
    const missing = join(folder, 'none', 'x.csv');
    const out = await run(['generate', 'lv', '--out', missing]);
    assert.deepEqual(
      [out.code, out.stderr],
      [1, `The folder ${join(folder, 'none')} does not exist: create it, or choose another file with --out.\n`],
    );
    const noFile = await run(['generate', 'lv', '--out', folder]);
    assert.match(noFile.stderr, /^\S+ is a folder: name the file, such as --out \S+\/register\.csv\n$/);
    // The first byte is not the start of JSON, XML or an archive.
    writeFileSync(join(folder, 'random'), Buffer.concat([Buffer.from([0x9c]), randomBytes(4_000)]));
    const random = await run(['import', 'lv', join(folder, 'random')], { DATA_DIR: folder });
    assert.equal(random.code, 1);
    assert.match(
      random.stderr,
      /^random is not a file of the register "lv" \(.+\): it is a binary file\. Expected [^\n]+\n$/,
    );
    rmSync(folder, { recursive: true });
  });

  test('an invalid variable stops the start with one sentence and exit code 1', async () => {
    const wrong = await run(['serve'], { PORT: 'abc' });
    assert.deepEqual(
      [wrong.code, wrong.stdout, wrong.stderr],
      [1, '', 'PORT is "abc": use a whole number from 0 to 65535.\n'],
    );
    const demo = await run(['serve', '--demo'], { HOST: '0.0.0.0' });
    assert.equal(demo.code, 1);
    assert.match(demo.stderr, /^HOST is 0\.0\.0\.0, but the demo/);
  });

  test('if a port is in use, the error says which one and what to do', async () => {
    await using database = await createDatabase('sqlite');
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as { port: number };
    const ended = await run(['serve'], { PORT: String(port), ADMIN_PORT: '0', DATA_DIR: database.dataDir });
    assert.equal(ended.code, 1);
    assert.equal(
      ended.stderr,
      `PORT ${port} is already in use: stop the program that listens there, or set PORT to another port.\n`,
    );
    const admin = await run(['serve'], { PORT: '0', ADMIN_PORT: String(port), DATA_DIR: database.dataDir });
    assert.match(admin.stderr, new RegExp(`^ADMIN_PORT ${port} is already in use`));
    occupant.close();
  });

  test('a .env file in the working directory is read, and the environment overrides it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'firmament-env-'));
    writeFileSync(join(folder, '.env'), 'PORT=fromfile\n');
    assert.match((await run(['serve'], {}, folder)).stderr, /^PORT is "fromfile"/);
    assert.match((await run(['serve'], { PORT: 'fromenv' }, folder)).stderr, /^PORT is "fromenv"/);
    rmSync(folder, { recursive: true });
  });

  test('an unusable data directory is a clear error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'firmament-data-'));
    writeFileSync(join(folder, 'file'), '');
    const ended = await run(['serve'], { PORT: '0', ADMIN_PORT: '0', DATA_DIR: join(folder, 'file') });
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /^DATA_DIR .* cannot be used: /);
    writeFileSync(join(folder, 'registry.db'), 'this is not a database, it is a sentence'.repeat(100));
    const garbage = await run(['serve'], { PORT: '0', ADMIN_PORT: '0', DATA_DIR: folder });
    assert.equal(garbage.code, 1);
    assert.match(garbage.stderr, /^DATA_DIR .* cannot be used: .*not a database/);
    rmSync(folder, { recursive: true });
  });

  test('openapi prints the contract without any configuration', async () => {
    const { code, stdout } = await run(['openapi'], { PORT: 'irrelevant' });
    assert.equal(code, 0);
    assert.equal(stdout, readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
  });

  test('bin/firmament.js works, even on a Node version that is too old for the program', async () => {
    const bin = new URL('../bin/firmament.js', import.meta.url).pathname;
    const { stdout } = await promisify(execFile)(process.execPath, [bin, '--version']);
    assert.equal(stdout, `${version}\n`);
    const system = '/usr/bin/node';
    const old = await promisify(execFile)(system, [bin, '--version']).catch((error) => error);
    if (old.code !== 'ENOENT') assert.equal(old.stdout, `${version}\n`);
  });

  test('bin/firmament.js names its compile cache in the environment, from which threads take it', async () => {
    const bin = new URL('../bin/firmament.js', import.meta.url).pathname;
    const folder = mkdtempSync(join(tmpdir(), 'compile-cache-'));
    const print = "process.on('exit', () => console.log(process.env.NODE_COMPILE_CACHE))";
    const options = ['--import', `data:text/javascript,${encodeURIComponent(print)}`, bin, '--version'];
    const { stdout } = await promisify(execFile)(process.execPath, options, { env: { TMPDIR: folder } });
    rmSync(folder, { recursive: true });
    const [printed, directory = ''] = stdout.split('\n');
    assert.equal(printed, version);
    assert.ok(directory.startsWith(folder), directory);
  });
});

describe('output that cannot be written', () => {
  const main = join(import.meta.dirname, '../src/main.ts');

  /** Runs a command with these outputs. A closed one is a pipe whose reader has gone, as after `head`. */
  async function runWith(args: readonly string[], output: 'closed' | number) {
    const child = spawnScript(main, args, {
      env: completeEnv({}),
      stdio: ['ignore', output === 'closed' ? 'pipe' : output, 'pipe'],
    });
    child.stdout?.destroy();
    let stderr = '';
    child.stderr?.on('data', (text) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    return { code, stderr };
  }

  test('a reader that has gone ends nothing: the command ends quietly, with its own exit code', async () => {
    assert.deepEqual(await runWith(['openapi'], 'closed'), { code: 0, stderr: '' });
    const wrong = await runWith(['zzzzzz'], 'closed');
    assert.deepEqual([wrong.code, wrong.stderr.split('\n').length], [2, 2]);
  });

  test('a full disk is one line and a failure', { skip: !existsSync('/dev/full') }, async () => {
    const full = openSync('/dev/full', 'w');
    const { code, stderr } = await runWith(['openapi'], full);
    closeSync(full);
    assert.equal(code, 1);
    assert.match(stderr, /^The output cannot be written: ENOSPC[^\n]+\n$/);
  });
});

for (const engine of usualEngines) {
  test(`migrate on ${engine} applies each migration once, and fails clearly if the database is newer`, async () => {
    await using database = await createDatabase(engine, { empty: true });
    const env = { DATA_DIR: database.dataDir, ...(database.databaseUrl && { DATABASE_URL: database.databaseUrl }) };
    const first = await run(['migrate'], env);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /^Applied registry\/0001_\w+\.sql, .*accounts\/0001_\w+\.sql/);
    assert.equal((await run(['migrate'], env)).stdout, 'The schema is up to date.\n');
    const { openStore } = await import('../src/base/db/open.ts');
    const db = openStore('registry', database);
    await db.run("INSERT INTO migrations (version, name, applied_at) VALUES (9999, '9999_future.sql', 0)");
    await db.close();
    const newer = await run(['migrate'], env);
    assert.equal(newer.code, 1);
    assert.match(newer.stderr, /^the database was migrated by a newer release\. Run that release/);
  });
}

test('migrate reports an unreachable PostgreSQL without printing the password', async () => {
  const ended = await run(['migrate'], { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x', LOG_LEVEL: 'silent' });
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /^The database is not available: .*ECONNREFUSED/);
  assert.ok(!ended.stderr.includes('hunter2'));
});
