// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the samples are source text, templates included.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findViolations } from '../scripts/layers.ts';
import { looksLikeSql } from '../scripts/sql-text.ts';

/** Every violation as `file:line rule`. */
function check(files: Record<string, string>): string[] {
  return findViolations(new Map(Object.entries(files))).map(({ file, line, rule }) => `${file}:${line} ${rule}`);
}

function assertImport(verdict: 'allowed' | 'rejected', file: string, specifier: string): void {
  const found = check({ [file]: `import { a } from '${specifier}';\nexport const b = a;\n` });
  assert.deepEqual(
    found,
    verdict === 'allowed' ? [] : [`${file}:1 imports`],
    `${file} imports ${specifier}: ${verdict}`,
  );
}

/** Each row: a file, what it may import, what it may not. */
const IMPORT_TABLE: readonly [file: string, allowed: string[], rejected: string[]][] = [
  ['src/core/a.ts', ['./b.ts', 'node:crypto', 'path'], ['../db/a.ts', '../config.ts', 'typebox', 'node:sqlite']],
  ['src/db/a.ts', ['./b.ts', '../core/a.ts', 'node:sqlite', 'pg', 'pg-copy-streams'], ['../formats/a.ts', 'stripe']],
  ['src/formats/a.ts', ['../core/a.ts', 'node:zlib'], ['../db/a.ts', '../registers/contract.ts', 'pg']],
  [
    'src/registers/pl/a.ts',
    ['./b.ts', './deep/b.ts', '../contract.ts', '../../core/a.ts'],
    ['../lv/a.ts', '../index.ts', '../../db/a.ts', '../../formats/a.ts', '../../http/a.ts'],
  ],
  ['src/registers/contract.ts', ['../core/a.ts'], ['./index.ts', './pl/a.ts', '../formats/a.ts']],
  ['src/registers/index.ts', ['./contract.ts', './pl/a.ts', '../core/a.ts'], ['../formats/a.ts', '../registry/a.ts']],
  [
    'src/registry/a.ts',
    [
      './store.ts',
      '../core/a.ts',
      '../db/a.ts',
      '../formats/a.ts',
      '../registers/index.ts',
      '../registers/contract.ts',
    ],
    ['../registers/pl/a.ts', '../search/a.ts', '../http/a.ts'],
  ],
  [
    'src/search/a.ts',
    ['../core/a.ts', '../db/a.ts'],
    ['../registry/a.ts', '../formats/a.ts', 'node:sqlite', 'pg', 'pg-copy-streams'],
  ],
  ['src/accounts/a.ts', ['../core/a.ts', '../db/a.ts'], ['../billing/a.ts', '../config.ts', 'stripe']],
  ['src/metering/a.ts', ['../core/a.ts', '../db/a.ts'], ['../accounts/a.ts', '../services.ts']],
  ['src/billing/a.ts', ['./store.ts', '../core/a.ts', '../db/a.ts', 'stripe'], ['../metering/a.ts', '../web/a.ts']],
  [
    'src/http/routes/a.ts',
    ['../app.ts', '../../core/a.ts', '../../registry/a.ts', '../../billing/a.ts', 'fastify'],
    ['../../registry/store.ts', '../../db/a.ts', '../../web/a.ts', '../../registers/index.ts', '../../config.ts'],
  ],
  [
    'src/web/a.ts',
    ['../core/a.ts', '../accounts/a.ts'],
    ['../accounts/store.ts?fresh', '../db/a.ts', '../http/a.ts', 'stripe'],
  ],
  [
    'src/demo/a.ts',
    ['../config.ts', '../db/a.ts', '../http/a.ts', '../registry/a.ts', 'stripe'],
    ['../services.ts', '../main.ts', '../commands/a.ts', '../billing/store.ts', 'pg'],
  ],
  [
    'src/bench/a.ts',
    ['../config.ts', '../search/a.ts', '../../package.json'],
    ['../services.ts', '../main.ts', '../commands/a.ts', '../search/store.ts', 'stripe'],
  ],
  ['src/config.ts', ['./core/a.ts', 'node:fs'], ['./db/a.ts', './services.ts', '../package.json']],
  ['src/commands/a.ts', ['./b.ts', '../services.ts', '../config.ts', '../registry/store.ts'], ['../main.ts', 'pg']],
  ['src/services.ts', ['./config.ts', './http/a.ts', './accounts/store.ts'], ['./main.ts', './commands/a.ts']],
  ['src/main.ts', ['./commands/a.ts', './services.ts', './config.ts'], ['node:sqlite', '#core/a.ts', '/src/core/a.ts']],
];

