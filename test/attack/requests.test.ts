import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { NO_KEY } from '../harness/client.ts';
import { usualEngines } from '../harness/databases.ts';
import { boundMs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { sign } from '../harness/payment-events.ts';
import { speakRaw } from '../harness/raw.ts';
import { useService } from '../harness/shared-service.ts';
import { listUnsafeRoutes } from './routes.ts';

/** Much longer than any of these requests needs, much shorter than an attack would take. */
const PROMPT_MS = boundMs(4_000);

async function promptly<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  assert.ok(performance.now() - started < PROMPT_MS, `${what} took ${Math.round(performance.now() - started)} ms`);
  return result;
}

/** API4:2023 Unrestricted Resource Consumption: requests that are expensive, large, slow or numerous. */

describeOn(usualEngines, 'API4 resources', (engine) => {
  const service = useService(engine);

  test('deep, wide and compressed JSON is refused quickly', async () => {
    const session = await service.signIn();
    const headers = { ...session.headers, 'content-type': 'application/json' };
    const deep = (open: string, close: string, times: number) => open.repeat(times) + close.repeat(times);
    const bodies = [
      deep('[', ']', 32_000),
      deep('{"a":', '}', 9_000).replace(':}', ':1}'),
      `{"name":${deep('[', ']', 31_000)}}`,
      `{${Array.from({ length: 6_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
      `{"name":1e400}`,
      `{"name":${'9'.repeat(60_000)}}`,
      `{"name":"${'\\u0041'.repeat(10_000)}"}`,
    ];
    const bomb = gzipSync(Buffer.alloc(10_000_000, 'a'));
    for (const body of [...bodies, bomb]) {
      const what = typeof body === 'string' ? body.slice(0, 20) : 'gzip';
      const init = { headers: { ...headers, ...(body === bomb && { 'content-encoding': 'gzip' }) }, body };
      const reply = await promptly(what, () => service.client.request('POST', '/api/v1/api-keys', init));
      const expected = body === bomb ? [415, 'unsupported_media_type'] : [400, 'invalid_request'];
      assert.deepEqual([reply.status, reply.body.error?.code], expected, what);
    }
    const event = `{"id":"evt_deep","type":"x","created":1,"data":${deep('[', ']', 200_000)}}`;
    const signed = { headers: { 'payment-signature': sign(event, service.clock.now()) }, body: event };
    const reply = await promptly('a signed event', () =>
      service.client.request('POST', '/api/v1/billing/webhook', signed),
    );
    assert.deepEqual([reply.status, reply.body.error?.code], [400, 'invalid_request']);
    assert.match(reply.body.error.message, /more than 20000 values or 100 levels/);
  });

  test('no credential is looked at after the body', async () => {
    const open = ['POST /api/v1/billing/webhook', 'POST /auth/logout', 'POST /alerts/:token'];
    const routes = listUnsafeRoutes(service.app).filter((route) => !open.includes(route));
    assert.ok(routes.length > 30, routes.join(', '));
    for (const route of routes) {
      const [method = '', pattern = ''] = route.split(' ');
      const isForm = !pattern.startsWith('/api/') && pattern !== '/mcp';
      const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
      // Neither JSON nor UTF-8: an operation that reads it answers 400.
      const init = { headers: { 'content-type': type, 'x-api-key': NO_KEY }, body: Buffer.alloc(1_000, 0xff) };
      const reply = await service.client.request(method, pattern.replace(':operation', 'searchEntities'), init);
      assert.equal(reply.status, isForm ? 303 : 401, route);
    }
  });

  test('a form with very many fields is refused quickly', async () => {
    const session = await service.signIn();
    const headers = { ...session.headers, 'content-type': 'application/x-www-form-urlencoded' };
    const different = Array.from({ length: 100_000 }, (_, index) => `k${index}`).join('&');
    for (const path of ['/match', '/match/rows', '/dashboard/monitors', '/dashboard/keys']) {
      for (const fields of ['a&'.repeat(500_000), 'a=1&'.repeat(250_000), '&'.repeat(1_000_000), different]) {
        const body = path === '/dashboard/keys' ? fields.slice(0, 4_000) : fields;
        const reply = await promptly(path, () => service.client.request('POST', path, { headers, body }));
        assert.equal(reply.status, 400, path);
        assert.match(reply.text, /more than 500 fields/);
      }
    }
  });

  test('requests with huge or very many headers are answered quickly', async () => {
    const key = await service.findKey();
    const request = (headers: string) =>
      `GET /api/v1/countries HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n${headers}\r\n\r\n`;
    const cases: [string, number][] = [
      [Array.from({ length: 4_000 }, (_, index) => `h${index}: x`).join('\r\n'), 431],
      [Array.from({ length: 500 }, () => 'a:b').join('\r\n'), 200],
      [`Cookie: ${'a=b;'.repeat(5_000)}`, 200],
      [`If-None-Match: ${'"a", '.repeat(4_000)}"`, 200],
      [`If-None-Match: ${'"'.repeat(20_001)}`, 200],
      [`Authorization: Bearer${' '.repeat(20_000)}`, 200],
      [`Accept: ${'*/*;q=0.1,'.repeat(2_000)}*/*`, 200],
      [`Range: bytes=${'0-,'.repeat(5_000)}0-`, 200],
      [`X-Request-ID: ${'a'.repeat(20_000)}`, 200],
    ];
    for (const [headers, expected] of cases) {
      const [reply] = await promptly(headers.slice(0, 20), () => speakRaw(service.url, request(headers)));
      assert.equal(reply?.status, expected, headers.slice(0, 20));
    }
  });
});

