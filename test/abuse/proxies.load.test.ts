import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { until } from '../harness/until.ts';
import { type ProxiedTarget, speak, startProxied } from './proxied-target.ts';
import { PROXY_HOST, type ProxyName, proxyNames, readDocumented } from './proxy.ts';
import { readHoldings } from './target.ts';
import { formatWaits, startWitness } from './witness.ts';

/** What a client sees of a record must not depend on the proxy: HEAD, 304, compression, expectations, closing. */
async function checkSemantics({ ask, connect, proxy }: ProxiedTarget, key: string): Promise<void> {
  const withKey = { 'x-api-key': key };
  const search = await ask('/api/v1/entities?q=a&pageSize=100', { headers: withKey });
  const path = `/api/v1/entities/${JSON.parse(search.body.toString()).data[0].id}`;
  const whole = await ask(path, { headers: withKey });
  assert.ok(whole.status === 200 && whole.headers.etag !== undefined, 'a record is served');
  const head = await ask(path, { method: 'HEAD', headers: withKey });
  assert.equal(head.headers['content-length'], whole.headers['content-length']);
  assert.ok(head.status === 200 && head.body.length === 0, 'HEAD has no body');
  const matched = await ask(path, { headers: { ...withKey, 'if-none-match': String(whole.headers.etag) } });
  assert.ok(matched.status === 304 && matched.body.length === 0, 'a matching ETag gets 304 without a body');
  for (const [encoding, decode] of [
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const) {
    const reply = await ask('/api/v1/openapi.json', { headers: { 'accept-encoding': encoding } });
    const plain = await ask('/api/v1/openapi.json');
    const isCompressed = reply.headers['content-encoding'] === encoding;
    assert.ok(isCompressed && decode(reply.body).equals(plain.body), `${encoding} has the same content`);
    assert.ok(/accept-encoding/i.test(String(reply.headers.vary)), `${encoding} varies`);
  }

  const start = `Host: ${PROXY_HOST}:${proxy.port}\r\nContent-Type: application/json\r\nContent-Length: 12\r\n`;
  const post = (extra: string) => `POST /api/v1/api-keys HTTP/1.1\r\n${start}${extra}\r\n{"name":"x"}`;
  const next = `GET /api/v1/plans HTTP/1.1\r\nHost: ${PROXY_HOST}:${proxy.port}\r\n\r\n`;
  const expected = await speak(await connect(), post('Expect: 100-continue\r\n') + next, 1_000);
  // An interim reply (100) may come first.
  assert.deepEqual(readStatuses(expected).slice(-2), ['401', '200'], '100-continue, then the next request');
  const closing = await connect();
  const closed = await speak(closing, post('Connection: close\r\n') + next, 1_000);
  assert.equal(readStatuses(closed).length, 1, 'Connection: close gets one answer');
  const long = await ask(`/api/v1/entities?q=${'x'.repeat(12_000)}`, { headers: withKey });
  assert.ok(long.status === 414 || long.status === 400, 'a long URL is refused');
  const large = await ask('/api/v1/api-keys', { method: 'POST', body: 'x'.repeat(600_000) });
  assert.ok(large.status === 413 || large.status === 401 || large.status === 0, 'a large body is refused');
}

/** The proxy uses its connections to the service again. */
async function checkReuse({ ask, target }: ProxiedTarget): Promise<void> {
  const before = readHoldings(target).descriptors;
  let most = 0;
  for (let count = 0; count < 100; count++) {
    await ask('/api/v1/plans');
    most = Math.max(most, readHoldings(target).descriptors - before);
  }
  assert.ok(most <= 5, `100 requests use at most 5 new connections to the service (${most})`);
}

/** A proxy that uses a connection at the moment the service closes it loses a request. */
async function checkIdleTimes({ target }: ProxiedTarget, name: ProxyName): Promise<void> {
  const reply = await fetch(`${target.url}/api/v1/plans`);
  const ours = Number(/timeout=(\d+)/.exec(reply.headers.get('keep-alive') ?? '')?.[1]);
  const setting = name === 'nginx' ? /^upstream .*keepalive_timeout (\d+)s/ms : /pool-purge-delay (\d+)s/;
  const theirs = Number(setting.exec(readDocumented(name))?.[1]);
  assert.ok(theirs + 5 <= ours, `the proxy closes idle connections (${theirs} s) before the service does (${ours} s)`);
}

/** The proxies close a connection whose headers take more than ten seconds. A busy machine does it later. */
const MAX_DRIP_SECONDS = 120;

/** Clients that drip their headers, and clients that do not read, cost the proxy and not the service. */
async function checkSlowClients(proxied: ProxiedTarget): Promise<void> {
  const before = readHoldings(proxied.target);
  const sockets: TLSSocket[] = [];
  for (let at = 0; at < 20; at++) {
    const unread = await proxied.connect();
    unread.pause().write(`GET /api/v1/openapi.json HTTP/1.1\r\nHost: ${PROXY_HOST}:${proxied.proxy.port}\r\n\r\n`);
    sockets.push(unread, await proxied.connect());
  }
  const listDripping = () => sockets.filter((socket) => !socket.isPaused() && !socket.destroyed);
  for (let second = 0; second < MAX_DRIP_SECONDS && listDripping().length > 0; second++) {
    for (const socket of listDripping()) socket.write('X');
    await sleep(1_000);
  }
  const dripping = listDripping().length;
  assert.ok(dripping === 0, `no client sends its headers for ever (${dripping} of 20 still do)`);
  const during = readHoldings(proxied.target);
  assert.ok(
    during.megabytes < before.megabytes + 150,
    `memory grows from ${before.megabytes} to ${during.megabytes} MB`,
  );
  for (const socket of sockets) socket.destroy();
  // nginx keeps up to 32 of them for later requests.
  const isClosed = () => readHoldings(proxied.target).descriptors <= before.descriptors + 35;
  await until('the service has closed its side', isClosed, 60_000);
}

/**
 * One address gets at most 50 connections, and others are served. The connections wait in the middle of a body, because nginx
 * counts a connection only from the end of its headers to the end of its response.
 */
async function checkConnectionLimit({ connect, ask, proxy }: ProxiedTarget): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: 60 }, () => connect('127.0.0.8')));
  const host = `Host: ${PROXY_HOST}:${proxy.port}`;
  const started = `POST /api/v1/api-keys HTTP/1.1\r\n${host}\r\nContent-Length: 100\r\n\r\n{`;
  let refused = 0;
  for (const socket of sockets) {
    socket.once('data', () => refused++);
    socket.once('close', () => refused++);
    if (socket.destroyed) refused++;
    else socket.write(started);
  }
  await until('10 connections are refused', () => refused >= 10, 60_000).catch(() => undefined);
  assert.ok(refused >= 10, `at least 10 of 60 connections are refused (${refused})`);
  const own = await ask('/api/v1/plans', { from: '127.0.0.8' });
  assert.ok(own.status === 503 || own.status === 0, 'the same address is refused');
  assert.ok((await ask('/api/v1/plans', { from: '127.0.0.9' })).status === 200, 'another address is served');
  for (const socket of sockets) socket.destroy();
}

/** The replies have a small body, without a status line in it. */
function readStatuses(bytes: Buffer): string[] {
  return Array.from(bytes.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status = '']) => status);
}

for (const name of proxyNames) {
  // What a proxy sees does not depend on the database.
  test(`keep-alive, slow clients and HTTP semantics through ${name}`, async (t) => {
    await using proxied = await startProxied('sqlite', name);
    const [key = '', witnessKey = ''] = (await proxied.target.office.createAccount({ keys: 2 })).keys;
    await checkSemantics(proxied, key);
    await checkReuse(proxied);
    await checkIdleTimes(proxied, name);
    await using witness = await startWitness(proxied.target, witnessKey);
    await checkSlowClients(proxied);
    await checkConnectionLimit(proxied);
    const waits = await witness.stop();
    t.diagnostic(formatWaits(waits));
    assert.ok(waits.failed === 0 && waits.p99 < 500, `other clients waited: ${formatWaits(waits)}`);
    assert.equal(proxied.countFailures(), 0, 'answers with 5xx');
  });
}
