import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isDeep } from '../harness/depth.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { connect, revisions } from '../mcp/connect.ts';
import { connectStdio } from '../mcp/connect-stdio.ts';
import { doTask, importTask } from '../mcp/task.ts';
import { company } from '../registry/gb-file.ts';
import { readReadmePrograms } from './examples.ts';
import { findNode20, installPacked, type PackedClient } from './packed.ts';

const run = promisify(execFile);
const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));

const PROGRAM = `
import { createClient, EntityNotFound } from '@firmament/client';
const client = createClient({ url: process.env.FIRMAMENT_URL, key: process.env.FIRMAMENT_KEY });
const names = [];
for await (const { canonicalName } of client.entities.search({ q: 'acme', pageSize: 2 })) names.push(canonicalName);
const missing = await client.entities.get('00000000-0000-4000-8000-000000000000').catch((error) => error);
const changes = [];
for await (const { type } of client.changes.read()) changes.push(type);
console.log(JSON.stringify({ names, isMissing: missing instanceof EntityNotFound, changes, left: typeof client.limits.quota.remaining }));
`;

/** A program of a user. What must not compile is marked. */
const TYPED = `
import { type Client, createClient, type EntityDetail, RateLimited } from '@firmament/client';
const client: Client = createClient({ url: 'http://127.0.0.1:3000', key: 'x' });
export async function read(): Promise<EntityDetail | undefined> {
  try {
    for await (const { id, city } of client.entities.search({ q: 'x', status: 'active' }, { onChange: 'throw' })) {
      const name: string | null = city;
      if (name !== null) return await client.entities.get(id, { signal: AbortSignal.timeout(1) });
    }
  } catch (error) {
    if (error instanceof RateLimited) console.log(error.retryAfter?.toFixed());
  }
  // @ts-expect-error
  client.entities.search({ contry: 'gb' });
  // @ts-expect-error
  client.entities.search({ status: 'dead' });
  // @ts-expect-error
  createClient({ key: 'x' });
  return undefined;
}
`;

describe('the packed client', () => {
  let service: TestService;
  let packed: PackedClient;
  let env: Record<string, string>;
  let nodes: readonly [version: string, path: string][];
  before(async () => {
    [service, packed] = await Promise.all([startService('sqlite'), installPacked()]);
    await importCompanies(
      service,
      Array.from('ABCDE', (letter, at) => company(`0000000${at}`, `ACME ${letter} LTD`)),
    );
    const { PATH = '' } = process.env;
    env = { PATH, FIRMAMENT_URL: service.url, FIRMAMENT_KEY: await service.createKey() };
    nodes = [
      ['v20.', await findNode20(packed.folder)],
      ['v26.', process.execPath],
    ];
  });
  after(async () => {
    packed?.remove();
    await service?.[Symbol.asyncDispose]();
  });

  test('has the build, its documentation and its licence, and nothing else', () => {
    const others = packed.files.filter((path) => !/^dist\/[\w/-]+(\.js|\.d\.ts)$/.test(path));
    assert.deepEqual(others.toSorted(), ['LICENSE', 'README.md', 'bin/firmament-client.js', 'package.json']);
    for (const path of ['dist/index.js', 'dist/index.d.ts', 'dist/cli/main.js']) assert.ok(packed.files.includes(path));
  });

  test('runs on Node 20 and 26: library and command line', async () => {
    writeFileSync(join(packed.folder, 'program.js'), PROGRAM);
    await Promise.all(
      nodes.map(async ([version, node]) => {
        const start = (...args: string[]) => run(node, args, { cwd: packed.folder, env });
        const [{ stdout: found }, { stdout: printed }, { stdout: table }, failed] = await Promise.all([
          start('--version'),
          start('program.js'),
          start(packed.program, 'search', 'acme', '--country', 'gb'),
          start(packed.program, 'get', 'x').catch((error) => error),
        ]);
        assert.ok(found.startsWith(version), found);
        assert.deepEqual(JSON.parse(printed), {
          names: Array.from('ABCDE', (letter) => `ACME ${letter} LTD`),
          isMissing: true,
          changes: ['loaded'],
          left: 'number',
        });
        assert.match(table, /^NAME .*\n(ACME [A-E] LTD +GB .*\n){5}$/);
        assert.deepEqual([failed.code, failed.stdout], [2, '']);
        assert.match(failed.stderr, /^The path parameter "id" must be a UUID/);
      }),
    );
  });

  test('gives an assistant the tools over stdio, on Node 20 and 26, with the results of HTTP', async () => {
    await using other = await startService('sqlite');
    await importTask(other);
    const settings = { ...env, FIRMAMENT_URL: other.url, FIRMAMENT_KEY: await other.createKey() };
    await Promise.all(
      revisions.map(async (revision, index) => {
        await using direct = await connect(other, settings.FIRMAMENT_KEY, revision);
        const expected = await doTask(direct);
        // In `npm test`, each Node speaks one of the revisions.
        const chosen = nodes.filter((_, at) => isDeep || at === index);
        for (const [version, node] of chosen) {
          await using bridged = await connectStdio(node, [packed.program, 'mcp'], settings, revision);
          assert.deepEqual(await doTask(bridged), expected, version);
          assert.equal(bridged.notes(), `Passing messages to ${other.url}\n`);
        }
      }),
    );
  });

  test('npx finds its command', async () => {
    const { stdout } = await run('npx', ['--offline', '@firmament/client', '--version'], { cwd: packed.folder, env });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });

  test('has types for strict programs, and for the examples of its README', async () => {
    const folder = join(packed.folder, 'typed');
    mkdirSync(folder);
    writeFileSync(join(folder, 'typed.ts'), TYPED);
    for (const [at, { code }] of readReadmePrograms().entries()) writeFileSync(join(folder, `readme-${at}.mts`), code);
    mkdirSync(join(packed.folder, 'node_modules/@types'));
    for (const name of ['@types/node', 'undici-types']) {
      symlinkSync(join(modules, name), join(packed.folder, 'node_modules', name));
    }
    const strict = {
      strict: true,
      noEmit: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      target: 'es2022',
    };
    // Both ways to find modules use the same entries of package.json.
    const projects = {
      ...(isDeep && { bundler: { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] } }),
      nodenext: { module: 'nodenext', lib: ['es2022'], types: ['node'] },
    };
    await Promise.all(
      Object.entries(projects).map(async ([name, options]) => {
        const include = name === 'bundler' ? ['typed.ts'] : ['typed.ts', '*.mts'];
        const file = join(folder, `${name}.json`);
        writeFileSync(file, JSON.stringify({ compilerOptions: { ...strict, ...options }, include }));
        const problems = await run(join(modules, '.bin/tsc'), ['--project', file], { cwd: folder }).then(
          () => '',
          ({ stdout }) => stdout,
        );
        assert.equal(problems, '', name);
      }),
    );
  });
});
