import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

const PROGRAM = `
  import { readdirSync } from 'node:fs';
  import { getPriority } from 'node:os';
  import { lowerPriority } from '${new URL('../../src/system/priority.ts', import.meta.url)}';
  lowerPriority();
  console.log(JSON.stringify(readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)))));`;

test('the priority of all threads is lowered, also of those that run already', {
  skip: !existsSync('/proc/self/task') && 'only Linux has a priority per thread',
}, () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], { encoding: 'utf8' });
  const priorities: number[] = JSON.parse(output);
  assert.ok(priorities.length > 1);
  assert.deepEqual(new Set(priorities), new Set([19]));
});
