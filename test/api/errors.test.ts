import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import Type from 'typebox';
import { isUuid } from '../../src/base/ids.ts';
import { compileReader } from '../../src/base/validation.ts';
import type { App } from '../../src/http/app.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { parseReplies, speakRaw } from '../harness/raw.ts';
import { startService, type TestService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { exchange } from '../http/pipelined-client.ts';

/** Routes for tests only: one with a body, one that crashes, one that waits. */
function extend(app: App): void {
  const body = Type.Object({ name: Type.String({ maxLength: 5 }) }, { additionalProperties: false });
  const read = compileReader(body, 'body');
  app.post('/test/echo', async (request) => read(request.body ?? null));
  app.get('/test/crash', async () => {
    throw new Error('the password is hunter2');
  });
  app.get('/test/crash-with-status', async () => {
    throw Object.assign(new Error('the password is hunter2'), { statusCode: 404 });
  });
  app.get('/test/:id', async (request) => request.params as object);
}

function expectError(reply: { status: number; headers: Headers; text: string }, status: number, code: string): void {
  const { error } = JSON.parse(reply.text);
  assert.deepEqual([reply.status, error.code], [status, code], reply.text);
  assert.deepEqual(Object.keys(error).sort(), ['code', 'docs', 'message', 'requestId']);
  assert.ok(isUuid(error.requestId));
  assert.equal(reply.headers.get('x-request-id'), error.requestId);
  assert.match(error.docs, new RegExp(`^http://127\\.0\\.0\\.1:\\d+/docs/errors/${code}$`));
  assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(reply.headers.get('cache-control'), 'no-store');
}

describeOn(usualEngines, 'errors', (engine) => {
  const service = useService(engine, { extend });
  const post = (service: TestService, body: string, type = 'application/json') =>
    service.client.request('POST', '/test/echo', { body, headers: { 'content-type': type } });

  test('a request with a content type and no body is answered as one with an empty body', async () => {
    const { url } = service;
    for (const line of ['POST /test/echo', 'POST /api/v1/billing/webhook', 'POST /mcp', 'DELETE /nope']) {
      const request = `${line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
      const [without, empty] = await Promise.all(
        ['', 'Content-Length: 0\r\n'].map(async (length) => exchange(url, `${request}${length}\r\n`)),
      );
      const codes = [without, empty].map((reply) => JSON.parse(String(reply?.body)).error.code);
      assert.deepEqual([without?.status, codes[0]], [empty?.status, codes[1]], line);
    }
  });

  test('404 not_found for an unknown path with any method, query or body', async () => {
    const { client } = service;
    for (const path of [
      '/nope',
      '/api/v1/nope',
      '/api/v1/plans/',
      '/API/v1/plans',
      '/api//v1/plans',
      '/api/v2/plans',
    ]) {
      expectError(await client.get(path), 404, 'not_found');
    }
    expectError(
      await client.request('POST', '/nope', { body: '<xml/>', headers: { 'content-type': 'text/xml' } }),
      404,
      'not_found',
    );
  });

  test('405 method_not_allowed with Allow for a known path', async () => {
    const { client } = service;
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const reply = await client.request(method, '/api/v1/plans');
      expectError(reply, 405, 'method_not_allowed');
      assert.equal(reply.headers.get('allow'), 'GET, HEAD');
    }
    const echo = await client.get('/test/echo');
    assert.equal(echo.status, 200, 'GET /test/:id matches it');
    assert.equal((await client.request('PUT', '/test/echo')).headers.get('allow'), 'GET, HEAD, POST');
  });

  test('400 invalid_request for malformed JSON, an empty body, a wrong type and prototype poisoning', async () => {
    for (const body of [
      '{',
      '',
      'null',
      '[]',
      '{"name":1}',
      '{"name":"toolong"}',
      '{}',
      '{"name":"a","x":1}',
      '{"__proto__":{"a":1},"name":"a"}',
    ]) {
      expectError(await post(service, body), 400, 'invalid_request');
    }
    assert.equal((await post(service, '{"name":"ok"}')).status, 200);
  });

  test('413 payload_too_large', async () => {
    expectError(await post(service, JSON.stringify({ name: 'x'.repeat(70_000) })), 413, 'payload_too_large');
  });

  test('414 uri_too_long for a URL of any excessive length', async () => {
    const { client, url } = service;
    const ofLength = (length: number) => `/${'a'.repeat(length - 1)}`;
    expectError(await client.get(ofLength(8_192)), 404, 'not_found');
    expectError(await client.get(ofLength(8_193)), 414, 'uri_too_long');
    const [reply] = await speakRaw(url, `GET /${'a'.repeat(60_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.ok(reply);
    expectError(reply, 414, 'uri_too_long');
  });

  test('415 unsupported_media_type for any content type except JSON', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense']) {
      expectError(await post(service, '{"name":"a"}', type), 415, 'unsupported_media_type');
    }
  });

  test('415 for another charset and for compressed bodies, 400 for bytes that are not UTF-8', async () => {
    for (const type of ['application/json; charset=latin1', 'application/json;charset="utf-16"']) {
      expectError(await post(service, '{"name":"a"}', type), 415, 'unsupported_media_type');
    }
    for (const type of ['application/json; charset=UTF-8', 'application/json;charset="utf8"; a=b']) {
      assert.equal((await post(service, '{"name":"ok"}', type)).status, 200, type);
    }
    const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
      service.client.request('POST', '/test/echo', {
        body,
        headers: { 'content-type': 'application/json', ...headers },
      });
    const zipped = await send(gzipSync('{"name":"a"}'), { 'content-encoding': 'gzip' });
    expectError(zipped, 415, 'unsupported_media_type');
    assert.match(zipped.body.error.message, /Content-Encoding/);
    assert.equal((await send('{"name":"ok"}', { 'content-encoding': 'identity' })).status, 200);
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
      const reply = await send(Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]));
      expectError(reply, 400, 'invalid_request');
      assert.match(reply.body.error.message, /UTF-8/);
    }
    assert.deepEqual((await send('{"name":"\ufffd ж 😀"}')).status, 200, 'a U+FFFD that was sent is a character');
  });

  test('404 not_found for an empty name in the path, before the API key is looked at', async () => {
    const { client } = service;
    for (const path of [
      '/api/v1/entities/',
      '/api/v1/entities/?page=1',
      '/api/v1/entities//changes',
      '/api/v1/api-keys/',
    ]) {
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
        const reply = await client.request(method, path);
        assert.equal(reply.status, 404, `${method} ${path}`);
        if (method !== 'HEAD') assert.equal(reply.body.error.code, 'not_found');
        assert.equal(reply.headers.get('x-ratelimit-limit'), null, 'it is not counted');
      }
    }
  });

  test('431 headers_too_large', async () => {
    const { url } = service;
    const [reply] = await speakRaw(url, `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${'a'.repeat(40_000)}\r\n\r\n`);
    assert.ok(reply);
    expectError(reply, 431, 'headers_too_large');
  });

  test('400 for bytes that are not HTTP, a missing Host header, an unknown Expect header and a bad escape in the path', async () => {
    const { url } = service;
    for (const bytes of [
      'nonsense\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n',
      'GET /api/v1/plans HTTP/1.1\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'GET /test/%zz HTTP/1.1\r\nHost: x\r\n\r\n',
      'POST /test/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: the-unexpected\r\n\r\nhello',
    ]) {
      const [reply] = await speakRaw(url, bytes);
      assert.ok(reply, `no answer to ${JSON.stringify(bytes)}`);
      expectError(reply, 400, 'invalid_request');
    }
  });

  test('500 internal_error for a crash in a handler; the reason is logged and not sent', async () => {
    const { client, logLines } = service;
    for (const path of ['/test/crash', '/test/crash-with-status']) {
      const reply = await client.get(path);
      expectError(reply, 500, 'internal_error');
      assert.ok(!reply.text.includes('hunter2'));
    }
    assert.ok(logLines.some((line) => line.includes('hunter2')));
  });

  test('503 service_unavailable with Retry-After when the database is unavailable', async () => {
    await using service = await startService(engine, {
      extend: (app) => {
        app.get('/test/database', async () => ({ one: await service.services.accountsDb.one('SELECT 1 AS one') }));
      },
    });
    assert.equal((await service.client.get('/test/database')).status, 200);
    await service.services.accountsDb.close();
    const reply = await service.client.get('/test/database');
    expectError(reply, 503, 'service_unavailable');
    assert.equal(reply.headers.get('retry-after'), '1');
  });
});

