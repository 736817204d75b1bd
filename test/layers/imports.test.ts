// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the samples are source text, templates included.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findViolations } from '../../scripts/layers.ts';
import { check } from './check.ts';

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
  [
    'src/core/a.ts',
    ['./b.ts', 'node:crypto', 'path'],
    [
      '../db/a.ts',
      '../config/config.ts',
      '../system/a.ts',
      'typebox',
      'node:sqlite',
      'node:fs',
      'fs',
      'node:fs/promises',
      'node:worker_threads',
      'node:timers/promises',
      'node:child_process',
      'node:os',
    ],
  ],
  ['src/system/a.ts', ['./b.ts', '../core/a.ts', 'node:worker_threads', 'node:fs'], ['../db/a.ts', 'typebox']],
  ['src/web/a.ts', ['../system/a.ts'], []],
  ['src/terminal/a.ts', ['../system/a.ts'], []],
  ['src/registers/parsing.ts', ['../core/a.ts'], ['../system/a.ts']],
  ['src/db/a.ts', ['./b.ts', '../core/a.ts', 'node:sqlite', 'pg', 'pg-copy-streams'], ['../formats/a.ts', 'stripe']],
  ['src/formats/a.ts', ['../core/a.ts', 'node:zlib'], ['../db/a.ts', '../registers/contract.ts', 'pg']],
  [
    'src/registers/pl/a.ts',
    ['./b.ts', './deep/b.ts', '../contract.ts', '../../core/a.ts'],
    ['../lv/a.ts', '../index.ts', '../../system/a.ts', '../../db/a.ts', '../../formats/a.ts', '../../http/a.ts'],
  ],
  ['src/registers/contract.ts', ['../core/a.ts'], ['./index.ts', './pl/a.ts', '../formats/a.ts']],
  ['src/registers/index.ts', ['./contract.ts', './pl/a.ts', '../core/a.ts'], ['../formats/a.ts', '../registry/a.ts']],
  [
    'src/importing/a.ts',
    [
      '../core/a.ts',
      '../db/a.ts',
      '../formats/a.ts',
      '../records/store.ts',
      '../journal/a.ts',
      '../registers/index.ts',
      '../registers/contract.ts',
    ],
    ['../registers/pl/a.ts', '../registry/a.ts', '../search/a.ts', '../http/a.ts'],
  ],
  ['src/records/a.ts', ['./store.ts', '../core/a.ts', '../db/a.ts'], ['../importing/a.ts', '../journal/a.ts']],
  ['src/journal/a.ts', ['./store.ts', '../records/store.ts'], ['../importing/a.ts', '../formats/a.ts']],
  ['src/registry/a.ts', ['../records/a.ts', '../importing/a.ts'], ['../journal/a.ts', '../formats/a.ts']],
  [
    'src/search/a.ts',
    ['../core/a.ts', '../db/a.ts'],
    ['../registry/a.ts', '../formats/a.ts', 'node:sqlite', 'pg', 'pg-copy-streams'],
  ],
  ['src/accounts/a.ts', ['../core/a.ts', '../db/a.ts'], ['../billing/a.ts', '../config/config.ts', 'stripe']],
  ['src/metering/a.ts', ['../core/a.ts', '../db/a.ts'], ['../accounts/a.ts', '../services/services.ts']],
  ['src/billing/a.ts', ['./store.ts', '../core/a.ts', '../db/a.ts', 'stripe'], ['../metering/a.ts', '../web/a.ts']],
  [
    'src/http/routes/a.ts',
    ['../app.ts', '../../core/a.ts', '../../registry/a.ts', '../../billing/a.ts', 'fastify'],
    [
      '../../registry/store.ts',
      '../../db/a.ts',
      '../../web/a.ts',
      '../../registers/index.ts',
      '../../config/config.ts',
    ],
  ],
  [
    'src/web/a.ts',
    ['../core/a.ts', '../accounts/a.ts'],
    ['../accounts/store.ts?fresh', '../db/a.ts', '../http/a.ts', 'stripe'],
  ],
  [
    'src/commands/a.ts',
    ['../../clients/typescript/src/cli/bridge/bridge.ts'],
    ['../../clients/typescript/src/index.ts'],
  ],
  ['src/serving/a.ts', [], ['../../clients/typescript/src/cli/bridge/bridge.ts']],
  ['src/terminal/a.ts', ['../../clients/typescript/src/cli/text.ts'], ['../../clients/typescript/src/cli/table.ts']],
  [
    'demo/a.ts',
    ['../src/config/config.ts', '../src/db/a.ts', '../src/http/a.ts', '../synthetic/a.ts', 'stripe'],
    [
      '../src/services/services.ts',
      '../src/main.ts',
      '../src/commands/a.ts',
      '../src/billing/store.ts',
      '../bench/a.ts',
      'pg',
    ],
  ],
  [
    'bench/a.ts',
    ['../src/config/config.ts', '../src/search/a.ts', '../synthetic/a.ts', '../package.json'],
    ['../src/services/services.ts', '../src/main.ts', '../src/commands/a.ts', '../src/search/store.ts', 'stripe'],
  ],
  [
    'synthetic/a.ts',
    ['./b.ts', '../src/core/a.ts', '../src/registers/gb/a.ts'],
    ['../src/db/a.ts', '../src/registry/a.ts'],
  ],
  ['src/commands/a.ts', ['../../bench/a.ts', '../../demo/a.ts', '../../synthetic/a.ts'], []],
  ['src/services/a.ts', [], ['../../bench/a.ts', '../../demo/a.ts', '../../synthetic/a.ts']],
  ['src/http/a.ts', [], ['../../bench/a.ts', '../../demo/a.ts', '../../synthetic/a.ts']],
  ['src/config/a.ts', ['../core/a.ts', 'node:fs'], ['../db/a.ts', '../services/a.ts', '../../package.json']],
  [
    'src/commands/a.ts',
    ['./b.ts', '../services/services.ts', '../config/config.ts', '../registry/store.ts'],
    ['../main.ts', 'pg'],
  ],
  ['src/services/a.ts', ['../config/a.ts', '../http/a.ts', '../accounts/store.ts'], ['../main.ts', '../commands/a.ts']],
  [
    'src/main.ts',
    ['./commands/a.ts', './services/services.ts', './config/config.ts'],
    ['node:sqlite', '#core/a.ts', '/src/core/a.ts'],
  ],
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
    "export declare const a: import('../db/a.ts').A;",
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
      "declare const a: import('./a.ts').A;",
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
