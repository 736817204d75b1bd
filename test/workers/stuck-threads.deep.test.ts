import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createDatabase } from '../harness/databases.ts';
import { startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

const crashModule = new URL('../faults/crash-thread.ts', import.meta.url).href;

// Each test waits ten seconds. `threads.deep.test.ts` tests a serving thread that is stuck.
describe('a stuck main thread', { concurrency: true }, () => {
  // With several threads, the main thread supervises and runs nothing on behalf of clients.
  for (const workers of [1, 2]) {
    test(`with WORKERS=${workers}, a process whose main thread is in an endless loop is killed, and says so`, async () => {
      await using database = await createDatabase('sqlite');
      const env = { WORKERS: String(workers), NODE_OPTIONS: `--import=${crashModule}`, CRASH_DIR: database.dataDir };
      const server = await startServer(database, { env });
      await until('it is watched', () => server.output().includes('"msg":"ready"'));
      writeFileSync(join(database.dataDir, 'loop-0'), '');
      const { signal, stdout } = await server.ended;
      assert.equal(signal, 'SIGKILL');
      const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
      assert.equal(last?.level, 60);
      assert.equal(last?.msg, 'the main thread has not responded for 10 s: the process is killed');
    });
  }
});
