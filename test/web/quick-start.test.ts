import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { linkClient } from '../client/examples.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

/** Runs the examples of the quick start exactly as the guide prints them. */
const guide = readFileSync(new URL('../../docs/guides/quick-start.md', import.meta.url), 'utf8');
const run = promisify(execFile);
let service: TestService;
let folder: string;
before(async () => {
  service = await startService('sqlite');
  folder = mkdtempSync(join(tmpdir(), 'firmament-quick-start-'));
  const names = Array.from({ length: 12 }, (_, index) =>
    company(String(index).padStart(8, '0'), `HOLDING ${'ABCDEFGHIJKL'[index]} LTD`),
  );
  await importCompanies(service, [...names, company('00000099', 'OTHER LTD')]);
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service?.[Symbol.asyncDispose]();
});

const expected = Array.from('ABCDEFGHIJ', (letter) => `GB HOLDING ${letter} LTD active`);

function codeOf(language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code ?? '');
}

async function environment(): Promise<NodeJS.ProcessEnv> {
  return { PATH: process.env.PATH, FIRMAMENT_URL: service.url, FIRMAMENT_KEY: await service.findKey() };
}

async function lines(command: string, args: readonly string[]): Promise<string[]> {
  const { stdout } = await run(command, args, { env: await environment(), cwd: folder });
  return stdout.trim().split(/\r?\n/);
}

test('the curl example returns what the quick start shows', async () => {
  const [search = ''] = codeOf('sh');
  const [reply = ''] = await lines('bash', [
    '-c',
    search.replace('curl', 'curl -s').replaceAll('http://127.0.0.1:3000', service.url),
  ]);
  const { data, meta } = JSON.parse(reply);
  assert.deepEqual(meta, { page: 1, pageSize: 3, pageCount: 4, total: 12 });
  const [sample = ''] = codeOf('json');
  assert.deepEqual(
    Object.keys(data[0]),
    Object.keys(JSON.parse(sample).data[0]),
    'the guide shows other fields than the reply has',
  );
});

test('the TypeScript example of the quick start runs', async () => {
  const [code = ''] = codeOf('ts');
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
  const [code = ''] = codeOf('python');
  writeFileSync(join(folder, 'quick_start.py'), code);
  assert.deepEqual(await lines('python3', ['quick_start.py']), expected);
});
