import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createApiKey } from '../../src/core/secrets.ts';
import { startService, type TestService } from '../harness/service.ts';
import { callMessage, connect, post, readJson } from './connect.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const ALLOWED = 'https://app.example';

describe('the endpoint for assistants', () => {
  let service: TestService;
  let key: string;
  const bearer = () => ({ authorization: `Bearer ${key}` });
  before(async () => {
    service = await startService('sqlite', { limits: { guessDelayMs: 0 }, env: { CORS_ORIGINS: ALLOWED } });
    key = await service.createKey();
  });
  after(() => service[Symbol.asyncDispose]());

  test('an API key is required: as bearer token or in X-API-Key', async () => {
    for (const headers of [bearer(), { 'x-api-key': key }]) {
      assert.equal((await post(service, LIST, headers)).status, 200);
    }
    const rejected: [Record<string, string>, string][] = [
      [{}, 'api_key_required'],
      [{ authorization: 'Basic eDp5' }, 'api_key_required'],
      [{ authorization: `Bearer ${createApiKey('live')}` }, 'invalid_api_key'],
      [{ 'x-api-key': 'frm_live_x' }, 'invalid_api_key'],
    ];
    for (const [headers, code] of rejected) {
      const reply = await post(service, LIST, headers);
      assert.equal(reply.status, 401);
      assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer /);
      assert.equal((await readJson(reply)).error.code, code);
    }
  });

  test('replies are plain JSON, in both revisions', async () => {
    const reply = await post(service, LIST, bearer());
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal((await readJson(reply)).result.tools.length, 7);
    await using client = await connect(service, key);
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    await using earlier = await connect(service, key, 'legacy');
    assert.equal(earlier.getNegotiatedProtocolVersion(), '2025-11-25');
  });

  test('other methods are answered with 405 and Allow: POST', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD']) {
      const reply = await fetch(`${service.url}/mcp`, { method, headers: bearer() });
      assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'POST'], method);
      await reply.arrayBuffer();
    }
  });

  test('batches, other content types, broken and oversized bodies are rejected', async () => {
    const rejected: [unknown, Record<string, string>, number, string][] = [
      [[LIST, LIST], {}, 400, 'invalid_request'],
      ['{"jsonrpc":', {}, 400, 'invalid_request'],
      ['', {}, 400, 'invalid_request'],
      ['"text"', {}, 400, 'invalid_request'],
      [JSON.stringify(LIST), { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
      [callMessage('search_companies', { q: 'x'.repeat(70_000) }), {}, 413, 'payload_too_large'],
    ];
    for (const [body, headers, status, code] of rejected) {
      const reply = await post(service, body, { ...bearer(), ...headers });
      assert.deepEqual([reply.status, (await readJson(reply)).error.code], [status, code]);
    }
  });

  test('pages of other sites get no answer, whatever their host name resolves to', async () => {
    for (const origin of ['https://evil.example', 'null', service.url.replace('http:', 'https:')]) {
      const reply = await post(service, LIST, { ...bearer(), origin });
      assert.deepEqual([reply.status, (await readJson(reply)).error.code], [403, 'csrf_rejected'], origin);
    }
    for (const origin of [service.url, ALLOWED]) {
      assert.equal((await post(service, LIST, { ...bearer(), origin })).status, 200, origin);
    }
    const reply = await service.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...bearer(), host: 'evil.example', 'content-type': 'application/json' },
      payload: LIST,
    });
    assert.deepEqual([reply.statusCode, reply.json().error.code], [400, 'invalid_request']);
  });

  test('pages of allowed origins can call it from a browser', async () => {
    const ask = { origin: ALLOWED, 'access-control-request-method': 'POST' };
    const preflight = await fetch(`${service.url}/mcp`, { method: 'OPTIONS', headers: ask });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), ALLOWED);
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'POST');
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ') ?? [];
    for (const name of ['Authorization', 'Content-Type', 'Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name']) {
      assert.ok(allowed.includes(name), name);
    }
    const reply = await post(service, LIST, { ...bearer(), origin: ALLOWED });
    assert.equal(reply.headers.get('access-control-allow-origin'), ALLOWED);
  });

  test('requests are logged like those of the API, without the key', async () => {
    const id = '7c1f6b1e-3c52-4f0a-9a43-2f6c1f2f7d11';
    await (await post(service, callMessage('list_countries', {}), { ...bearer(), 'x-request-id': id })).arrayBuffer();
    const line = service.logLines.find((each) => each.includes(id)) ?? '';
    const { method, route, status, keyId } = JSON.parse(line);
    assert.deepEqual([method, route, status], ['POST', '/mcp', 200]);
    assert.notEqual(keyId, null);
    assert.ok(!service.logLines.some((each) => each.includes(key)));
    const { text } = await service.services.metrics.render();
    assert.match(text, /^mcp_tool_calls_total\{tool="list_countries",outcome="answered"\} 1$/m);
  });

  test('subscriptions are refused, so that no connection stays open', async () => {
    await using client = await connect(service, key);
    await assert.rejects(client.listen({ toolsListChanged: true }), /Method not found/);
  });

  test('the package of the protocol is loaded with the first message, not at the start', () => {
    const root = new URL('../../src/', import.meta.url);
    for (const file of globSync('**/*.ts', { cwd: fileURLToPath(root) })) {
      const source = readFileSync(new URL(file, root), 'utf8');
      const isHome = file === join('mcp', 'protocol.ts');
      assert.ok(isHome || !/ from '@modelcontextprotocol/.test(source), `${file} loads the package`);
      assert.doesNotMatch(source, /^import (?!type).*\/protocol\.ts'/m, `${file} loads the package`);
    }
  });

  test('the whole list of tools takes at most 1,700 tokens, counted as 3.5 bytes each', async () => {
    const { result } = await readJson(await post(service, LIST, bearer()));
    const bytes = Buffer.byteLength(JSON.stringify(result));
    assert.ok(bytes / 3.5 <= 1_700, `${bytes} bytes are ${Math.ceil(bytes / 3.5)} tokens`);
    assert.ok(result.tools.length <= 7);
    for (const tool of result.tools) assert.equal(tool.annotations.readOnlyHint, true, tool.name);
  });
});
