// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the samples are source text, templates included.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findUpwardRows, findViolations } from '../scripts/layers.ts';

/** Every violation as `file:line rule`. `npm test` checks the repository itself. */
function check(files: Record<string, string>): string[] {
  return findViolations(new Map(Object.entries(files))).map(({ file, line, rule }) => `${file}:${line} ${rule}`);
}

const importing = (specifier: string) => `import { a } from '${specifier}';\nexport const b = a;\n`;
const SQL = 'export const sql = `\n  update ${table} set name = ${name()}`;\n';
const ALL_AT_ONCE = [
  "// import { a } from '../db/a.ts'; process.exit(1);",
  '/* export default new Date();',
  '   reply.code(404) and select name from entity */',
  "const single = 'import { a } from \"../db/a.ts\"; it\\'s Date.now()';",
  'const template = `process.exit(1) \\` /* open ${ok ? `status: 404 ${"}"}` : "`"} Date.now() ${{ a: {} }}`;',
  'const pattern = text.replace(/[\'"`/*]/g, "") / 2;',
  'const prose = "we never say select name from entity";',
].join('\n');

/** Each row: a rule, the file and code that break it, and the file and code that do not. */
const RULES: readonly [rule: string, rejected: readonly [string, string][], allowed: readonly [string, string][]][] = [
  [
    'imports',
    [
      ['src/base/a.ts', importing('./db/a.ts')],
      ['src/base/a.ts', importing('node:fs')],
      ['src/base/a.ts', "import type { A } from '../registry/a.ts';"],
      ['src/base/a.ts', "export const load = async () => await import(/* late */ '../registry/a.ts');"],
      ['src/base/a.ts', "export declare const a: import('../registry/a.ts').A;"],
      ['src/registers/pl/a.ts', importing('../lv/a.ts')],
      ['src/api/routes/a.ts', importing('../../registry/store.ts')],
      ['src/accounts/a.ts', importing('stripe')],
      ['src/cli/a.ts', importing('../../bench/a.ts')],
      ['src/cli/a.ts', importing('../../clients/typescript/src/index.ts')],
      ['src/services/a.ts', importing('../../bench/a.ts')],
      ['src/main.ts', importing('#base/a.ts')],
      ['src/main.ts', 'await import(path);\n'],
      ['demo/a.ts', importing('../src/main.ts')],
    ],
    [
      ['src/base/a.ts', importing('./b.ts')],
      ['src/base/a.ts', importing('node:crypto')],
      ['src/base/a.test.ts', importing('./db/a.ts')],
      ['src/registers/pl/a.ts', importing('../contract.ts')],
      ['src/billing/a.ts', importing('stripe')],
      ['src/cli/a.ts', importing('../../demo/a.ts')],
      ['src/main.ts', 'interface Registry {\n  import(source: Source): void;\n}\nregistry.import(source);\n'],
    ],
  ],
  [
    'sql',
    [
      ['src/api/store/a.ts', 'select name from entity'],
      ['src/search/a.ts', 'INSERT OR IGNORE INTO entity VALUES (?)'],
      ['src/search/a.ts', 'with recent as (select 1) select * from recent'],
      ['bench/a.ts', 'pragma journal_mode = wal'],
    ].map(([file = '', text]) => [file, `export const sql = '${text}';\n`]),
    [
      ['src/registry/records/store.ts', SQL],
      ['src/search/clickhouse/a.ts', SQL],
      ['src/base/db/migrate.ts', SQL],
      [
        'src/portal/a.ts',
        "const a = ['Select a company from the list', 'Update the plan, then set a limit', 'commit'];",
      ],
    ],
  ],
  ['environment', [['src/search/a.ts', 'const a = process\n  .env;']], [['src/base/config/config.ts', 'process.env;']]],
  ['exit', [['src/search/a.ts', 'process.exit(1);']], [['src/main.ts', 'process.exit(1);']]],
  [
    'clock',
    [
      ['src/search/a.ts', 'const a = new Date( /* now */ );'],
      ['src/search/a.ts', 'const a = { now: Date.now };'],
    ],
    [
      ['src/base/clock.ts', 'Date.now();'],
      ['src/search/a.ts', 'const a = new Date(0);'],
    ],
  ],
  [
    'http-status',
    [
      ['src/search/a.ts', 'reply.statusCode = 500;'],
      ['src/search/a.ts', 'if (404 === response.status) retry();'],
    ],
    [
      ['src/http/a.ts', 'reply.code(429);'],
      ['src/search/a.ts', "const a = { status: 2000, limit: 404, other: { status: 'active' } };"],
    ],
  ],
  ['default-export', [['src/search/a.ts', 'const a = 1;\nexport { a as default };']], []],
  [
    'pure',
    [
      ['src/base/a.ts', 'setTimeout(run, 1);'],
      ['src/base/a.ts', 'export let count = 0;'],
    ],
    [
      ['src/base/system/a.ts', 'setTimeout(run, 1);'],
      ['src/base/a.ts', 'export function a() {\n  let b = 1;\n  return b++;\n}\n'],
    ],
  ],
  [
    'barrel',
    [
      ['src/search/a.ts', "// All of it.\nexport * from './b.ts';\n"],
      ['src/search/a.ts', "import { b } from './b.ts';\nexport { b };\n"],
    ],
    [['src/search/a.ts', "export { b } from './b.ts';\nexport const c = 1;\n"]],
  ],
  ['unknown-room', [['src/tools/a.ts', '']], [['src/main.ts', '']]],
  ['comments and texts', [], [['src/base/a.ts', ALL_AT_ONCE]]],
];

for (const [rule, rejected, allowed] of RULES) {
  test(`layers: ${rule}`, () => {
    for (const [file, source] of rejected)
      assert.deepEqual(
        check({ [file]: source }).map((found) => found.replace(/:\d+/, '')),
        [`${file} ${rule}`],
        source,
      );
    for (const [file, source] of allowed) assert.deepEqual(check({ [file]: source }), [], `${file}: ${source}`);
  });
}

describe('layers', () => {
  test('a cycle is reported once, with its path, even if a type closes it', () => {
    const files = new Map([
      ['src/base/a.ts', importing('./b.ts')],
      ['src/base/b.ts', `\n${importing('./c.ts')}`],
      ['src/base/c.ts', "export const c = () => import('./a.ts');\nexport type { A } from './a.ts';\n"],
    ]);
    const path = 'src/base/a.ts → src/base/b.ts → src/base/c.ts → src/base/a.ts';
    const message = `${path}: move what they share to a separate file`;
    assert.deepEqual(findViolations(files), [{ file: 'src/base/c.ts', line: 1, rule: 'cycle', message }]);
    files.set('src/base/c.ts', 'export const c = 1;\n');
    assert.deepEqual(findViolations(files), []);
  });

  test('the command prints each violation with its line and what to do, and exits with 1', (context) => {
    const root = mkdtempSync(join(tmpdir(), 'layers-'));
    context.after(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, 'src/base'), { recursive: true });
    writeFileSync(join(root, 'src/base/a.ts'), 'export const a = 1;\nexport default a;\n');
    const command = join(import.meta.dirname, '../scripts/check-layers.ts');
    const { status, stdout } = spawnSync(process.execPath, [command, root], { encoding: 'utf8' });
    assert.equal(stdout, 'src/base/a.ts:2 default-export default exports are not allowed: use a named export\n');
    assert.equal(status, 1);
  });
});

test('rooms import only rooms of lower floors', () => assert.deepEqual(findUpwardRows(), []));
