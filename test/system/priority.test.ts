import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

const PROGRAM = `
  import { readdirSync, readFileSync } from 'node:fs';
  import { getPriority } from 'node:os';
  import { lowerPriority } from '${new URL('../../src/system/priority.ts', import.meta.url)}';
  lowerPriority();
  const readPolicy = (thread) => readFileSync('/proc/self/task/' + thread + '/stat', 'utf8').split(') ').at(-1).split(' ')[38];
  const threads = readdirSync('/proc/self/task');
  console.log(JSON.stringify(threads.map((thread) => [getPriority(Number(thread)), readPolicy(thread)])));`;

/** `SCHED_IDLE` and the usual policy, as `sched(7)` numbers them. */
const [IDLE, USUAL] = ['5', '0'];

test('the priority of all threads is lowered, also of those that run already', {
  skip: !existsSync('/proc/self/task') && 'only Linux has a priority per thread',
}, () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], { encoding: 'utf8' });
  const threads: [priority: number, policy: string][] = JSON.parse(output);
  assert.ok(threads.length > 1);
  const policy = spawnSync('chrt', ['--version']).status === 0 ? IDLE : USUAL;
  for (const thread of threads) assert.deepEqual(thread, [19, policy]);
});
