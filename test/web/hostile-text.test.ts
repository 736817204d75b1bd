import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { importCompanies } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { company, GB_HEADER } from '../registry/gb-file.ts';
import { HOSTILE_NAMES, pageOpener } from './pages.ts';

/** Everything else that a page shows is escaped by the tag `html` (test/core/secrets.test.ts). */
test('nothing is inserted into a page without being escaped, except documents and a style sheet of ours', () => {
  const root = new URL('../../src/', import.meta.url);
  const filesWith = (pattern: RegExp) =>
    globSync('**/*.ts', { cwd: root.pathname }).filter((file) =>
      pattern.test(readFileSync(new URL(file, root), 'utf8')),
    );
  assert.deepEqual(filesWith(/\bnew Html\(/), ['base/html.ts']);
  assert.deepEqual(filesWith(/import \{[^}]*\btrusted\b[^}]*\} from '[^']*\/html\.ts'/).toSorted(), [
    'portal/pages/reconcile-preview.ts',
    'portal/parts/markdown.ts',
  ]);
});

test('hostile names and columns of an imported file reach the pages as text only', async () => {
  await using service = await startService('sqlite');
  const open = pageOpener(service);
  const session = await service.signIn();
  const names = Object.values(HOSTILE_NAMES);
  const column = '<img src=x onerror=alert(1)>';
  const rows = names.map((name, index) => company(`9000020${index}`, name, { [column]: '<b>value</b>' }));
  await importCompanies(service, rows, `${GB_HEADER},${column}`);
  const results = await open('/explore?q=9000020', session);
  const ids = [...results.html.matchAll(/\/entities\/([\w-]+)/g)].map(([, id]) => id);
  assert.equal(ids.length, names.length);
  const records = await Promise.all(ids.map((id) => open(`/entities/${id}`, session)));
  const search = await open(`/explore?q=${encodeURIComponent('"><script>alert(1)</script>')}`, session);
  for (const { html } of [results, ...records, search]) {
    assert.doesNotMatch(html, /<script(?! type="module" src="\/assets\/)/);
    assert.doesNotMatch(html, /<(img src=x|b>Sons|b>value)/);
    assert.doesNotMatch(
      html,
      /[\u202a-\u202e\u2066-\u2069]/u,
      'the page has a character that changes the reading order',
    );
    // Quotes in values of attributes are escaped.
    assert.doesNotMatch(html.replace(/"[^"]*"/g, '""'), /<[^>]*\son\w+=/, 'the page has an event handler');
  }
  for (const { html } of records) {
    assert.match(
      html,
      /<bdi>&lt;img src=x onerror=alert\(1\)&gt;<\/bdi>/,
      'the source column is not on the record page',
    );
  }
  assert.match(results.html, /<bdi>ABC <span class="invisible">U\+202E<\/span>DEF/);
});
