import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { engines } from '../harness/databases.ts';
import { openSockets } from './sockets.ts';
import { readHoldings, startTarget, type Target } from './target.ts';
import { formatWaits, startWitness } from './witness.ts';

/**
 * Other clients wait less than this, apart from pauses of the machine itself. These also occur without an attack, so the waits
 * before it are measured as well.
 */
const MAX_P99_MS = 100;
const QUIET_MS = 3_000;
const MAX_GROWTH_MEGABYTES = 250;
const ATTACK_MS = 10_000;

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
/** As many requests as Node reads at once. */
const burst = (path: string) => request(path).repeat(Math.floor(65_536 / request(path).length));

/** Runs an attack while a well-behaved client sends requests, and compares the memory before with the largest during it. */
async function measure(
  t: TestContext,
  target: Target,
  attack: (until: number) => Promise<string>,
  maxMs = MAX_P99_MS,
): Promise<void> {
  const [key] = (await target.office.createAccount()).keys;
  await using quiet = await startWitness(target, key);
  await sleep(QUIET_MS);
  const { p99: quietMs } = await quiet.stop();
  const before = readHoldings(target).megabytes;
  await using witness = await startWitness(target, key);
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, readHoldings(target).megabytes);
  }, 100);
  try {
    const did = await attack(performance.now() + ATTACK_MS);
    const waits = await witness.stop();
    const figures = `${did}, memory ${before} to ${most} MB, ${formatWaits(waits)}; before: p99 ${quietMs} ms`;
    t.diagnostic(figures);
    assert.ok(waits.failed === 0 && waits.p99 < maxMs + 5 * quietMs, figures);
    assert.ok(most < before + MAX_GROWTH_MEGABYTES, figures);
  } finally {
    clearInterval(sampling);
  }
}

/** Connections that write as much as the server takes, at most `bytesPerSecond` each, and read what comes back. */
async function flood(
  target: Target,
  { connections, path, bytesPerSecond }: { connections: number; path: string; bytesPerSecond: number },
  end: number,
): Promise<string> {
  using sockets = openSockets(target.url);
  const bytes = burst(path);
  const opened = await Promise.all(Array.from({ length: connections }, () => sockets.open()));
  let received = 0;
  async function send(socket: Socket): Promise<void> {
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    while (performance.now() < end && !socket.destroyed) {
      if (socket.writableLength < 2 * bytes.length) socket.write(bytes);
      await sleep((1_000 * bytes.length) / bytesPerSecond);
    }
  }
  await Promise.all(opened.map(send));
  return `${Math.round(received / 1_000_000)} MB of replies`;
}

/**
 * Connections that send one request, wait for the reply and send the next one. Together they ask for more than one thread can
 * answer, so others wait for their turn. Limiting such clients is the job of the proxy in front.
 */
const MAX_BUSY_P99_MS = 1_000;

async function loop(target: Target, { connections, path }: { connections: number; path: string }, end: number) {
  using sockets = openSockets(target.url);
  let replies = 0;
  for (let opened = 0; opened < connections; opened++) {
    const socket = await sockets.open();
    socket.on('data', (chunk: Buffer) => {
      if (!chunk.includes('HTTP/1.1 ')) return;
      replies++;
      if (performance.now() < end) socket.write(request(path));
    });
    socket.write(request(path));
  }
  await sleep(Math.max(0, end - performance.now()));
  return `${replies} replies`;
}

async function neverRead(target: Target, end: number): Promise<string> {
  using sockets = openSockets(target.url);
  const opened = await Promise.all(Array.from({ length: 200 }, () => sockets.open()));
  while (performance.now() < end) {
    for (const socket of opened) if (socket.writableLength === 0) socket.pause().write(burst('/api/v1/openapi.json'));
    await sleep(100);
  }
  return `${sockets.countOpen()} of 200 connections open`;
}

const attacks: Readonly<Record<string, (target: Target, end: number) => Promise<string>>> = {
  'five connections that pipeline searches': (target, end) =>
    flood(target, { connections: 5, path: '/explore?q=a', bytesPerSecond: 324_000 }, end),
  '1,000 connections that pipeline /docs': (target, end) =>
    flood(target, { connections: 1_000, path: '/docs', bytesPerSecond: 66_000 }, end),
  '200 connections that pipeline large replies and never read': neverRead,
};

for (const engine of engines) {
  for (const [name, attack] of Object.entries(attacks)) {
    test(`${name}, on ${engine}`, async (t) => {
      await using target = await startTarget(engine);
      await measure(t, target, (end) => attack(target, end));
    });
  }

  test(`1,000 connections that request /docs in a loop, on ${engine}`, async (t) => {
    await using target = await startTarget(engine);
    await measure(t, target, (end) => loop(target, { connections: 1_000, path: '/docs' }, end), MAX_BUSY_P99_MS);
  });
}
