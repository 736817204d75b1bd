import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';
import { collectUsage } from '../scripts/field-usage.ts';
import { renderLists } from '../scripts/generated-docs.ts';
import { errorCodes, statusOf } from '../src/base/errors.ts';
import { exportFormats } from '../src/base/export-formats.ts';
import { registers } from '../src/registers/index.ts';
import { RegistryFields } from '../src/registers/vocabulary.ts';
import { startService } from './harness/service.ts';

const root = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

describe('documentation', () => {
  test('docs/errors.md has a section for every error code, in order, with its status, and no other', () => {
    const sections = [...read('docs/errors.md').matchAll(/^## `(\w+)`\n\n\*\*(\d{3})\.\*\* (.{30,})/gm)];
    assert.deepEqual(
      sections.map(([, code, status]) => [code, Number(status)]),
      errorCodes.map((code) => [code, statusOf(code)]),
    );
  });

  test('error.docs links to an existing page for every code', async () => {
    await using service = await startService('sqlite');
    const { body } = await service.client.get('/api/v1/nope');
    const linked = await fetch(body.error.docs);
    assert.equal(linked.status, 200);
    assert.match(await linked.text(), /<code>not_found<\/code>/);
    for (const code of errorCodes) {
      const page = await service.client.get(`/docs/errors/${code}`);
      assert.equal(page.status, 200, code);
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
      assert.ok(page.text.includes(`<h1><code>${code}</code></h1>`), code);
    }
    const overview = await service.client.get('/docs/errors');
    for (const code of errorCodes) assert.ok(overview.text.includes(`id="${code}"`), code);
    assert.equal((await service.client.get('/docs/errors/nonsense')).status, 404);
  });

  test('pages forbid inline script and framing', async () => {
    await using service = await startService('sqlite');
    for (const path of ['/', '/explore', '/coverage', '/status', '/docs', '/docs/errors', '/docs/reference']) {
      const { status, headers } = await service.client.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      assert.equal(status, 200, path);
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.match(policy, /script-src 'self'(;| ')/);
      assert.doesNotMatch(policy, /script-src[^;]*unsafe/);
    }
  });

  test('generated lists match the registers and the vocabulary', async () => {
    for (const [path, text] of renderLists(await collectUsage()))
      assert.ok(read(path) === text, `${path} is out of date: run "npm run generate:docs"`);
  });

  test('the contract has the common fields of registry with their descriptions, and allows national ones', () => {
    const { registry } = JSON.parse(read('openapi.json')).components.schemas.EntityDetail.properties;
    assert.deepEqual(Object.keys(registry.properties), Object.keys(RegistryFields.properties));
    assert.equal(registry.additionalProperties, true);
    assert.equal(registry.properties.address.properties.city.description, 'City, town or village.');
  });

  test('links between documents lead to existing files and headings', () => {
    for (const file of documents()) {
      // Links that start with a slash are pages of the portal.
      for (const [, target = '', anchor] of read(file).matchAll(
        /\]\((?!https?:|\/|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g,
      )) {
        const linked = new URL(target === '' ? '' : target, new URL(file, root));
        assert.ok(existsSync(linked), `${file} links to ${target}`);
        if (anchor === undefined || !linked.pathname.endsWith('.md')) continue;
        assert.ok(listAnchors(readFileSync(linked, 'utf8')).has(anchor), `${file}: there is no ${target}#${anchor}`);
      }
    }
  });

  test('the documents that people read in a hurry stay short', () => {
    const limits = new Map([
      ['docs/architecture.md', 150],
      ['docs/operations.md', 450],
      ...list('docs/decisions/').map((file) => [file, 45] as const),
    ]);
    for (const [file, limit] of limits) {
      const lines = read(file).split('\n').length - 1;
      assert.ok(lines <= limit, `${file} has ${lines} lines, and at most ${limit} fit: say it more briefly`);
    }
    const countWords = (file: string) => read(file).trim().split(/\s+/).length;
    for (const { id } of registers) assert.ok(countWords(`docs/registers/${id}.md`) <= 700, `${id}: at most 700 words`);
    const own = documents().filter((file) => !file.startsWith('clients/'));
    const words = own.reduce((sum, file) => sum + countWords(file), 0);
    assert.ok(words <= 60_000, `the documents have ${words} words: say it more briefly`);
  });

  test('the README, package.json and the set-up agree about Node', () => {
    const { engines, devDependencies } = JSON.parse(read('package.json'));
    const [, oldest] = /^>=(\d+)$/.exec(engines.node) ?? [];
    const [own] = devDependencies.node.split('.');
    assert.match(
      read('README.md'),
      new RegExp(`Node ${oldest} or newer are enough to start.*Node ${own} \\(the package`, 's'),
    );
    assert.ok(read('scripts/setup.js').includes(`(${oldest} or newer)`));
    assert.ok(read('bin/firmament.js').includes(`>= ${own}`));
  });

  test('the README has its pictures in light and dark, below 300 KB each, and no other picture is kept', () => {
    const find = (text: string) => [...text.matchAll(/\/images\/([\w.-]+)/g)].map(([, name = '']) => name);
    const used = find(read('README.md'));
    const guides = list('docs/guides/').flatMap((file) => find(read(file)));
    assert.deepEqual(readdirSync(new URL('docs/images/', root)).toSorted(), [...used, ...guides].toSorted());
    for (const name of used) {
      assert.ok(statSync(new URL(`docs/images/${name}`, root)).size < 300_000, name);
      const other = name.includes('-light') ? name.replace('-light', '-dark') : name.replace('-dark', '-light');
      assert.ok(used.includes(other), `${name} has no ${other}`);
    }
  });

  test('documents and messages name only scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    for (const file of [...documents(), ...list('scripts/', '.ts'), ...list('test/', '.ts')])
      for (const [, name = ''] of read(file).matchAll(/npm run (?:-s )?([a-z][\w:]*)/g))
        assert.ok(name in scripts || file === 'CHANGELOG.md', `${file}: npm run ${name}`);
  });

  test('documents name only paths, commands, benchmarks and variables that exist', () => {
    const top = readdirSync(root);
    const variables: string[] = read('.env.example').match(/(?<=^#?)[A-Z_]+(?==)/gm) ?? [];
    const benches = listRows('bench/command.ts', 'run');
    const commands = listRows('src/main.ts', '\\[');
    assert.ok(benches.length >= 9 && commands.length >= 19);
    for (const file of documents().filter((name) => name !== 'CHANGELOG.md')) {
      const text = read(file);
      for (const [, path = ''] of text.matchAll(/`([\w@.-]+\/[\w@./-]*)`/g)) {
        const [first = ''] = path.split('/');
        if (top.includes(first) && first !== 'node_modules')
          assert.ok(existsSync(new URL(path, root)), `${file}: ${path}`);
      }
      for (const [, name = ''] of text.matchAll(/firmament ([a-z][\w-]*)(?=[ `.,]|$)/gm))
        assert.ok(commands.includes(name), `${file}: firmament ${name}`);
      for (const [, name = ''] of text.matchAll(/`(?:firmament )?bench (\w+)/g))
        assert.ok(benches.includes(name), `${file}: bench ${name}`);
      // Registers have columns with such names.
      if (file.startsWith('docs/registers/')) continue;
      for (const [, name = ''] of text.matchAll(/`([A-Z][A-Z\d]*(?:_[A-Z\d]+)+)(?:=[^`]*)?`/g))
        assert.ok(variables.includes(name) || OTHER_NAMES.has(name), `${file}: ${name}`);
    }
    for (const name of benches) assert.ok(read('docs/measurements.md').includes(`bench ${name}`), `bench ${name}`);
  });

  test('the formats of exports and the columns of results are listed in full', () => {
    const guide = read('docs/guides/exports.md');
    for (const format of exportFormats) assert.match(guide, new RegExp(`\\b${format}\\b`, 'i'));
    assert.ok(read('.env.example').includes(`${exportFormats.join(', ')}, separated by commas`));
    const { paths, components } = JSON.parse(read('openapi.json'));
    // Results of words have another field, which files do not have.
    const fields: readonly string[] = components.schemas.EntitySummary.required;
    const columns = fields.map((name) => `\`${name}\``).join(', ');
    assert.ok(read('docs/guides/paging.md').replaceAll('\n', ' ').includes(columns), columns);
    const examples = paths['/api/v1/entities'].get.responses[200].content;
    assert.equal(examples['text/csv'].example.split('\r\n')[0], `\ufeff${fields.join(',')}`);
    assert.deepEqual(Object.keys(JSON.parse(examples['application/x-ndjson'].example)), fields);
  });

  test('SECURITY.md names only tests that exist, for every attack', () => {
    const attacks = read('SECURITY.md')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| Attack'));
    assert.ok(attacks.length > 20);
    for (const line of attacks) {
      const [attack = '', , tests = ''] = line.split(' | ');
      const names = [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      assert.ok(names.length > 0, `no test: ${attack}`);
      for (const name of names) {
        const endings = ['.test.ts', '.deep.test.ts', '.load.test.ts', '.ts', '/'];
        const paths = endings.map((ending) => `test/${name}${ending}`);
        assert.ok(
          paths.some((path) => existsSync(new URL(path, root))),
          `${attack} names ${name}`,
        );
      }
    }
  });

  test('no document names a package registry or a path of the developer machine', () => {
    const names = [
      'package-lock.json',
      '.npmrc',
      'package.json',
      'README.md',
      'CONTRIBUTING.md',
      ...list('docs/decisions/'),
    ];
    for (const name of names)
      assert.doesNotMatch(read(name), /registry\.npm|"resolved": (?!"clients\/)|\/work\/|\/root\//, name);
  });
});

/** Variables of other programs and of tests, and an option of the kernel. */
const OTHER_NAMES = new Set([
  'NODE_EXTRA_CA_CERTS',
  'POSTGRES_PASSWORD',
  'REAL_SAMPLES',
  'SCALE_CLICKHOUSE',
  'SCALE_NODES',
  'SO_REUSEPORT',
]);

/** The names in a table of commands, whose values start with this. */
function listRows(path: string, start: string): string[] {
  return Array.from(read(path).matchAll(new RegExp(`^ {2}'?([\\w-]+)'?: ${start}`, 'gm')), ([, name = '']) => name);
}

function documents(): string[] {
  const folders = ['docs/', 'docs/decisions/', 'docs/guides/', 'docs/registers/'];
  const top = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];
  const clients = ['clients/typescript/README.md', 'clients/python/README.md'];
  return [...top, ...clients, ...folders.flatMap((folder) => list(folder))];
}

/** The anchors that Git hosts give to headings. */
function listAnchors(markdown: string): ReadonlySet<string> {
  const headings = markdown.replaceAll(/^```.*?^```/gms, '').matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    Array.from(headings, ([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function list(folder: string, ending = '.md'): string[] {
  return readdirSync(new URL(folder, root)).flatMap((file) => (file.endsWith(ending) ? `${folder}${file}` : []));
}
