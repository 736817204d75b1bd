import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { scanSource } from '../../scripts/source-scan.ts';
import { launchBrowser } from '../harness/browser.ts';
import { isDeep } from '../harness/depth.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { connect, connectStdio, revisions } from '../mcp/connect.ts';
import { doTask, importTask } from '../mcp/task.ts';
import { company } from '../registry/gb-file.ts';
import { readReadmePrograms } from './examples.ts';
import { startScript } from './scripted-server.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** The packed client, installed in a folder that has nothing else. */
interface PackedClient {
  /** The folder of a program that uses the client. */
  readonly folder: string;
  /** What the tarball contains. */
  readonly files: readonly string[];
  /** The file of the command line. */
  readonly program: string;
  remove(): void;
}

/** Builds and packs the client, and installs the tarball without a network. */
async function installPacked(): Promise<PackedClient> {
  const place = mkdtempSync(join(tmpdir(), 'firmament-client-pack-'));
  const remove = () => rmSync(place, { recursive: true, force: true });
  try {
    // Tests that run at the same time must not build in the same folder.
    const source = join(place, 'repository/clients/typescript');
    cpSync(join(root, 'tsconfig.json'), join(place, 'repository/tsconfig.json'));
    cpSync(join(root, 'clients/typescript'), source, { recursive: true, filter: (path) => !path.endsWith('/dist') });
    symlinkSync(join(root, 'node_modules'), join(place, 'repository/node_modules'));
    const { stdout } = await runNpm(['pack', '--json', '--pack-destination', place], source);
    const folder = join(place, 'program');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const [tarball = ''] = readdirSync(place).filter((name) => name.endsWith('.tgz'));
    await runNpm(['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', join(place, tarball)], folder);
    return {
      folder,
      files: listFiles(stdout),
      program: join(folder, 'node_modules/.bin/firmament-client'),
      remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The output of the build comes first. */
function listFiles(output: string): string[] {
  const packed: unknown = JSON.parse(output.slice(output.search(/^[[{]\s*$/m)));
  const [{ files }] = Object.values(packed as object) as [{ files: { path: string }[] }];
  return files.map(({ path }) => path);
}

/** Runs the npm that runs the tests. Its settings for this repository do not apply to other folders. */
async function runNpm(args: readonly string[], cwd: string): Promise<{ stdout: string }> {
  const { npm_execpath: npm, npm_node_execpath: node = 'node' } = process.env;
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_registry)/.test(name)),
  );
  const options = { cwd, env, timeout: 200_000 };
  return npm === undefined ? run('npm', args, options) : run(node, [npm, ...args], options);
}

/** Node 20, the oldest that the client supports: the one that runs npm, or one that npm installs. */
async function findNode20(place: string): Promise<string> {
  const { npm_node_execpath: given } = process.env;
  if (given !== undefined) {
    const { stdout } = await run(given, ['--version']);
    if (stdout.startsWith('v20.')) return given;
  }
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = join(place, 'node-20');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await runNpm(['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@20`], folder);
  return join(folder, 'node_modules', name, 'bin/node');
}

const clientFolder = join(root, 'clients/typescript');

/** Builds the library as the package has it, without comments and types. Returns the folder, which is removed after the test. */
function buildLibrary(): string {
  const out = mkdtempSync(join(tmpdir(), 'firmament-client-'));
  after(() => rmSync(out, { recursive: true, force: true }));
  const tsc = join(root, 'node_modules/.bin/tsc');
  execFileSync(tsc, ['--project', clientFolder, '--outDir', out, '--declaration', 'false', '--removeComments']);
  return out;
}

const MAX_BYTES = 9_200;

/** Files of the command line, which runs in Node only and is not part of the library. */
const isCommandLine = (path: string) => path.startsWith('cli');

function listSources(extension: string, within = join(clientFolder, 'src')): string[] {
  return readdirSync(within, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith(extension) && !isCommandLine(path),
  );
}

test('the package has no dependency, and the library imports nothing but its own files', () => {
  const manifest = JSON.parse(readFileSync(join(clientFolder, 'package.json'), 'utf8'));
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
    assert.equal(manifest[kind], undefined);
  const sources = listSources('.ts');
  assert.ok(sources.length >= 10);
  for (const path of sources) {
    const text = readFileSync(join(clientFolder, 'src', path), 'utf8');
    const { imports, code } = scanSource(path, text);
    for (const { specifier } of imports) assert.match(specifier ?? '', /^\.{1,2}\//, path);
    assert.doesNotMatch(code, /\b(process|Buffer|require|__dirname|Deno|Bun)\b[.(]/, path);
  }
});

test(`the library has at most ${MAX_BYTES} bytes, built to JavaScript without comments, as one file and compressed`, () => {
  const out = buildLibrary();
  const files = listSources('.js', out);
  assert.ok(files.includes('index.js') && files.includes('transport.js'));
  const size = gzipSync(Buffer.concat(files.map((path) => readFileSync(join(out, path)))), { level: 9 }).length;
  assert.ok(size <= MAX_BYTES, `${size} bytes`);
  assert.ok(size > 4_000, `${size} bytes: is something missing?`);
});

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));

const PROGRAM = `
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

/** Runs in the page. Types are those of the page, so it is text. */
const PAGE_PROGRAM = `async ({ url, key }) => {
  const { createClient, EntityNotFound } = await import('/index.js');
  const client = createClient({ url, key });
  const names = async () => {
    const found = [];
    for await (const { canonicalName } of client.entities.search({ q: 'acme', pageSize: 2 })) found.push(canonicalName);
    return found;
  };
  const [first, second] = [await names(), await names()];
  const left = client.limits.quota.remaining;
  const third = await names();
  const error = await client.entities.get('00000000-0000-4000-8000-000000000000').catch((thrown) => thrown);
  return {
    first, second, third,
    isRevalidated: client.limits.quota.remaining === left,
    isNotFound: error instanceof EntityNotFound && error.requestId !== null,
    cursor: await client.changes.now(),
  };
}`;

test('the library runs in a browser, on a page of an origin that the service allows', async () => {
  const folder = buildLibrary();
  await using pages = await startScript((response, { url = '' }) => {
    if (url.endsWith('.js')) {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(join(folder, url)));
    } else {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page</title>');
    }
  });
  await using service = await startService('sqlite', { env: { CORS_ORIGINS: pages.url } });
  const rows = Array.from({ length: 5 }, (_, at) => company(`1000000${at}`, `ACME ${at} LTD`));
  await importCompanies(service, rows);
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(pages.url);
    const argument = JSON.stringify({ url: service.url, key: await service.createKey() });
    const result: Record<string, unknown> = await page.evaluate(`(${PAGE_PROGRAM})(${argument})`);
    const names = rows.map(({ CompanyName }) => CompanyName);
    const { cursor, ...others } = result;
    assert.deepEqual(others, { first: names, second: names, third: names, isRevalidated: true, isNotFound: true });
    assert.match(String(cursor), /^[\w-]+$/);
  } finally {
    await browser.close();
  }
});

const program = fileURLToPath(new URL('../../clients/typescript/bin/firmament-client.js', import.meta.url));

describe('the command line of the client as a process', () => {
  const service = useService('sqlite');
  let env: Record<string, string>;
  before(async () => {
    await importCompanies(
      service,
      Array.from({ length: 300 }, (_, at) => company(`${10_000_000 + at}`, `ACME ${1000 + at} LTD`)),
    );
    env = { FIRMAMENT_URL: service.url, FIRMAMENT_KEY: await service.createKey() };
  });

  function start(...args: readonly string[]) {
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let notes = '';
    child.stdout.on('data', (text) => (out += text));
    child.stderr.on('data', (text) => (notes += text));
    return { child, closed: once(child, 'close'), out: () => out, notes: () => notes };
  }

  test('a reader that has enough, such as head, ends it silently', async () => {
    const search = start('search', 'acme', '--all', '--json');
    search.child.stdout.once('data', () => search.child.stdout.destroy());
    assert.deepEqual([await search.closed, search.notes()], [[0, null], '']);
  });

  test('the output has no colour in a pipe, and ends with the last company', async () => {
    const search = start('search', 'acme', '--all');
    assert.deepEqual([await search.closed, search.notes()], [[0, null], '']);
    assert.match(search.out(), /^NAME .*\n(ACME .*\n){300}$/);
  });

  test('Ctrl+C ends it at once, and it says where to continue', async () => {
    const following = start('changes', '--follow', '--cursor', 'oldest');
    await until('it follows', () => following.out().includes('loaded'));
    following.child.kill('SIGINT');
    assert.deepEqual(await following.closed, [130, null]);
    assert.match(following.notes(), /^To continue from here: --cursor \S+\n$/);
  });
});
