import assert from 'node:assert/strict';
import { before, describe, mock, test } from 'node:test';
import { replaceErrorText } from '../../src/api/mcp/protocol.ts';
import { limitsOf, useMeteredService } from '../api/metered-service.ts';
import { useService } from '../harness/shared-service.ts';
import { callMessage, modernHeaders, modernMessage, post, readJson } from './connect.ts';

const CLIENT = '{"name":"test","version":"1"}';

/** Messages of at most 64 KiB that would take long to read: very deep, or with very many values. */
const complexMessages: Readonly<Record<string, string>> = {
  'deep capabilities': initialize(`{"experimental":{"x":${nest(10_000)}}}`),
  'deep lists as capabilities': initialize(`{"experimental":{"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`),
  'capabilities with 5,000 members': initialize(`{"experimental":{"x":${members(5_000)}}}`),
  'deep capabilities in the envelope': envelope(`{"experimental":{"x":${nest(10_000)}}}`),
  'capabilities with 5,000 members in the envelope': envelope(`{"experimental":{"x":${members(5_000)}}}`),
  '6,000 unknown arguments': callSearch(members(6_000)),
  'a deep argument': callSearch(`{"q":${nest(10_000)}}`),
  'a list of 30,000 values as argument': callSearch(`{"q":[${'1,'.repeat(29_999)}1]}`),
  'a deep message that never ends': '{"a":'.repeat(12_000),
  'a batch of 10,000 messages': `[${'{},'.repeat(9_999)}{}]`,
};

/** As large as messages may be, so that it can be compared with what is rejected. */
const allowedMessages: Readonly<Record<string, string>> = {
  '240 unknown arguments': callSearch(members(240)),
  '12 levels of capabilities': initialize(`{"experimental":{"x":${nest(12)}}}`),
  'a long text': callSearch(`{"q":"${'[{,'.repeat(20_000)}"}`),
};

function nest(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

function members(count: number): string {
  return `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`;
}

function initialize(capabilities: string): string {
  return write('initialize', `"protocolVersion":"2025-11-25","clientInfo":${CLIENT},"capabilities":${capabilities}`);
}

function envelope(capabilities: string): string {
  const name = 'io.modelcontextprotocol';
  const meta = `"${name}/protocolVersion":"2026-07-28","${name}/clientInfo":${CLIENT},"${name}/clientCapabilities":${capabilities}`;
  return write('tools/list', `"_meta":{${meta}}`);
}

function callSearch(given: string): string {
  return write('tools/call', `"name":"search_companies","arguments":${given}`);
}

function write(method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${params}}}`;
}

describe('messages that would take long to read', () => {
  const metered = useMeteredService('sqlite');
  const { newKey, setWindow, counts } = metered;
  const bearer = (key: { secret: string }) => ({ authorization: `Bearer ${key.secret}` });

  test('are rejected before anything is built from them, and count in the rate window', async () => {
    const key = await newKey('business');
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
      assert.equal(countBuilt(), 0, 'characters that were parsed');
      assert.deepEqual(await counts(key), [window, 0]);
    } finally {
      parsed.mock.restore();
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
});

/** Messages whose parameters do not fit the protocol. */
const INVALID: [string, object | undefined][] = [
  ['tools/call', { name: 5 }],
  ['tools/call', { name: 'search_companies', arguments: [] }],
  ['tools/list', { cursor: 5 }],
];
const INVALID_START: [string, object | undefined][] = [
  ['initialize', undefined],
  ['initialize', { protocolVersion: 5 }],
  ['initialize', { protocolVersion: '2025-11-25', capabilities: { roots: 5 }, clientInfo: {} }],
];
const NOT_DEFINED = 'Invalid params: the message is not what the protocol defines.';

describe('errors of the protocol', () => {
  const service = useService('sqlite');
  let key: string;
  before(async () => {
    key = await service.createKey();
  });

  test('invalid parameters get a sentence, in both revisions', async () => {
    const bearer = { authorization: `Bearer ${key}` };
    for (const [method, params] of [...INVALID, ...INVALID_START]) {
      const { error } = await readJson(await post(service, { jsonrpc: '2.0', id: 7, method, params }, bearer));
      assert.deepEqual([error.code, error.message], [-32602, NOT_DEFINED]);
    }
    for (const [method, params = {}] of INVALID) {
      const message = modernMessage(method, params);
      const reply = await post(service, message, { ...bearer, ...modernHeaders(message) });
      const { id, error } = await readJson(reply);
      assert.deepEqual([id, error.code, error.message], [1, -32602, NOT_DEFINED]);
    }
  });

  test('the text of an unexpected error never reaches a client; other errors and results stay as they are', () => {
    const replace = (body: object) => JSON.parse(replaceErrorText(JSON.stringify(body)));
    const message = 'Parse error';
    const parse = { jsonrpc: '2.0', error: { code: -32700, message, data: 'RangeError: stack' }, id: null };
    assert.deepEqual(replace(parse), { jsonrpc: '2.0', error: { code: -32700, message }, id: null });
    const internal = replace({ id: 1, error: { code: -32603, message: 'secret [ of ours' } });
    assert.equal(JSON.stringify(internal).includes('secret'), false);
    for (const kept of [
      { jsonrpc: '2.0', id: 1, error: { code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'] } } },
      { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } },
      { result: { error: { code: -32603, message: 'a\nb' } }, id: 1 },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      assert.deepEqual(replace(kept), kept);
    }
  });
});