/** The smuggled request: a proxy reads it as part of the first request's body, the server as a second request. */
const HIDDEN = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
const START = 'POST /api/v1/plans HTTP/1.1\r\nHost: x\r\n';
const length = (text: string) => Buffer.byteLength(text);

/** Requests that must be refused with one 400, after which the connection is closed. */
const refused: Readonly<Record<string, string>> = {
  'length and chunks': `${START}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'chunks and length': `${START}Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'two lengths': `${START}Content-Length: 0\r\nContent-Length: ${length(HIDDEN)}\r\n\r\n${HIDDEN}`,
  'the same length twice': `${START}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello${HIDDEN}`,
  'a list of lengths': `${START}Content-Length: 5, 5\r\n\r\nhello${HIDDEN}`,
  'a length with a sign': `${START}Content-Length: +5\r\n\r\nhello${HIDDEN}`,
  'a negative length': `${START}Content-Length: -5\r\n\r\n${HIDDEN}`,
  'a length in hexadecimal': `${START}Content-Length: 0x5\r\n\r\nhello${HIDDEN}`,
  'a length beyond 64 bits': `${START}Content-Length: 18446744073709551621\r\n\r\nhello${HIDDEN}`,
  'an empty length': `${START}Content-Length: \r\n\r\n${HIDDEN}`,
  'a length with a space inside': `${START}Content-Length: 1 0\r\n\r\n${HIDDEN}`,
  'chunked, then not': `${START}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'chunked twice': `${START}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'a space before the colon': `${START}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'a vertical tab before the value': `${START}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'a folded header': `${START}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'a folded first header': `POST /api/v1/plans HTTP/1.1\r\n Host: x\r\n\r\n${HIDDEN}`,
  'bare line feeds': `POST /api/v1/plans HTTP/1.1\nHost: x\nContent-Length: 0\n\n${HIDDEN}`,
  'one bare line feed': `POST /api/v1/plans HTTP/1.1\r\nHost: x\nContent-Length: 0\r\n\r\n${HIDDEN}`,
  'a bare carriage return': `${START}X-A: b\rContent-Length: 0\r\n\r\n${HIDDEN}`,
  'a bare line feed at the end of the headers': `${START}Content-Length: 0\r\n\n${HIDDEN}`,
  'a null byte in a header': `${START}X-A: a\0b\r\n\r\n${HIDDEN}`,
  'HTTP/2 by force': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'HTTP/1.2': `GET /api/v1/plans HTTP/1.2\r\nHost: x\r\n\r\n${HIDDEN}`,
  'no version': `GET /api/v1/plans\r\n\r\n`,
  'two hosts': `GET /api/v1/plans HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n`,
  'the same host twice': `GET /api/v1/plans HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n`,
  'an invalid host': `GET /api/v1/plans HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n`,
  'a host with a path': `GET /api/v1/plans HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n`,
  'a host with a user': `GET /api/v1/plans HTTP/1.1\r\nHost: me@x\r\nConnection: close\r\n\r\n`,
  'a host with an invalid port': `GET /api/v1/plans HTTP/1.1\r\nHost: x:80@y\r\nConnection: close\r\n\r\n`,
};

/** Requests whose first part may be answered, but whose hidden request must not. */
const harmless: Readonly<Record<string, string>> = {
  'a GET with a body': `GET /api/v1/plans HTTP/1.1\r\nHost: x\r\nContent-Length: ${length(HIDDEN)}\r\n\r\n${HIDDEN}`,
  'a GET with chunks': `GET /api/v1/plans HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${length(HIDDEN).toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`,
  'a body that is not read': `${START}Content-Length: ${length(HIDDEN)}\r\n\r\n${HIDDEN}`,
  'an unknown encoding': `${START}Transfer-Encoding: xchunked\r\n\r\n${HIDDEN}`,
  'a chunk longer than it says': `${START}Transfer-Encoding: chunked\r\n\r\n2\r\nxx${HIDDEN}`,
  'a chunk extension with a line feed': `${START}Transfer-Encoding: chunked\r\n\r\n2;\nxx\r\n0\r\n\r\n${HIDDEN}`,
  'chunks by HTTP/1.0': `POST /api/v1/plans HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'a negative chunk': `${START}Transfer-Encoding: chunked\r\n\r\n-1\r\nxx\r\n0\r\n\r\n${HIDDEN}`,
  'a chunk beyond 64 bits': `${START}Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\nxx\r\n0\r\n\r\n${HIDDEN}`,
  'a chunk size with 0x': `${START}Transfer-Encoding: chunked\r\n\r\n0x2\r\nxx\r\n0\r\n\r\n${HIDDEN}`,
  'a chunk with bare line feeds': `${START}Transfer-Encoding: chunked\r\n\r\n2\nxx\n0\n\n${HIDDEN}`,
  'a length among the trailers': `${START}Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 5\r\n\r\n${HIDDEN}`,
  'an upgrade': `GET /api/v1/plans HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nContent-Length: ${length(HIDDEN)}\r\n\r\n${HIDDEN}`,
  'a refused expectation': `${START}Expect: 100-continue\r\nContent-Length: ${length(HIDDEN)}\r\n\r\n${HIDDEN}`,
};

// Parsing HTTP does not depend on the database.
describeOn(usualEngines, 'API8 request smuggling', (engine) => {
  const service = useService(engine, { extend: (app) => app.get('/hidden', async () => ({ hidden: 'answered' })) });

  const speak = (bytes: string) =>
    speakRaw(service.url, Buffer.from(bytes, 'latin1'), { timeoutMs: 1_500, quietMs: 80 });

  test('the hidden request is answered when it is sent openly', async () => {
    const replies = await speak(`GET /api/v1/plans HTTP/1.1\r\nHost: x\r\n\r\n${HIDDEN}`);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    );
    assert.match(replies[1]?.text ?? '', /answered/);
  });

  for (const [title, bytes] of Object.entries(refused)) {
    test(`${title}: one 400, and the connection is closed`, async () => {
      const replies = await speak(bytes);
      const [reply] = replies;
      assert.equal(reply?.status, 400, JSON.stringify(replies.map(({ status, text }) => [status, text])));
      assert.equal(reply.headers.get('connection'), 'close');
      assert.equal(JSON.parse(reply.text).error.code, 'invalid_request');
      assert.equal(replies.length, 1);
    });
  }

  for (const [title, bytes] of Object.entries(harmless)) {
    test(`${title}: the hidden request is not answered`, async () => {
      const replies = await speak(bytes);
      assert.ok(replies.length > 0);
      assert.ok(!replies.some(({ text }) => text.includes('answered')), 'the hidden request was answered');
      assert.ok(replies.every(({ status }) => status < 500));
    });
  }

  test('valid hosts are accepted: names, addresses, ports, and no host in HTTP/1.0', async () => {
    for (const host of [
      'x',
      'api.example.com',
      'localhost:3000',
      '127.0.0.1:80',
      '[::1]:3000',
      'xn--bcher-kva.example',
      'a_b',
      '',
    ]) {
      const [reply] = await speak(`GET /api/v1/plans HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      assert.equal(reply?.status, 200, host);
    }
    assert.equal((await speak('GET /api/v1/plans HTTP/1.0\r\n\r\n'))[0]?.status, 200);
  });
});
