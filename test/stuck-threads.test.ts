import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createHeartbeat, createStuckCheck, STUCK_SECONDS } from '../src/serving/heartbeat.ts';
import { createDatabase } from './harness/databases.ts';
import { isDeep } from './harness/depth.ts';
import { openOffice } from './harness/keys.ts';
import { fire, of, SEARCH, tally } from './harness/load.ts';
import { startServer } from './harness/process.ts';
import { until } from './harness/until.ts';

const crashModule = new URL('harness/crash-thread.ts', import.meta.url).href;

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

// Each test waits ten seconds.
describe('a stuck thread', { concurrency: true }, () => {
  test('a serving thread in an endless loop is replaced, its connections are closed, and the log says where it was', async () => {
    await using running = await startCrashable(2);
    const { server, database, readLines, loop } = running;
    await using office = openOffice(database);
    const { keys } = await office.createAccount();
    const ask = (count: number) => fire(count, { urls: [server.url], paths: [SEARCH], keys, callers: count });

    loop(1);
    // Of 20 connections some reach the stuck thread. They end when it does; all others are answered.
    const answers = await ask(20);
    assert.ok(of(200, answers).length > 0, 'the other thread did not serve');
    assert.deepEqual(
      Object.keys(tally(answers)).filter((kind) => !['200', '0', '503 service_unavailable'].includes(kind)),
      [],
    );
    const replaced = () => readLines(server.output()).filter(({ msg }) => String(msg).includes('is being replaced'));
    await until('the replacement is logged', () => replaced().length === 1);
    const [line] = replaced();
    assert.equal(line?.worker, 1);
    assert.match(
      JSON.stringify(line?.err),
      /has not responded for 10 s\\n +at loopForever \(file:.*crash-thread\.ts:\d+/,
    );
    const since = () =>
      readLines(server.output().slice(server.output().indexOf('is being replaced')).replace(/^.*\n/, ''));
    await until('the new thread listens', () =>
      since().some(({ worker, msg }) => worker === 1 && String(msg).startsWith('Server listening')),
    );
    await until('both threads serve', async () => of(200, await ask(20)).length === 20);
  });

  // With several threads, the main thread supervises and runs nothing on behalf of clients.
  for (const workers of isDeep ? [1, 2] : [1]) {
    test(`with WORKERS=${workers}, a process whose main thread is in an endless loop is killed, and says where it was`, async () => {
      await using running = await startCrashable(workers);
      const { server, readLines, loop } = running;
      await until('it is watched', () => server.output().includes('"msg":"ready"'));
      loop(0);
      const { signal, stdout } = await server.ended;
      assert.equal(signal, 'SIGKILL');
      const last = readLines(stdout).at(-1);
      assert.equal(last?.level, 60);
      assert.equal(last?.msg, 'the main thread has not responded for 10 s: the process is killed');
      assert.match(String(last?.stack), /^ +at loopForever \(file:.*crash-thread\.ts:\d+/);
    });
  }
});

test('a thread counts as stuck after ten checks in a row without a beat, and not before its first beat', () => {
  const heartbeat = createHeartbeat();
  const isStuck = createStuckCheck(heartbeat);
  const check = (times: number) => Array.from({ length: times }, isStuck);
  const beat = () => Atomics.add(heartbeat, 0, 1);
  assert.deepEqual(new Set(check(3 * STUCK_SECONDS)), new Set([false]), 'it is still starting');
  beat();
  assert.deepEqual(new Set(check(STUCK_SECONDS)), new Set([false]));
  beat();
  assert.deepEqual(check(1 + STUCK_SECONDS), [...Array.from({ length: STUCK_SECONDS }, () => false), true]);
});
