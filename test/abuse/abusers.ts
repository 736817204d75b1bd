import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApiKey } from '../../src/base/secrets.ts';
import type { TestAccount } from '../harness/keys.ts';

/** What the abusers need, and the counts that must agree with the charges at the end. */
export interface Scene {
  readonly url: string;
  /** Pays for searches and pages; every answer must be charged. */
  readonly payer: TestAccount;
  /** Aborts its requests, so each is charged at most once. */
  readonly quitter: TestAccount;
  /** Other sites act with its cookie; nothing may be charged or changed. */
  readonly victim: TestAccount;
  readonly counts: Counts;
}

export interface Counts {
  /** Answers with 200 to the payer's requests. */
  paid: number;
  /** Requests of the quitter. */
  quit: number;
  /** Requests by other sites that were not refused. */
  accepted: number;
  /** Rounds by name. */
  readonly rounds: Record<string, number>;
}

/** One round of abuse. */
export type Abuser = (scene: Scene) => Promise<void>;

export const abusers: Readonly<Record<string, Abuser>> = {
  async malformed({ url }) {
    const kinds = [
      randomBytes(200),
      'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nBad header\r\n\r\n',
      'POST /api/v1/api-keys HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      '\r\n'.repeat(500),
      `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n${'X-A: b\r\n'.repeat(5_000)}\r\n`,
      'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nx',
    ];
    await throwAt(url, pick(kinds), 100);
  },
  async pipelining({ url }) {
    const path = pick(['/docs', '/explore', '/api/v1/plans', '/api/v1/openapi.json', '/coverage']);
    await throwAt(url, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(400), Math.random() * 1_000);
  },
  async slow({ url }) {
    const socket = await open(url);
    for (const byte of 'GET /api/v1/plans HTTP/1.1\r\nHost: 127.0.0.1\r\n') {
      if (socket.destroyed) break;
      socket.write(byte);
      await sleep(400);
    }
    socket.destroy();
  },
  async unread({ url }) {
    const socket = await open(url);
    socket.pause().write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(50));
    await sleep(3_000);
    socket.destroy();
  },
  async aborted({ url, quitter, counts }) {
    const path = pick(SEARCHES);
    counts.quit++;
    const bytes = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${pick(quitter.keys)}\r\n\r\n`;
    await throwAt(url, bytes, Math.random() * 20);
  },
  async wrongKeys({ url }) {
    await ask(url, '/api/v1/countries', { 'x-api-key': createApiKey('live') });
  },
  async hugeUrls({ url, payer, counts }) {
    await ask(url, `/api/v1/entities?q=${'x'.repeat(20_000)}`, {});
    const long = await ask(url, `/api/v1/entities?q=${'%C3%A9'.repeat(1_000)}`, { 'x-api-key': pick(payer.keys) });
    if (long === 200) counts.paid++;
  },
  async connections({ url }) {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => open(url)));
    await sleep(1_000);
    for (const socket of sockets) socket.destroy();
  },
  async crossSite({ url, victim, counts }) {
    const foreign = { cookie: victim.cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const [method, path, type] = pick([
      ['POST', '/auth/logout', 'application/x-www-form-urlencoded'],
      ['POST', '/dashboard/keys', 'application/x-www-form-urlencoded'],
      ['POST', '/api/v1/api-keys', 'application/json'],
      ['DELETE', `/api/v1/api-keys/${victim.keyIds[0]}`, 'application/json'],
    ] as const);
    const status = await ask(url, path, { ...foreign, 'content-type': type }, method, '{"name":"evil"}');
    if (status < 400) counts.accepted++;
    await ask(url, '/explore?q=holdings', {
      cookie: victim.cookie,
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
    });
  },
  async deepPages({ url, payer, counts }) {
    const page = pick(['5', '100', '10000', '2147483647']);
    const path = `/api/v1/entities?page=${page}&pageSize=100`;
    if ((await ask(url, path, { 'x-api-key': pick(payer.keys) })) === 200) counts.paid++;
  },
  async searches({ url, payer, counts }) {
    if ((await ask(url, pick(SEARCHES), { 'x-api-key': pick(payer.keys) })) === 200) counts.paid++;
  },
};

/** Common letters, characters that occur nowhere, and many words. */
const SEARCHES = ['a', 'e', 'li', 'q%25', 'limited', '0', '%E6%BC%A2', 'a+b+c+d+e+f+g+h', 'x'.repeat(100)].map(
  (q) => `/api/v1/entities?q=${q}&pageSize=100`,
);

function pick<T>(items: readonly T[]): T {
  return items[Math.floor(Math.random() * items.length)] as T;
}

/** One of fifty addresses, so that limits per address do not end the attack. */
const pickAddress = () => `127.0.0.${2 + Math.floor(Math.random() * 50)}`;

async function open(url: string): Promise<Socket> {
  const port = Number(new URL(url).port);
  const socket = connect({ port, host: '127.0.0.1', localAddress: pickAddress() });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  return socket;
}

/** Sends bytes, reads the replies, and disconnects after `ms`. */
async function throwAt(url: string, bytes: string | Buffer, ms: number): Promise<void> {
  const socket = await open(url);
  socket.resume().write(bytes);
  await sleep(ms);
  socket.destroy();
}

/** Returns the status when the answer is complete, and 0 if the connection broke. */
function ask(
  url: string,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
  body?: string,
): Promise<number> {
  return new Promise((resolve) => {
    const options = { method, headers, localAddress: pickAddress(), agent: false } as const;
    const sending = request(url + path, options, (response) => {
      response.resume().on('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 0));
    });
    sending.on('error', () => resolve(0));
    sending.end(body);
  });
}
