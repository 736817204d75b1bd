import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Branch, findUntaken } from '../harness/branches.ts';
import type { Exception } from './exceptions.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the file in a process that counts how often each branch is taken, in all its threads. */
async function findUntakenBy(file: string, folder: string): Promise<Branch[]> {
  const counts = mkdtempSync(join(tmpdir(), 'firmament-branches-'));
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: counts };
    const child = spawn(process.execPath, [join(import.meta.dirname, file)], { cwd: root, env });
    const [[code], errors] = await Promise.all([once(child, 'close'), text(child.stderr), text(child.stdout)]);
    assert.equal(code, 0, errors);
    return findUntaken(counts, join(root, folder));
  } finally {
    rmSync(counts, { recursive: true, force: true });
  }
}

/**
 * One set of data and queries takes every branch, so that none is only there in large or unusual data, where a mistake would be found
 * by users. V8 counts blocks, arms of conditions and right sides of `&&`, `||` and `??`.
 */
export async function checkBranches(file: string, folder: string, exceptions: readonly Exception[]): Promise<void> {
  const untaken = await findUntakenBy(file, folder);
  const isOf = (one: Exception, branch: Branch) =>
    one.file === branch.file && (one.text === undefined || branch.text.startsWith(one.text));
  const missed = untaken.filter((branch) => !exceptions.some((one) => isOf(one, branch)));
  assert.deepEqual(
    missed.map((branch) => `${folder}/${branch.file}:${branch.line} ${branch.text}`),
    [],
    `Branches that the data of test/branches/${file} does not take: add data that takes them, or remove them. If a branch needs a crash or a damaged file, name the test that takes it in test/branches/exceptions.ts.`,
  );
  const unused = exceptions.filter((one) => !untaken.some((branch) => isOf(one, branch)));
  assert.deepEqual(unused, [], 'test/branches/exceptions.ts: remove these, because they are taken or no longer there');
  for (const { test } of exceptions)
    assert.ok(test === undefined || existsSync(join(root, test)), `${test} is missing`);
}