describe('time-outs', () => {
  const limits = { headersMs: 150, requestMs: 250, checkEveryMs: 20 };

  test('408 request_timeout for headers or a body that do not arrive', async () => {
    await using service = await startService('sqlite', { extend, limits });
    for (const start of [
      'GET / HTTP/1.1\r\nHost: x\r\n',
      'POST /test/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
    ]) {
      const [reply] = await speakRaw(service.url, start, { timeoutMs: 60_000 });
      assert.ok(reply, 'the connection was closed without a response');
      expectError(reply, 408, 'request_timeout');
    }
  });

  test('a client that sends headers very slowly is disconnected', async () => {
    await using service = await startService('sqlite', { extend, limits });
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
    let sent = 0;
    await until('it is disconnected', () => {
      if (!socket.closed) socket.write(`X-Drip-${sent++}: 1\r\n`);
      return socket.closed;
    });
    assert.equal(parseReplies(Buffer.concat(received))[0]?.status, 408);
  });

  test('an idle connection is closed', async () => {
    await using service = await startService('sqlite', { limits: { idleMs: 400, checkEveryMs: 20 } });
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'close', { signal: AbortSignal.timeout(300_000) });
  });
});

describe('request id', () => {
  test('an X-Request-ID sent by the client is used only if it is a UUID', async () => {
    await using service = await startService('sqlite');
    const own = '7d3c1c3e-5b0f-4b0a-9e53-0a5a3f6f1a11';
    const get = (id: string) => service.client.get('/api/v1/plans', { headers: { 'x-request-id': id } });
    assert.equal((await get(own)).headers.get('x-request-id'), own);
    assert.equal((await get(own.toUpperCase())).headers.get('x-request-id'), own);
    for (const id of ['1', `${own}x`, 'admin', `${own}, ${own}`, '']) {
      const answered = (await get(id)).headers.get('x-request-id') ?? '';
      assert.notEqual(answered, id);
      assert.ok(isUuid(answered));
    }
    const first = (await service.client.get('/api/v1/plans')).headers.get('x-request-id');
    assert.notEqual((await service.client.get('/api/v1/plans')).headers.get('x-request-id'), first);
  });
});
