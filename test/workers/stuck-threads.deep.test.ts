import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createDatabase } from '../harness/databases.ts';
import { startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

const crashModule = new URL('../faults/crash-thread.ts', import.meta.url).href;

const startCrashable = async (workers: number) => {
  const database = await createDatabase('sqlite');
  const server = await startServer(database, {
    env: { WORKERS: String(workers), NODE_OPTIONS: `--import=${crashModule}`, CRASH_DIR: database.dataDir },
  });
  const readLines = (text: string): Record<string, unknown>[] =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return {
    database,
    server,
    readLines,
    loop: (number: number) => writeFileSync(join(database.dataDir, `loop-${number}`), ''),
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL');
      await server.ended;
      await database.remove();
    },
  };
};

// Each test waits ten seconds. `threads.deep.test.ts` tests a serving thread that is stuck.
describe('a stuck main thread', { concurrency: true }, () => {
  // With several threads, the main thread supervises and runs nothing on behalf of clients.
  for (const workers of [1, 2]) {
    test(`with WORKERS=${workers}, a process whose main thread is in an endless loop is killed, and says so`, async () => {
      await using running = await startCrashable(workers);
      const { server, readLines, loop } = running;
      await until('it is watched', () => server.output().includes('"msg":"ready"'));
      loop(0);
      const { signal, stdout } = await server.ended;
      assert.equal(signal, 'SIGKILL');
      const last = readLines(stdout).at(-1);
      assert.equal(last?.level, 60);
      assert.equal(last?.msg, 'the main thread has not responded for 10 s: the process is killed');
    });
  }
});
