import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';
import { collectUsage } from '../scripts/field-usage.ts';
import { renderDocuments } from '../scripts/generated-docs.ts';
import { listStatuses, readStatusSection } from '../scripts/status-page.ts';
import { entityStatuses } from '../src/core/entity-status.ts';
import { errorCodes, statusOf } from '../src/core/errors.ts';
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

  describe('that is generated', () => {
    const usage = collectUsage();

    test('matches the registers and the vocabulary', async () => {
      for (const [path, text] of renderDocuments(await usage))
        assert.ok(read(path) === text, `${path} is out of date: run "npm run generate:docs"`);
    });

    test('names every status that records of a register have', async () => {
      const found = await usage;
      for (const { id } of registers) {
        const documented = listStatuses(readStatusSection(id));
        const missing = entityStatuses.filter(
          (status) => found.get(`status=${status}`)?.includes(id) && !documented.has(status),
        );
        assert.deepEqual(missing, [], `docs/registers/${id}.md: add the status to the table in the section "Status"`);
        assert.ok(!documented.has('delisted'), `docs/registers/${id}.md: a source cannot say "delisted"`);
      }
    });
  });

  test('the contract has the common fields of registry with their descriptions, and allows national ones', () => {
    const { registry } = JSON.parse(read('openapi.json')).components.schemas.EntityDetail.properties;
    assert.deepEqual(Object.keys(registry.properties), Object.keys(RegistryFields.properties));
    assert.equal(registry.additionalProperties, true);
    assert.equal(registry.properties.address.properties.city.description, 'City, town or village.');
  });

  test('links between documents lead to existing files', () => {
    const files = [
      'README.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
      'SECURITY.md',
      ...list('docs/'),
      ...list('docs/decisions/'),
      ...list('docs/guides/'),
      ...list('docs/registers/'),
    ];
    for (const file of files) {
      // Links that start with a slash are pages of the portal.
      for (const [, target = ''] of read(file).matchAll(/\]\((?!https?:|#|\/|mailto:)([^)#\s]+)/g)) {
        assert.ok(existsSync(new URL(target, new URL(file, root))), `${file} links to ${target}`);
      }
    }
  });

  test('the README has its pictures in light and dark, below 300 KB each, and no other picture is kept', () => {
    const readme = read('README.md');
    const used = [...readme.matchAll(/docs\/images\/([\w.-]+)/g)].map(([, name = '']) => name);
    assert.deepEqual(readdirSync(new URL('docs/images/', root)).toSorted(), used.toSorted());
    for (const name of used) {
      assert.ok(statSync(new URL(`docs/images/${name}`, root)).size < 300_000, name);
      const other = name.includes('-light') ? name.replace('-light', '-dark') : name.replace('-dark', '-light');
      assert.ok(used.includes(other), `${name} has no ${other}`);
    }
  });

  test('the README names only commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const text = read('README.md');
    for (const [, name = ''] of text.matchAll(/npm run ([\w:]+)/g)) assert.ok(name in scripts, `npm run ${name}`);
    const commands = new Set(Array.from(read('src/main.ts').matchAll(/^ {2}(\w+): async/gm), ([, name = '']) => name));
    for (const [, name = ''] of text.matchAll(/npx firmament (\w+)/g)) assert.ok(commands.has(name), name);
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
        const paths = [`test/${name}.test.ts`, `test/${name}.ts`, `test/${name}/`];
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

function list(folder: string): string[] {
  return readdirSync(new URL(folder, root)).flatMap((file) => (file.endsWith('.md') ? `${folder}${file}` : []));
}