describe('imports', () => {
  for (const [file, allowed, rejected] of IMPORT_TABLE) {
    test(`${file} imports what its row allows`, () => {
      for (const specifier of allowed) assertImport('allowed', file, specifier);
    });
    test(`${file} imports nothing else`, () => {
      for (const specifier of rejected) assertImport('rejected', file, specifier);
    });
  }

  const spellings = [
    "import type { A } from '../db/a.ts';",
    "import {\n  a,\n} from '../db/a.ts';",
    "import '../db/a.ts';",
    'import * as a from "../db/a.ts";',
    "export { a } from '../db/a.ts';\nexport const b = 1;",
    "export * from '../db/a.ts';\nexport const b = 1;",
    "export const load = () => import('../db/a.ts');",
    "export const load = async () => await import(/* late */ '../db/a.ts');",
    "export let a: import('../db/a.ts').A;",
    "export const a = `${await import('../db/a.ts')}`;",
  ];
  for (const spelling of spellings) {
    test(`checks every form of import: ${JSON.stringify(spelling)}`, () => {
      const [found, ...more] = findViolations(new Map([['src/core/a.ts', spelling]]));
      assert.deepEqual([found?.rule, more], ['imports', []]);
      assert.deepEqual(check({ 'src/core/a.ts': spelling.replace('../db/a.ts', './b.ts') }), []);
    });
  }

  test('a computed import is rejected; a method named import is not an import', () => {
    const computed = ['await import(path)', "await import('./' + path)", 'await import(`./${path}.ts`)'];
    for (const text of computed)
      assert.deepEqual(check({ 'src/main.ts': `${text};\n` }), ['src/main.ts:1 imports'], text);
    const method = 'interface Registry {\n  import(source: Source): void;\n}\nregistry.import(source);\n';
    assert.deepEqual(check({ 'src/main.ts': method }), []);
  });

  test('test files are exempt from the import table, but not from the other rules', () => {
    const source = "import fc from 'fast-check';\nimport { a } from '../db/a.ts';\nconst now = Date.now();\n";
    assert.deepEqual(check({ 'src/core/a.test.ts': source }), ['src/core/a.test.ts:3 clock']);
  });

  test('the message says how to fix it', () => {
    const [violation] = findViolations(new Map([['src/web/a.ts', "\nimport { a } from '../accounts/store.ts';"]]));
    assert.deepEqual(violation, {
      file: 'src/web/a.ts',
      line: 2,
      rule: 'imports',
      message: 'web never imports a store (src/accounts/store.ts): use the service that accounts exports',
    });
  });
});

describe('unknown-place', () => {
  test('a folder or file without a row in the table is reported once', () => {
    const found = check({
      'src/tools/a.ts': '',
      'src/tools/b.ts': '',
      'src/loose.ts': '',
      'src/registers/loose.ts': '',
    });
    assert.deepEqual(found, [
      'src/loose.ts:1 unknown-place',
      'src/registers/loose.ts:1 unknown-place',
      'src/tools/a.ts:1 unknown-place',
    ]);
  });
  test('places with a row pass, and so do tests beside them', () => {
    assert.deepEqual(check({ 'src/core/a.ts': '', 'src/main.ts': '', 'src/config.test.ts': '' }), []);
  });
});

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
    for (const file of ['src/registry/import.ts', 'src/search/index.ts', 'src/http/store/a.ts', 'src/bench/a.ts']) {
      assert.deepEqual(check({ [file]: source }), [`${file}:2 sql`]);
    }
  });
  test('is allowed in a store, in db and in the PostgreSQL search engine', () => {
    for (const file of ['src/registry/store.ts', 'src/search/postgres.ts', 'src/db/migrate.ts']) {
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
    ['src/config.ts'],
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
    ['src/core/errors.ts', 'src/http/a.ts', 'src/web/a.ts', 'src/demo/a.ts', 'src/bench/a.ts'],
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

describe('cycle', () => {
  test('is reported once, with its path', () => {
    const files = new Map([
      ['src/core/a.ts', "import { b } from './b.ts';\nexport const a = b;\n"],
      ['src/core/b.ts', "\nimport { c } from './c.ts';\nexport const b = c;\n"],
      ['src/core/c.ts', "export const c = () => import('./a.ts');\nexport * from './a.ts';\n"],
    ]);
    const path = 'src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts';
    const message = `${path}: move what they share to a separate file`;
    assert.deepEqual(findViolations(files), [{ file: 'src/core/c.ts', line: 1, rule: 'cycle', message }]);
  });
  test('a file that imports itself is one', () => {
    assert.deepEqual(check({ 'src/core/a.ts': "import './a.ts';\n" }), ['src/core/a.ts:1 cycle']);
  });
  test('type-only imports close a cycle too', () => {
    const typesBack = [
      "import type { A } from './a.ts';",
      "import { type A } from './a.ts';",
      "export type { A } from './a.ts';",
      "let a: import('./a.ts').A;",
    ];
    for (const back of typesBack) {
      const files = {
        'src/core/a.ts': "import { b } from './b.ts';\nexport const a = b;\n",
        'src/core/b.ts': `${back}\nexport const b = 1;\n`,
      };
      assert.deepEqual(check(files), ['src/core/b.ts:1 cycle'], back);
    }
  });
  test('two paths to the same file are not a cycle', () => {
    const files = {
      'src/core/a.ts': "import { b } from './b.ts';\nimport { c } from './c.ts';\nexport const a = b + c;\n",
      'src/core/b.ts': "import { c } from './c.ts';\nexport const b = c;\n",
      'src/core/c.ts': 'export const c = 1;\n',
    };
    assert.deepEqual(check(files), []);
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

describe('check-layers', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, '../scripts/check-layers.ts'), ...args], {
      encoding: 'utf8',
    });

  test('this repository is clean', () => {
    const { status, stdout, stderr } = run();
    assert.match(stdout, /^layers: \d+ files, no violation\n$/);
    assert.deepEqual([status, stderr], [0, '']);
  });

  test('prints each violation and exits with 1; an empty tree is clean', (context) => {
    const root = mkdtempSync(join(tmpdir(), 'layers-'));
    context.after(() => rmSync(root, { recursive: true }));
    assert.equal(run(root).stdout, 'layers: 0 files, no violation\n');
    mkdirSync(join(root, 'src/core'), { recursive: true });
    writeFileSync(join(root, 'src/core/a.ts'), 'export const a = 1;\nexport default a;\n');
    const { status, stdout } = run(root);
    assert.equal(stdout, 'src/core/a.ts:2 default-export default exports are not allowed: use a named export\n');
    assert.equal(status, 1);
  });
});
