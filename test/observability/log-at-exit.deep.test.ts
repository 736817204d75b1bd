import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { useFolder } from '../harness/use.ts';

const LOG = new URL('../../src/base/observability/log.ts', import.meta.url).href;

/** Logs `count` lines, each with its number, some of them as another thread would pass them on, and then ends as `end` says. */
function startChild(count: number, end: string, output: 'pipe' | number): ChildProcess {
  const script = `
    import { createLog } from ${JSON.stringify(LOG)};
    const { log, relay, close } = createLog('info');
    for (let number = 0; number < ${count}; number++) log.info({ number }, 'a line of the log');
    ${end}`;
  return spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', output, 'ignore'],
  });
}

function numbersOf(output: string): number[] {
  const lines = output.split('\n');
  assert.equal(lines.pop(), '', 'the last line is incomplete');
  return lines.map((line) => JSON.parse(line).number);
}

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);

const ENDS = {
  'throws an error': 'throw new Error("bug")',
  'rejects a promise': 'Promise.reject(new Error("bug"))',
  'throws later': 'setImmediate(() => { throw new Error("bug") })',
  'calls process.exit': 'process.exit(3)',
  'has nothing more to do': '',
  'closes the log': 'await close()',
};

describe('all lines are written when a process', () => {
  const folder = useFolder();

  for (const [what, end] of Object.entries(ENDS)) {
    for (const count of [1, 5_000]) {
      test(`${what}, after ${count} lines, to a pipe`, { concurrency: true }, async () => {
        const child = startChild(count, end, 'pipe');
        assert.ok(child.stdout);
        const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
        assert.deepEqual(numbersOf(output), upTo(count));
      });
    }
  }

  test('throws an error, to a file', async () => {
    const file = openSync(join(folder, 'log'), 'a');
    await once(startChild(5_000, ENDS['throws an error'], file), 'exit');
    closeSync(file);
    assert.deepEqual(numbersOf(readFileSync(join(folder, 'log'), 'utf8')), upTo(5_000));
  });
});

test('lines of other threads are written too', async () => {
  const relayed = 'relay(Buffer.from(JSON.stringify({ number: 3 }) + "\\n")); throw new Error("bug")';
  const child = startChild(3, relayed, 'pipe');
  assert.ok(child.stdout);
  const numbers = numbersOf(await text(child.stdout));
  assert.deepEqual(numbers.toSorted(), upTo(4));
});

for (const end of ['throws an error', 'closes the log'] as const) {
  test(`a process that ${end} ends even if its log is not read`, async () => {
    // More than the pipe holds.
    const child = startChild(5_000, ENDS[end], 'pipe');
    await once(child, 'exit');
    child.stdout?.destroy();
  });
}
