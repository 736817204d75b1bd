// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the samples are source text, templates included.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findViolations } from '../../scripts/layers.ts';
import { looksLikeSql } from '../../scripts/sql-text.ts';
import { check } from './check.ts';

describe('sql', () => {
  const statements = [
    'select name from entity',
    'SELECT * FROM entity WHERE id = $1',
    '\n    Select e.name\n      From entity e\n     Where e.id = ?',
    'select count(*) filter (where ended) from entity',
    'select 1',
    'select pg_advisory_lock($1)',
    'insert into entity (id) values (?)',
    'INSERT OR IGNORE INTO entity VALUES (?)',
    'update entity set name = ? where id = ?',
    'update $ set name = ?',
    'DELETE FROM entity',
    'create table if not exists entity (id text)',
    'CREATE UNIQUE INDEX entity_id ON entity (id)',
    'alter table entity add column name text',
    'drop index if exists entity_id',
    'with recent as (select 1) select * from recent',
    'WITH RECURSIVE tree (id) AS (select 1) select * from tree',
    'begin immediate',
    'BEGIN',
    'COMMIT;',
    'rollback transaction',
    'truncate table entity',
    'copy entity (id) from stdin',
    'pragma journal_mode = wal',
    '-- newest first\nselect id from entity',
    '\\n  select id from entity',
  ];
  const sentences = [
    'Create a key',
    'Update the plan, then set a limit',
    'Select a company from the list',
    'select a plan from the list',
    'Select countries from Europe',
    'Select file(s)',
    'Delete from the list',
    'Insert into your page',
    'Create index files',
    'With thanks, as ever',
    'Begin',
    'commit',
    'update',
    'with fries as a side',
  ];
  for (const text of statements) {
    test(`is SQL: ${JSON.stringify(text)}`, () => assert.equal(looksLikeSql(text), true));
  }
  for (const text of sentences) {
    test(`is not SQL: ${JSON.stringify(text)}`, () => assert.equal(looksLikeSql(text), false));
  }

  const source = 'export const a = 1;\nexport const sql = `\n  update ${table} set name = ${name()}`;\n';
  test('is rejected elsewhere', () => {
    for (const file of ['src/importing/import.ts', 'src/search/index.ts', 'src/http/store/a.ts', 'bench/a.ts']) {
      assert.deepEqual(check({ [file]: source }), [`${file}:2 sql`]);
    }
  });
  test('is allowed in a store, in db and in the PostgreSQL search engine', () => {
    for (const file of ['src/records/store.ts', 'src/search/postgres.ts', 'src/db/migrate.ts']) {
      assert.deepEqual(check({ [file]: source }), []);
    }
  });
});

/** Each row: a rule, code that breaks it, code that does not, and the files that are exempt. */
const CODE_RULES: readonly [rule: string, rejected: string[], allowed: string[], homes: string[]][] = [
  [
    'environment',
    [
      'const a = process.env.PORT;',
      'const a = process\n  .env;',
      'const { env } = process;',
      "import { env } from 'node:process';",
      'const a = `${process.env.PORT}`;',
    ],
    ['const a = config.env;', 'const a = process.environment;', 'const a = process.pid;'],
    ['src/config/config.ts'],
  ],
  [
    'exit',
    ['process.exit(1);', 'const { exit } = process;'],
    ['process.exitCode = 1;', "process.on('exit', close);", 'child.exit();'],
    ['src/main.ts'],
  ],
  [
    'clock',
    [
      'const a = Date.now();',
      'const a = { now: Date.now };',
      'const a = new Date();',
      'const a = new Date( /* now */ );',
    ],
    ['const a = new Date(0);', "const a = new Date('2026-01-01');", 'const a = Date.parse(text);', 'let a: Date;'],
    ['src/core/clock.ts'],
  ],
  [
    'http-status',
    [
      'const a = { status: 404 };',
      'reply.statusCode = 500;',
      'reply.code(429);',
      'reply.status(200).send();',
      'if (response.status === 503) retry();',
      'if (404 === response.status) retry();',
      'if (response.status >= 500) retry();',
      'function a(status: number = 400) {}',
    ],
    [
      "const a = { status: 'active' };",
      'const a = { status: 2000 };',
      'const a = { limit: 404 };',
      'reply.code(status);',
      'if (status === 7) retry();',
    ],
    ['src/core/errors.ts', 'src/http/a.ts', 'src/web/a.ts', 'demo/a.ts', 'bench/a.ts'],
  ],
  [
    'default-export',
    ['export default 1;', 'const a = 1;\nexport { a as default };'],
    ['export const a = 1;', 'switch (a) {\n  default:\n}'],
    [],
  ],
];

