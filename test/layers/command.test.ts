import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

describe('check-layers', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, '../../scripts/check-layers.ts'), ...args], {
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
