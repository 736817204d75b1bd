import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .trim()
  .split('\n');

/** What comments and documents call a file: a name with one of these endings, perhaps with folders before it. */
const NAME = /(?<![\w./:@*<{$-])(?:\.{1,2}\/|[\w@-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|js|mjs|md|sql|css)(?![\w/-]|\.\w)/g;

/** Files of exports and of others, an address in Moldova, and an example. */
const ELSEWHERE = new Set([
  'x.test.ts',
  'LICENCES.md',
  'asic_bulk_extract.md',
  'DATA_DIR/incidents.md',
  'dataset.gov.md',
  'highlight.js',
  'Node.js',
]);

/** A test keeps its name when it moves to another group. */
const withoutGroup = (name: string) => name.replace(/\.(?:deep|load|scale)(?=\.test\.ts$)/, '');
const endings = new Set(
  files.map(withoutGroup).flatMap((file) => file.split('/').map((_, at, parts) => parts.slice(at).join('/'))),
);

/** Names are relative to the file, to the repository, or the end of a path, such as `search/store.ts`. */
function exists(name: string, from: string): boolean {
  return endings.has(withoutGroup(normalize(name))) || endings.has(withoutGroup(normalize(join(dirname(from), name))));
}

function listComments(source: string): string {
  const comments = source.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g);
  return Array.from(comments, ([comment]) => comment).join('\n');
}

test('comments and documents name only files that exist', () => {
  const missing: string[] = [];
  for (const file of files) {
    const isCode = /\.(?:ts|js|css)$/.test(file);
    if (!isCode && !file.endsWith('.md')) continue;
    if (file === 'CHANGELOG.md' || /(?:^|\/)generated\//.test(file)) continue;
    const text = readFileSync(join(root, file), 'utf8');
    for (const [name] of (isCode ? listComments(text) : text).matchAll(NAME)) {
      if (!ELSEWHERE.has(withoutGroup(name)) && !exists(name, file)) missing.push(`${file}: ${name}`);
    }
  }
  assert.deepEqual(
    missing,
    [],
    'Name a file that exists. Names of files outside of the repository are in ELSEWHERE of test/named-files.test.ts.',
  );
});

test('docs/architecture.md lists every room of src/', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  for (const entry of readdirSync(join(root, 'src'), { withFileTypes: true })) {
    if (entry.isDirectory())
      assert.ok(page.includes(`| \`${entry.name}/\` |`), `add \`${entry.name}/\` to the table of rooms`);
  }
});

test('test/harness/README.md names every file of the harness', () => {
  const page = readFileSync(join(root, 'test/harness/README.md'), 'utf8');
  for (const name of readdirSync(join(root, 'test/harness')).filter((file) => file.endsWith('.ts'))) {
    assert.ok(page.includes(name), `test/harness/README.md: say what ${name} is for`);
  }
});
