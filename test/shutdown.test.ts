import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from './harness/databases.ts';
import { boundMs, isDeep } from './harness/depth.ts';
import { findFreePort } from './harness/postgres-server.ts';
import { NO_SHARED_PORT, start, startServer } from './harness/process.ts';
import { parseReplies } from './harness/raw.ts';
import { until } from './harness/until.ts';

const REQUEST = 'GET /api/v1/plans HTTP/1.1\r\nHost: x\r\n\r\n';

/** Shutdown hardly depends on the database, so `npm test` runs each way to serve once. Servers take long to start. */
const usual = [
  ['postgres', 'SIGINT', 1],
  ['postgres', 'SIGTERM', 3],
  ['sqlite', 'SIGTERM', 3, NO_SHARED_PORT],
] as const;
const others = [
  ['sqlite', 'SIGTERM', 1],
  ['sqlite', 'SIGINT', 1],
  ['postgres', 'SIGTERM', 1],
  ['sqlite', 'SIGTERM', 3],
  ['postgres', 'SIGTERM', 3, NO_SHARED_PORT],
] as const;

describe('a signal under load', () => {
  for (const [engine, signal, workers, env] of isDeep ? [...usual, ...others] : usual) {
    const threads = `${workers} serving${env === undefined ? '' : ' without a shared port'}`;
    test(`${signal} on ${engine}, ${threads}: no request is dropped, exit code 0`, async () => {
      const database = await createDatabase(engine);
      const server = await startServer(database, { env: { WORKERS: String(workers), ...env } });
      const port = Number(new URL(server.url).port);
      const callers = Array.from({ length: 40 }, () => startCaller(port));
      await until('every caller is served', () => callers.every(({ answered }) => answered > 2));
      const finishSlowRequest = await beginRequest(port);
      server.kill(signal);
      await sleep(300);
      assert.equal(await finishSlowRequest(), 200, 'a request with incomplete headers was dropped');
      const outcomes = await Promise.all(callers.map(({ outcome }) => outcome));
      assert.equal(outcomes.filter((outcome) => outcome === 'dropped').length, 0, 'requests were dropped');
      const ended = await server.ended;
      assert.deepEqual([ended.code, ended.signal], [0, null], server.output());
      assert.match(ended.stdout, /"msg":"stopped"/);
      await assert.rejects(fetch(`${server.url}/api/v1/health/live`));
      await database.remove();
    });
  }
});

