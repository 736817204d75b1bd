import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import { replaceErrorTexts } from '../../src/mcp/protocol.ts';
import { limitsOf, useMeteredService } from '../api/metered-service.ts';
import { startService, type TestService } from '../harness/service.ts';
import { allowedMessages, complexMessages } from './complex-messages.ts';
import { callMessage, modernHeaders, modernMessage, post, readJson } from './connect.ts';

describe('messages that would take long to read', () => {
  const metered = useMeteredService('sqlite');
  const { newKey, setWindow, counts } = metered;
  const bearer = (key: { secret: string }) => ({ authorization: `Bearer ${key.secret}` });

  test('are rejected before anything is built from them, and count in the rate window', async () => {
    const key = await newKey('business');
    const { mcp } = metered.service.services;
    const answered = mock.method(mcp, 'answer');
    const parsed = mock.method(JSON, 'parse');
    /** The characters of bodies from which values were built. */
    const countBuilt = () =>
      parsed.mock.calls.reduce((sum, { arguments: [text] }) => {
        const isBody = Object.values(complexMessages).includes(String(text));
        return sum + (isBody ? String(text).length : 0);
      }, 0);
    try {
      let window = 0;
      for (const [name, message] of Object.entries(complexMessages)) {
        assert.ok(message.length <= 64 * 1_024, `${name} has ${message.length} characters`);
        for (const version of ['2025-11-25', '2026-07-28']) {
          const reply = await post(metered.service, message, { ...bearer(key), 'mcp-protocol-version': version });
          const { error } = await readJson(reply);
          assert.deepEqual([reply.status, error.code], [400, 'invalid_request'], name);
          assert.match(error.message, /^The message is too complex: send at most 256 values in at most 16 levels\.$/);
          assert.equal(limitsOf(reply)[1], String(3_000 - ++window), name);
        }
      }
      assert.equal(answered.mock.callCount(), 0, 'messages that reached the protocol');
      assert.equal(countBuilt(), 0, 'characters that were parsed');
      assert.deepEqual(await counts(key), [window, 0]);
    } finally {
      parsed.mock.restore();
      answered.mock.restore();
    }
  });

  test('are answered up to the bounds', async () => {
    const key = await newKey('business');
    for (const [name, message] of Object.entries(allowedMessages)) {
      const reply = await post(metered.service, message, bearer(key));
      assert.equal(reply.status, 200, name);
      assert.equal((await readJson(reply)).error, undefined, name);
    }
  });

  test('bodies that are rejected count in the rate window, and over the limit get 429', async () => {
    const key = await newKey();
    const rejected: [string, Record<string, string>, number][] = [
      ['{"jsonrpc":', {}, 400],
      ['', {}, 400],
      ['{"__proto__":{}}', {}, 400],
      [Object.values(complexMessages)[0] as string, {}, 400],
      ['{}', { 'content-type': 'text/plain' }, 415],
      ['{}', { 'content-type': 'nonsense' }, 415],
      [JSON.stringify(callMessage('search_companies', { q: 'x'.repeat(70_000) })), {}, 413],
    ];
    for (const [index, [body, headers, status]] of rejected.entries()) {
      const reply = await post(metered.service, body, { ...bearer(key), ...headers });
      assert.equal(reply.status, status, body.slice(0, 40));
      assert.equal(limitsOf(reply)[1], String(60 - index - 1));
      await reply.arrayBuffer();
      assert.deepEqual(await counts(key), [index + 1, 0], body.slice(0, 40));
    }
    await setWindow(key, 60);
    for (const [body, headers] of rejected) {
      const reply = await post(metered.service, body, { ...bearer(key), ...headers });
      assert.deepEqual([reply.status, reply.headers.get('retry-after')], [429, '43'], body.slice(0, 40));
      assert.equal((await readJson(reply)).error.code, 'rate_limit_exceeded');
    }
    assert.deepEqual(await counts(key), [60, 0]);
  });

  test('without a valid key, nothing is counted', async () => {
    const reply = await post(metered.service, '{"jsonrpc":');
    assert.equal(reply.status, 401);
    assert.equal(reply.headers.get('x-ratelimit-limit'), null);
    await reply.arrayBuffer();
  });
});

/** Messages whose parameters do not fit the protocol, with the place that is wrong. */
const INVALID: [string, object | undefined, string][] = [
  ['tools/call', { name: 5 }, 'params.name'],
  ['tools/call', { name: 'search_companies', arguments: [] }, 'params.arguments'],
  ['tools/list', { cursor: 5 }, 'params.cursor'],
];
const INVALID_START: [string, object | undefined, string][] = [
  ['initialize', undefined, 'params'],
  ['initialize', { protocolVersion: 5 }, 'params.protocolVersion'],
  ['initialize', { protocolVersion: '2025-11-25', capabilities: { roots: 5 }, clientInfo: {} }, 'params.capabilities'],
];

describe('errors of the protocol', () => {
  let service: TestService;
  let key: string;
  before(async () => {
    service = await startService('sqlite');
    key = await service.createKey();
  });
  after(() => service[Symbol.asyncDispose]());

  test('invalid parameters are named in a sentence, in both revisions', async () => {
    const bearer = { authorization: `Bearer ${key}` };
    for (const [method, params, place] of [...INVALID, ...INVALID_START]) {
      const { error } = await readJson(await post(service, { jsonrpc: '2.0', id: 7, method, params }, bearer));
      assert.equal(error.code, -32602);
      assert.ok(error.message.startsWith(`Invalid params: "${place}`), error.message);
      assert.match(error.message, /^[^\n]+ is not what the protocol defines\.$/);
    }
    for (const [method, params = {}, place] of INVALID) {
      const message = modernMessage(method, params);
      const reply = await post(service, message, { ...bearer, ...modernHeaders(message) });
      const { id, error } = await readJson(reply);
      assert.deepEqual([id, error.code], [1, -32602]);
      assert.equal(error.message, `Invalid params: "${place}" is not what the protocol defines.`);
    }
  });

  test('the text of an unexpected error never reaches a client; other errors and results stay as they are', async () => {
    const replace = async (body: object, status = 200) => {
      const reply = await replaceErrorTexts(Response.json(body, { status }));
      assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
      return [reply.status, await reply.json()];
    };
    const message = 'Parse error';
    const parse = {
      jsonrpc: '2.0',
      error: { code: -32700, message, data: 'RangeError: Maximum call stack' },
      id: null,
    };
    assert.deepEqual(await replace(parse, 400), [400, { jsonrpc: '2.0', error: { code: -32700, message }, id: null }]);
    const [, internal] = await replace({ id: 1, error: { code: -32603, message: 'secret [ of ours' } });
    assert.equal(JSON.stringify(internal).includes('secret'), false);
    const long = `[{"path":["params","${'x'.repeat(5_000)}"]}]`;
    const [, cut] = await replace({ id: 1, error: { code: -32603, message: long } });
    assert.ok(JSON.stringify(cut).length < 250);
    for (const kept of [
      { jsonrpc: '2.0', id: 1, error: { code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'] } } },
      { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } },
      { result: { error: { code: -32603, message: 'a\nb' } }, id: 1 },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      assert.deepEqual(await replace(kept, 404), [404, kept]);
    }
    const empty = new Response(null, { status: 202 });
    assert.equal(await replaceErrorTexts(empty), empty);
  });
});
