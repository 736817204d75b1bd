import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningServer } from '../harness/process.ts';
import { parseReplies } from '../harness/raw.ts';
import { until } from '../harness/until.ts';

export const REQUEST = 'GET /api/v1/plans HTTP/1.1\r\nHost: x\r\n\r\n';
const PROBES = 200;
/** Requests that still run are cut off after 25 s. */
const MAX_STOP_MS = 20_000;

/** Stops a server under load: no request is dropped, readiness fails, and the exit code is 0. */
export async function stopUnderLoad(server: RunningServer, signal: 'SIGTERM' | 'SIGINT'): Promise<void> {
  const port = Number(new URL(server.url).port);
  const callers = Array.from({ length: 40 }, () => startCaller(port));
  const probes = Array.from({ length: PROBES }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await Promise.all(probes.map((socket) => once(socket, 'connect')));
  await until('every caller is served', () => callers.every(({ answered }) => answered > 2));
  const finishSlowRequest = await beginRequest(port);
  const headers = { connection: 'close' };
  const isReady = async () => (await fetch(`${server.url}/api/v1/health/ready`, { headers })).status === 200;
  await until('the server is ready', isReady);
  const started = performance.now();
  server.kill(signal);
  // On Ctrl+C, npm delivers a second signal within milliseconds. The two are one.
  if (signal === 'SIGINT') server.kill('SIGTERM');
  const probing = probeReadiness(probes);
  // The first connection that is closed shows that the signal has arrived.
  await Promise.race(callers.map(({ outcome }) => outcome));
  assert.equal(await finishSlowRequest(), 200, 'a request with incomplete headers was dropped');
  const after = await probing;
  const outcomes = await Promise.all(callers.map(({ outcome }) => outcome));
  assert.equal(outcomes.filter((outcome) => outcome === 'dropped').length, 0, 'requests were dropped');
  assert.equal(after.at(-1), 503, 'readiness fails after the signal');
  assert.deepEqual(new Set([...after, 200, 503]), new Set([200, 503]), 'open connections are served');
  // Some connections stay open and idle, which must not delay the end for long.
  if (signal !== 'SIGINT') for (const socket of probes) socket.destroy();
  const ended = await server.ended;
  assert.deepEqual([ended.code, ended.signal], [0, null], server.output());
  assert.ok(performance.now() - started < MAX_STOP_MS);
  assert.match(ended.stdout, /"msg":"stopped"/);
  await assert.rejects(fetch(`${server.url}/api/v1/health/live`));
}

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

/** Asks for readiness on one connection after the other, until it fails. */
async function probeReadiness(sockets: readonly Socket[]): Promise<Array<number | undefined>> {
  const statuses: Array<number | undefined> = [];
  for (const socket of sockets) {
    socket.write('GET /api/v1/health/ready HTTP/1.1\r\nHost: x\r\n\r\n');
    statuses.push((await readReply(socket))?.status);
    if (statuses.at(-1) === 503) break;
    await sleep(10);
  }
  return statuses;
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

export function readReply(socket: Socket): Promise<ReturnType<typeof parseReplies>[0] | undefined> {
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
