import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { speakRaw } from '../harness/raw.ts';
import { startService, type TestService } from '../harness/service.ts';

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
for (const engine of usualEngines) {
  describe(`API8 request smuggling on ${engine}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(engine, {
        extend: (app) => {
          app.get('/hidden', async () => ({ hidden: 'answered' }));
        },
      });
    });
    after(() => service[Symbol.asyncDispose]());

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
}
