import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, engines } from './harness/databases.ts';
import { findFreePort } from './harness/postgres-server.ts';
import { NO_SHARED_PORT, start, startServer } from './harness/process.ts';
import { parseReplies } from './harness/raw.ts';
import { until } from './harness/until.ts';

const REQUEST = 'GET /api/v1/plans HTTP/1.1\r\nHost: x\r\n\r\n';

for (const engine of engines) {
  for (const [signal, workers, env] of [
    ['SIGTERM', 1],
    ['SIGINT', 1],
    ['SIGTERM', 3],
    ['SIGTERM', 3, NO_SHARED_PORT],
  ] as const) {
    const who = `${workers} serving${env === undefined ? '' : ' without a shared port'}`;
    test(`${signal} under load on ${engine}, ${who}: no request is dropped, exit code 0`, async () => {
      const database = await createDatabase(engine);
      const server = await startServer(database, { env: { WORKERS: String(workers), ...env } });
      const port = Number(new URL(server.url).port);
      const callers = Array.from({ length: 40 }, () => callUntilClosed(port));
      const slow = sendInTwoParts(port, 500);
      await sleep(300);
      server.kill(signal);
      const results = await Promise.all(callers);
      const ended = await server.ended;
      assert.equal(
        results.reduce((sum, { dropped }) => sum + dropped, 0),
        0,
        'requests were dropped',
      );
      assert.ok(results.reduce((sum, { answered }) => sum + answered, 0) > 100, 'there was no load');
      assert.equal(await slow, 200, 'a request whose headers were on their way was dropped');
      assert.deepEqual([ended.code, ended.signal], [0, null], server.output());
      assert.match(ended.stdout, /"msg":"stopped"/);
      await assert.rejects(fetch(`${server.url}/api/v1/health/live`));
      await database.remove();
    });
  }
}

describe('signals', () => {
  test('with nothing to wait for it stops at once', async () => {
    const database = await createDatabase('sqlite');
    const server = await startServer(database);
    // fetch keeps its connection open: an idle one may not hold up the end for long.
    const started = performance.now();
    server.kill('SIGTERM');
    assert.equal((await server.ended).code, 0);
    assert.ok(performance.now() - started < 8_000);
    await database.remove();
  });

  test('Ctrl+C that arrives twice at once, as npm delivers it, is one signal', async () => {
    const database = await createDatabase('sqlite');
    const server = await startServer(database);
    server.kill('SIGINT');
    await sleep(20);
    server.kill('SIGINT');
    assert.equal((await server.ended).code, 0, server.output());
    await database.remove();
  });

  for (const WORKERS of ['1', '3'])
    test(`a second signal exits at once, though a client still hangs on; ${WORKERS} serving`, async () => {
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
      assert.ok(performance.now() - started < 1_000);
      await database.remove();
    });

  for (const WORKERS of ['1', '3'])
    test(`it listens before the database is there, and stops cleanly while still waiting for it; ${WORKERS} serving`, async () => {
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

  test('it becomes ready by itself when the operator migrates PostgreSQL', async () => {
    const database = await createDatabase('postgres', { empty: true });
    const server = await startServer(database, { until: 'live' });
    assert.equal((await fetch(`${server.url}/api/v1/health/ready`)).status, 503);
    const migrated = await start(['migrate'], { DATABASE_URL: database.databaseUrl ?? '', DATA_DIR: database.dataDir })
      .ended;
    assert.equal(migrated.code, 0, migrated.stderr);
    // It looks every second, and then indexes what there is to search.
    const ready = async () => (await fetch(`${server.url}/api/v1/health/ready`)).status === 200;
    for (let tries = 0; !(await ready()); tries++) {
      assert.ok(tries < 250, 'not ready after five seconds');
      await sleep(20);
    }
    server.kill('SIGTERM');
    assert.equal((await server.ended).code, 0);
    await database.remove();
  });

  for (const [what, spoil] of [
    ['has gone', (out: Readable) => out.destroy()],
    ['has stopped reading', (out: Readable) => out.pause()],
  ] as const) {
    test(`it ends although whoever reads its log ${what}`, async (t) => {
      const database = await createDatabase('sqlite');
      const port = await findFreePort();
      const env = { PORT: String(port), ADMIN_PORT: '0', WORKERS: '1', DATA_DIR: database.dataDir };
      const server = spawn(process.execPath, ['src/main.ts', 'serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
      t.after(() => server.kill('SIGKILL'));
      await until(
        'the server is ready',
        async () => (await fetch(`http://127.0.0.1:${port}/api/v1/health/ready`).catch(() => null))?.ok === true,
      );
      spoil(server.stdout);
      // More than the pipe holds, so that the last lines cannot be written.
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.resume().write(REQUEST.repeat(4_000));
      await sleep(1_500);
      socket.destroy();
      server.kill('SIGTERM');
      const [code] = await once(server, 'exit', { signal: AbortSignal.timeout(20_000) });
      assert.equal(code, 0);
      await database.remove();
    });
  }

  test('npm start: the demo says where it is and what to try, and the line it prints works', async (t) => {
    const database = await createDatabase('sqlite');
    const server = await startServer(database, { args: ['--demo'] });
    // A server that a failed test leaves behind would hold up the whole run.
    t.after(() => server.kill('SIGKILL'));
    for (let tries = 0; !server.output().includes('Ctrl+C') && tries < 2_000; tries++) await sleep(20);
    const [, key = '', url = ''] = /^ +curl -H 'X-API-Key: (\S+)' '(\S+)'$/m.exec(server.output()) ?? [];
    const reply = await fetch(url, { headers: { 'X-API-Key': key } });
    assert.equal(reply.status, 200);
    const { data } = (await reply.json()) as { data: unknown[] };
    assert.equal(data.length, 3);
    await checkQuickStart(new URL(url).origin, key);
    server.kill('SIGINT');
    assert.equal((await server.ended).code, 0);
    await database.remove();
  });
});

/** What the guide shows is what who follows it sees. */
async function checkQuickStart(origin: string, key: string): Promise<void> {
  const guide = readFileSync('docs/guides/quick-start.md', 'utf8');
  const ask = async (path: string) => (await fetch(`${origin}${path}`, { headers: { 'X-API-Key': key } })).json();
  const [search = '', record = ''] = Array.from(
    guide.matchAll(/'http:\/\/127\.0\.0\.1:3000(\S+)'/g),
    ([, path]) => path,
  );
  const shown = JSON.parse(/^```json\n(.*?)^```/ms.exec(guide)?.[1] ?? '');
  const { data, meta } = (await ask(search)) as typeof shown;
  assert.deepEqual(meta, shown.meta);
  assert.deepEqual({ ...data[0], updatedAt: '' }, { ...shown.data[0], updatedAt: '' });
  assert.equal(((await ask(record)) as typeof shown).data.id, shown.data[0].id);
}

/** Sends one request after another on one connection, as a client with keep-alive does, until told to stop. */
async function callUntilClosed(port: number): Promise<{ answered: number; dropped: number }> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  for (let answered = 0; ; answered++) {
    socket.write(REQUEST);
    const reply = await readReply(socket);
    if (reply === undefined) return { answered, dropped: 1 };
    if (reply.headers.get('connection') === 'close') return { answered: answered + 1, dropped: 0 };
  }
}

async function sendInTwoParts(port: number, pauseMs: number): Promise<number | undefined> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(REQUEST.slice(0, 20));
  await sleep(pauseMs);
  socket.write(REQUEST.slice(20));
  return (await readReply(socket))?.status;
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
