import assert from 'node:assert/strict';
import type { SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { completeEnv, spawnScript } from '../harness/children.ts';
import { createDatabase } from '../harness/databases.ts';
import { findFreePort } from '../harness/postgres-server.ts';
import { type RunningServer, run, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { REQUEST, readReply, stopUnderLoad } from './stop-under-load.ts';

/**
 * Shutdown hardly depends on the database. `threads.deep.test.ts` stops threads that share a port.
 */
const cases = [
  ['postgres', 'SIGINT'],
  ['sqlite', 'SIGTERM'],
] as const;
/** Their log lines fill a pipe several times. */
const REQUESTS = 1_500;

describe('a signal under load', () => {
  for (const [engine, signal] of cases) {
    test(`${signal} on ${engine}: no request is dropped, readiness fails, exit code 0`, async () => {
      await using database = await createDatabase(engine);
      const server = await startServer(database);
      await stopUnderLoad(server, signal);
    });
  }
});

describe('signals', () => {
  async function endWithTwoSignals(server: RunningServer): Promise<void> {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(`${REQUEST}POST /api/v1/plans HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n`);
    await readReply(socket);
    server.kill('SIGTERM');
    const started = performance.now();
    let hasEnded = false;
    void server.ended.then(() => {
      hasEnded = true;
    });
    // Until the first one is handled, a second one counts as its echo.
    for (; !hasEnded; await sleep(300)) if (performance.now() - started > 250) server.kill('SIGTERM');
    assert.equal((await server.ended).code, 1);
    assert.ok(performance.now() - started < 10_000, 'the first signal alone takes up to 25 s');
  }

  for (const WORKERS of ['1', '2'])
    test(`it listens before the database is available, and stops cleanly while waiting for it; ${WORKERS} serving`, async () => {
      await using database = await createDatabase('sqlite');
      const unreachable = { ...database, databaseUrl: `postgres://u:p@127.0.0.1:${await findFreePort()}/x` };
      const server = await startServer(unreachable, { until: 'live', env: { WORKERS } });
      const ready = await fetch(`${server.url}/api/v1/health/ready`);
      assert.equal(ready.status, 503);
      server.kill('SIGTERM');
      const ended = await server.ended;
      assert.equal(ended.code, 0, server.output());
      assert.match(ended.stdout, /waiting for the database: .*ECONNREFUSED/);
    });

  test('it becomes ready without a restart when the operator migrates PostgreSQL; a second signal exits immediately', async () => {
    await using database = await createDatabase('postgres', { empty: true });
    const server = await startServer(database, { until: 'live' });
    assert.equal((await fetch(`${server.url}/api/v1/health/ready`)).status, 503);
    const migrated = await run(['migrate'], { DATABASE_URL: database.databaseUrl ?? '', DATA_DIR: database.dataDir });
    assert.equal(migrated.code, 0, migrated.stderr);
    // It checks every second, and then builds the search index.
    await until('it is ready', async () => (await fetch(`${server.url}/api/v1/health/ready`)).status === 200);
    await endWithTwoSignals(server);
  });

  for (const [what, spoil] of [
    ['has exited', (out: Readable) => out.destroy()],
    ['has stopped reading', (out: Readable) => out.pause()],
  ] as const) {
    test(`it stops even if the reader of its log ${what}`, async () => {
      await using database = await createDatabase('sqlite');
      const port = await findFreePort();
      const env = { PORT: String(port), ADMIN_PORT: '0', WORKERS: '1', ALLOWED_HOSTS: 'x', DATA_DIR: database.dataDir };
      const options = { env: completeEnv(env), stdio: ['ignore', 'pipe', 'ignore'] } satisfies SpawnOptions;
      const server = spawnScript('src/main.ts', ['serve'], options);
      await until(
        'it is ready',
        async () => (await fetch(`http://127.0.0.1:${port}/api/v1/health/ready`).catch(() => null))?.ok === true,
      );
      spoil(server.stdout as Readable);
      // More log lines than the pipe can hold, so that the last ones cannot be written.
      let received = '';
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.setEncoding('latin1').on('data', (text) => {
        received += text;
      });
      socket.write(REQUEST.repeat(REQUESTS));
      await until('all requests are answered', () => received.split('HTTP/1.1 200').length > REQUESTS);
      socket.destroy();
      server.kill('SIGTERM');
      const [code] = await once(server, 'exit', { signal: AbortSignal.timeout(300_000) });
      assert.equal(code, 0);
    });
  }
});