describe('signals', () => {
  test('Ctrl+C that arrives twice within milliseconds, as npm delivers it, is one signal; an idle connection does not delay the end for long', async () => {
    const database = await createDatabase('sqlite');
    const server = await startServer(database);
    // fetch keeps the connection open.
    await (await fetch(`${server.url}/api/v1/health/live`)).arrayBuffer();
    const started = performance.now();
    server.kill('SIGINT');
    await sleep(20);
    server.kill('SIGINT');
    assert.equal((await server.ended).code, 0, server.output());
    assert.ok(performance.now() - started < boundMs(8_000));
    await database.remove();
  });

  for (const WORKERS of isDeep ? ['1', '3'] : ['3'])
    test(`readiness fails after the signal while open connections are served, with ${WORKERS} serving threads`, async () => {
      const database = await createDatabase('sqlite');
      const server = await startServer(database, { env: { WORKERS } });
      const port = Number(new URL(server.url).port);
      const sockets = Array.from({ length: 200 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      const statuses: Array<number | undefined> = [];
      for (const [index, socket] of sockets.entries()) {
        if (index === 2) server.kill('SIGTERM');
        socket.write('GET /api/v1/health/ready HTTP/1.1\r\nHost: x\r\n\r\n');
        statuses.push((await readReply(socket))?.status);
        if (statuses.at(-1) === 503) break;
        await sleep(50);
      }
      for (const socket of sockets) socket.destroy();
      assert.deepEqual([...new Set(statuses)], [200, 503]);
      assert.equal((await server.ended).code, 0);
      await database.remove();
    });

  for (const WORKERS of isDeep ? ['1', '3'] : ['1'])
    test(`a second signal exits immediately even if a request is incomplete; ${WORKERS} serving`, async () => {
      const database = await createDatabase('sqlite');
      const server = await startServer(database, { env: { WORKERS } });
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      socket.write('POST /api/v1/plans HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n');
      await sleep(50);
      server.kill('SIGTERM');
      await sleep(300);
      const started = performance.now();
      server.kill('SIGTERM');
      assert.equal((await server.ended).code, 1);
      assert.ok(performance.now() - started < boundMs(1_000));
      await database.remove();
    });

  for (const WORKERS of isDeep ? ['1', '3'] : ['3'])
    test(`it listens before the database is available, and stops cleanly while waiting for it; ${WORKERS} serving`, async () => {
      const database = await createDatabase('sqlite');
      const unreachable = { ...database, databaseUrl: `postgres://u:p@127.0.0.1:${await findFreePort()}/x` };
      const server = await startServer(unreachable, { until: 'live', env: { WORKERS } });
      const ready = await fetch(`${server.url}/api/v1/health/ready`);
      assert.equal(ready.status, 503);
      server.kill('SIGTERM');
      const ended = await server.ended;
      assert.equal(ended.code, 0, server.output());
      assert.match(ended.stdout, /waiting for the database: .*ECONNREFUSED/);
      await database.remove();
    });

  test('it becomes ready without a restart when the operator migrates PostgreSQL', async () => {
    const database = await createDatabase('postgres', { empty: true });
    const server = await startServer(database, { until: 'live' });
    assert.equal((await fetch(`${server.url}/api/v1/health/ready`)).status, 503);
    const migrated = await start(['migrate'], { DATABASE_URL: database.databaseUrl ?? '', DATA_DIR: database.dataDir })
      .ended;
    assert.equal(migrated.code, 0, migrated.stderr);
    // It checks every second, and then builds the search index.
    await until('it is ready', async () => (await fetch(`${server.url}/api/v1/health/ready`)).status === 200);
    server.kill('SIGTERM');
    assert.equal((await server.ended).code, 0);
    await database.remove();
  });

  for (const [what, spoil] of [
    ['has exited', (out: Readable) => out.destroy()],
    ['has stopped reading', (out: Readable) => out.pause()],
  ] as const) {
    test(`it stops even if the reader of its log ${what}`, async (t) => {
      const database = await createDatabase('sqlite');
      const port = await findFreePort();
      const env = { PORT: String(port), ADMIN_PORT: '0', WORKERS: '1', DATA_DIR: database.dataDir };
      const server = spawn(process.execPath, ['src/main.ts', 'serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
      t.after(() => server.kill('SIGKILL'));
      await until(
        'it is ready',
        async () => (await fetch(`http://127.0.0.1:${port}/api/v1/health/ready`).catch(() => null))?.ok === true,
      );
      spoil(server.stdout);
      // More log lines than the pipe can hold, so that the last ones cannot be written.
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.resume().write(REQUEST.repeat(4_000));
      await sleep(1_500);
      socket.destroy();
      server.kill('SIGTERM');
      const [code] = await once(server, 'exit', { signal: AbortSignal.timeout(100_000) });
      assert.equal(code, 0);
      await database.remove();
    });
  }
});

/** Sends one request after another on a keep-alive connection until a reply says `Connection: close`. */
function startCaller(port: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const caller = { answered: 0, outcome: call() };
  async function call(): Promise<'dropped' | 'closed'> {
    await once(socket, 'connect');
    for (;;) {
      socket.write(REQUEST);
      const reply = await readReply(socket);
      if (reply === undefined) return 'dropped';
      caller.answered++;
      if (reply.headers.get('connection') === 'close') return 'closed';
    }
  }
  return caller;
}

/** Sends half of a request. The returned function sends the rest and returns the status of the reply. */
async function beginRequest(port: number): Promise<() => Promise<number | undefined>> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(REQUEST.slice(0, 20));
  return async () => {
    socket.write(REQUEST.slice(20));
    return (await readReply(socket))?.status;
  };
}

function readReply(socket: Socket): Promise<ReturnType<typeof parseReplies>[0] | undefined> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const finish = (reply?: ReturnType<typeof parseReplies>[0]) => {
      socket.off('data', onData).off('close', onClose);
      resolve(reply);
    };
    const onClose = () => finish();
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const [reply] = received.includes('\r\n\r\n') ? parseReplies(received) : [];
      if (reply !== undefined && Buffer.byteLength(reply.text) === Number(reply.headers.get('content-length')))
        finish(reply);
    };
    socket.on('data', onData).on('close', onClose);
  });
}
