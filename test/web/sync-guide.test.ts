import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type JournalChange, pruneBefore, publishChanges } from '../harness/journal.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';

/** Runs the examples of "Staying in sync" exactly as the guide prints them. */
const guide = readFileSync(new URL('../../docs/guides/sync.md', import.meta.url), 'utf8');
let service: TestService;
before(async () => {
  service = await startService('sqlite');
});
after(() => service?.[Symbol.asyncDispose]());

function codeOf(language: string): string {
  return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(guide)?.[1] ?? assert.fail(`no ${language}`);
}

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
    const folder = mkdtempSync(join(tmpdir(), 'firmament-sync-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, file), codeOf(language));
    const env = { PATH: process.env.PATH, FIRMAMENT_URL: service.url, FIRMAMENT_KEY: await service.createKey() };
    const cursorFile = join(folder, 'cursor.txt');

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
