import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Outcome } from '../attack.ts';
import { openSockets } from '../sockets.ts';
import { readHoldings, startTarget, type Target } from '../target.ts';
import { formatWaits, startWitness } from '../witness.ts';

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
  target: Target,
  attack: (until: number) => Promise<string>,
  maxMs = MAX_P99_MS,
): Promise<Outcome> {
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
    const isQuick = waits.failed === 0 && waits.p99 < maxMs + 5 * quietMs;
    return {
      held: isQuick && most < before + MAX_GROWTH_MEGABYTES,
      figures: `${did}, memory ${before} to ${most} MB, ${formatWaits(waits)}; before: p99 ${quietMs} ms`,
    };
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

const floods = [
  { connections: 5, path: '/docs', bytesPerSecond: 324_000 },
  { connections: 5, path: '/explore', bytesPerSecond: 324_000 },
  { connections: 5, path: '/explore?q=a', bytesPerSecond: 324_000 },
  { connections: 100, path: '/docs', bytesPerSecond: 100_000 },
  { connections: 1_000, path: '/docs', bytesPerSecond: 66_000 },
];

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

async function writeBursts(target: Target, end: number): Promise<string> {
  using sockets = openSockets(target.url);
  let bursts = 0;
  for (; performance.now() < end; bursts++) {
    const socket = await sockets.open();
    socket.resume().write(burst('/docs'));
    await sleep(500);
    socket.destroy();
  }
  return `${bursts} bursts`;
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

export const attacks: readonly Attack[] = [
  {
    name: 'two thousand pipelined requests for /docs in one write, every half second',
    async run(engine) {
      await using target = await startTarget(engine);
      return await measure(target, (end) => writeBursts(target, end));
    },
  },
  ...floods.map(
    (flooding): Attack => ({
      name: `${flooding.connections} connections that pipeline ${flooding.path}`,
      async run(engine) {
        await using target = await startTarget(engine);
        return await measure(target, (end) => flood(target, flooding, end));
      },
    }),
  ),
  {
    name: '200 connections that pipeline large replies and never read',
    async run(engine) {
      await using target = await startTarget(engine);
      return await measure(target, (end) => neverRead(target, end));
    },
  },
  ...[100, 1_000].map(
    (connections): Attack => ({
      name: `${connections} connections that request /docs in a loop`,
      async run(engine) {
        await using target = await startTarget(engine);
        return await measure(target, (end) => loop(target, { connections, path: '/docs' }, end), MAX_BUSY_P99_MS);
      },
    }),
  ),
];
