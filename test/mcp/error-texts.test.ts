import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { replaceErrorTexts } from '../../src/mcp/error-texts.ts';
import { startService, type TestService } from '../harness/service.ts';
import { modernHeaders, modernMessage, post, readJson } from './connect.ts';

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
