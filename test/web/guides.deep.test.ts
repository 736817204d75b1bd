import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { linkClient } from '../client/examples.ts';
import { importCompanies } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { useFolder } from '../harness/use.ts';
import { type JournalChange, pruneBefore, publishChanges } from '../journal/journal.ts';
import { company } from '../registry/gb-file.ts';

/** Runs the examples of guides exactly as they print them. */
const run = promisify(execFile);
describe('the examples of guides', () => {
  const service = useService('sqlite');
  const folder = useFolder();
  before(async () => {
    const names = Array.from({ length: 12 }, (_, index) =>
      company(String(index).padStart(8, '0'), `HOLDING ${'ABCDEFGHIJKL'[index]} LTD`),
    );
    await importCompanies(service, [...names, company('00000099', 'OTHER LTD')]);
  });

  const expected = Array.from('ABCDEFGHIJ', (letter) => `GB HOLDING ${letter} LTD active`);

  function codeOf(guide: string, language: string): string {
    const text = readFileSync(new URL(`../../docs/guides/${guide}.md`, import.meta.url), 'utf8');
    return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(text)?.[1] ?? assert.fail(`no ${language}`);
  }

  async function environment(): Promise<NodeJS.ProcessEnv> {
    const PYTHONPATH = fileURLToPath(new URL('../../clients/python/', import.meta.url));
    return { PATH: process.env.PATH, PYTHONPATH, FIRMAMENT_URL: service.url, FIRMAMENT_KEY: await service.findKey() };
  }

  async function lines(command: string, args: readonly string[]): Promise<string[]> {
    const { stdout } = await run(command, args, { env: await environment(), cwd: folder });
    return stdout.trim().split(/\r?\n/);
  }

  test('the TypeScript example of the quick start runs', async () => {
    const code = codeOf('quick-start', 'ts');
    linkClient(folder);
    writeFileSync(join(folder, 'quick-start.mts'), code);
    assert.deepEqual(await lines(process.execPath, ['quick-start.mts']), expected);
  });

  test('the Python example of the quick start runs', async (t) => {
    const found = await run('python3', ['--version']).catch(() => undefined);
    if (found === undefined) {
      t.diagnostic('python3 is not installed: the Python example of the quick start was not run');
      return;
    }
    const code = codeOf('quick-start', 'python');
    writeFileSync(join(folder, 'quick_start.py'), code);
    assert.deepEqual(await lines('python3', ['quick_start.py']), expected);
  });

  let day = Date.parse('2026-03-01T06:00:00Z');
  async function publish(...names: readonly string[]): Promise<void> {
    const changes = names.map(
      (name): JournalChange => ({ type: 'added', country: 'GB', register: 'gb', after: [name, 'active', null, null] }),
    );
    await publishChanges(service.services.registryDb, { register: 'gb', publishedAt: day++, changes });
  }

  const programs = [
    { language: 'ts', command: process.execPath, file: 'sync.mts' },
    { language: 'python', command: 'python3', file: 'sync.py' },
  ] as const;

  for (const { language, command, file } of programs) {
    test(`the ${language} example prints each change once, also across restarts, and starts again after 410`, async (t) => {
      writeFileSync(join(folder, file), codeOf('sync', language));
      const env = { PATH: process.env.PATH, FIRMAMENT_URL: service.url, FIRMAMENT_KEY: await service.createKey() };
      const cursorFile = join(folder, 'cursor.txt');
      rmSync(cursorFile, { force: true });

      async function start() {
        const program = spawn(command, [file], { cwd: folder, env });
        let output = '';
        let problems = '';
        program.stdout.on('data', (text) => (output += text));
        program.stderr.on('data', (text) => (problems += text));
        const exited = once(program, 'exit');
        await Promise.race([once(program, 'spawn'), exited]);
        const lines = () => output.trim().split(/\r?\n/).filter(Boolean);
        return { program, exited, lines, problems: () => problems };
      }

      const first = await start().catch(() => undefined);
      if (first === undefined) {
        t.diagnostic(`${command} is not installed: the example was not run`);
        return;
      }
      await until('it has its first cursor', () => existsSync(cursorFile));
      await publish('FIRST LTD', 'SECOND LTD');
      await until('it prints the changes', () => first.lines().length === 2);
      await until('it keeps the cursor', () => {
        return readFileSync(cursorFile, 'utf8') !== '' && first.lines().length === 2;
      });
      const latest = (await service.client.get('/api/v1/changes?cursor=now')).body.meta.nextCursor;
      await until('the cursor is the latest', () => readFileSync(cursorFile, 'utf8') === latest);
      first.program.kill('SIGKILL');
      await first.exited;
      await publish('THIRD LTD');
      const second = await start();
      await until('it prints what was published meanwhile', () => second.lines().length === 1);
      second.program.kill('SIGKILL');
      await second.exited;
      assert.deepEqual(
        [...first.lines(), ...second.lines()],
        ['GB added - FIRST LTD', 'GB added - SECOND LTD', 'GB added - THIRD LTD'],
      );

      writeFileSync(cursorFile, latest);
      await publish('FOURTH LTD');
      await pruneBefore(service.services.registryDb, Number((await service.services.registry.version()).split('-')[0]));
      const third = await start();
      const [code] = await third.exited;
      assert.equal(code, 1);
      assert.match(third.problems(), /cursor_expired/);
      assert.equal(existsSync(cursorFile), false);
    });
  }
});
