import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findUpwardRows, findViolations } from '../scripts/layers.ts';

const importing = (specifier: string) => `import { a } from '${specifier}';\nexport const b = a;\n`;

/** What breaks each rule, and the same where it is allowed. `npm test` checks the repository itself. */
const RULES: readonly (readonly [rule: string, file: string, code: string, allowedIn: string])[] = [
  ['imports', 'src/base/a.ts', importing('./db/a.ts'), 'src/base/system/a.test.ts'],
  ['imports', 'src/base/a.ts', "import type { A } from '../registry/a.ts';", 'src/watch/a.ts'],
  ['imports', 'src/registers/pl/a.ts', importing('../lv/a.ts'), 'src/registers/lv/a.ts'],
  ['imports', 'src/accounts/a.ts', importing('stripe'), 'src/billing/a.ts'],
  ['sql', 'src/search/a.ts', "const sql = 'select name from entity';\n", 'src/registry/records/store.ts'],
  ['environment', 'src/search/a.ts', 'const a = process\n  .env;', 'src/base/config/config.ts'],
  ['exit', 'src/search/a.ts', 'process.exit(1);', 'src/main.ts'],
  ['clock', 'src/search/a.ts', 'const a = { now: Date.now };', 'src/base/clock.ts'],
  ['http-status', 'src/search/a.ts', 'reply.statusCode = 500;', 'src/http/a.ts'],
  ['pure', 'src/base/a.ts', 'setTimeout(run, 1);', 'src/base/system/a.ts'],
  ['unknown-room', 'src/tools/a.ts', '', 'src/main.ts'],
];

const ruleNames = (file: string, code: string) => findViolations(new Map([[file, code]])).map(({ rule }) => rule);

test('layers: each rule finds what breaks it, only where it is not allowed, and not in comments and texts', () => {
  for (const [rule, file, code, allowedIn] of RULES) {
    assert.deepEqual(ruleNames(file, code), [rule], code);
    assert.ok(!ruleNames(allowedIn, code).includes(rule), `${allowedIn}: ${code}`);
    assert.deepEqual(ruleNames(file.replace('tools', 'base'), `/* ${code} */\n`), [], code);
  }
  assert.deepEqual(ruleNames('src/search/a.ts', 'const a = 1;\nexport { a as default };'), ['default-export']);
  assert.deepEqual(ruleNames('src/search/a.ts', "export * from './b.ts';\n"), ['barrel']);
  assert.deepEqual(findUpwardRows(), [], 'rooms import only rooms of lower floors');
});

test('layers: a cycle is reported once, with its path, even if a type closes it', () => {
  const files = new Map([
    ['src/base/a.ts', importing('./b.ts')],
    ['src/base/b.ts', importing('./c.ts')],
    ['src/base/c.ts', "export const c = () => import('./a.ts');\nexport type { A } from './a.ts';\n"],
  ]);
  const path = 'src/base/a.ts → src/base/b.ts → src/base/c.ts → src/base/a.ts';
  const message = `${path}: move what they share to a separate file`;
  assert.deepEqual(findViolations(files), [{ file: 'src/base/c.ts', line: 1, rule: 'cycle', message }]);
});

test('layers: the command prints each violation with its line and what to do, and exits with 1', (context) => {
  const root = mkdtempSync(join(tmpdir(), 'layers-'));
  context.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'src/base'), { recursive: true });
  writeFileSync(join(root, 'src/base/a.ts'), 'export const a = 1;\nexport default a;\n');
  const command = join(import.meta.dirname, '../scripts/check-layers.ts');
  const { status, stdout } = spawnSync(process.execPath, [command, root], { encoding: 'utf8' });
  assert.equal(stdout, 'src/base/a.ts:2 default-export default exports are not allowed: use a named export\n');
  assert.equal(status, 1);
});