for (const [rule, rejected, allowed, homes] of CODE_RULES) {
  describe(rule, () => {
    for (const source of rejected) {
      test(`rejects ${JSON.stringify(source)}`, () => {
        const rules = findViolations(new Map([['src/search/a.ts', source]])).map((violation) => violation.rule);
        assert.deepEqual(rules, [rule]);
        for (const file of homes) assert.deepEqual(check({ [file]: source }), [], `exempt: ${file}`);
      });
    }
    for (const source of allowed) {
      test(`allows ${JSON.stringify(source)}`, () => assert.deepEqual(check({ 'src/search/a.ts': source }), []));
    }
  });
}

describe('pure core', () => {
  const impure = [
    'setTimeout(run, 1);',
    'const timer = setInterval(run, 1);',
    'setImmediate(run);',
    'let count = 0;',
    'export let count = 0;',
  ];
  for (const source of impure) {
    test(`rejects ${JSON.stringify(source)} in core only`, () => {
      assert.deepEqual(check({ 'src/core/a.ts': source }), ['src/core/a.ts:1 pure-core']);
      assert.deepEqual(check({ 'src/system/a.ts': source }), []);
    });
  }
  test('allows variables of functions', () =>
    assert.deepEqual(check({ 'src/core/a.ts': 'export function a() {\n  let b = 1;\n  return b++;\n}\n' }), []));
});

describe('barrel', () => {
  const barrels = [
    "// All of it.\nexport * from './b.ts';\nexport { c } from './c.ts';\n",
    "export type { B } from './b.ts';\n",
    "import { b } from './b.ts';\nexport { b };\n",
  ];
  test('a file that only re-exports is rejected', () => {
    for (const source of barrels) assert.deepEqual(check({ 'src/search/a.ts': source }), ['src/search/a.ts:1 barrel']);
  });
  test('a file with declarations passes, and so does the list of registers', () => {
    assert.deepEqual(check({ 'src/search/a.ts': "export { b } from './b.ts';\nexport const c = 1;\n" }), []);
    assert.deepEqual(check({ 'src/search/a.ts': "import './b.ts';\n" }), []);
    assert.deepEqual(check({ 'src/registers/index.ts': "export { pl } from './pl/register.ts';\n" }), []);
  });
});

test('comments, strings, templates and regular expressions are not mistaken for code', () => {
  const source = [
    "// import { a } from '../db/a.ts'; process.exit(1);",
    '/* export default new Date();',
    '   reply.code(404) and select name from entity */',
    "const single = 'import { a } from \"../db/a.ts\"; it\\'s Date.now()';",
    'const double = "process.env // not a comment";',
    'const template = `process.exit(1) \\` /* open ${ok ? `status: 404 ${"}"}` : "`"} Date.now() ${{ a: {} }}`;',
    'const pattern = text.replace(/[\'"`/*]/g, "") / 2;',
    'const other = ok ? /export default "/ : half / 2;',
    'const prose = "we never say select name from entity";',
    '',
  ].join('\n');
  assert.deepEqual(check({ 'src/core/a.ts': source }), []);
  assert.deepEqual(check({ 'src/core/a.ts': `${source}Date.now();` }), ['src/core/a.ts:10 clock']);
});
