import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { createApiKey } from '../../src/core/secrets.ts';
import { useMeteredService } from '../api/metered-service.ts';
import { startScript } from '../client/scripted-server.ts';
import { findFreePort } from '../harness/postgres-server.ts';
import { startService, type TestService } from '../harness/service.ts';
import { type BridgeRun, startBridge } from './bridge-run.ts';

const KEY = 'frm_test_secretsecret';
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

async function ask(bridge: BridgeRun, count = 1) {
  bridge.send(LIST);
  const { id, error } = (await bridge.replies(count))[count - 1];
  assert.equal(id, 1);
  return error;
}

describe('errors of the bridge say what to do, and it keeps running', () => {
  let service: TestService;
  before(async () => {
    service = await startService('sqlite', { limits: { guessDelayMs: 0 } });
  });
  after(() => service[Symbol.asyncDispose]());

  test('a service that does not run, and then does', async () => {
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    const bridge = startBridge(url, KEY);
    const { code, message } = await ask(bridge);
    assert.equal(code, -32_000);
    assert.equal(
      message,
      `There is no complete reply from ${url} (ECONNREFUSED): check that the service runs and that FIRMAMENT_URL is its address, then try again.`,
    );
    assert.deepEqual(bridge.notes, [message]);
    const late = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":{}}'),
    );
    await new Promise<void>((resolve) => late.listen(port, '127.0.0.1', resolve));
    assert.equal(await ask(bridge, 2), undefined);
    await bridge.end();
    late.close().closeAllConnections();
  });

  test('a key that the service does not accept', async () => {
    const key = createApiKey('live');
    const bridge = startBridge(service.url, key);
    const { message, data } = await ask(bridge);
    assert.match(message, /^The service does not accept the API key: set FIRMAMENT_KEY to a key from \S+\/dashboard/);
    assert.deepEqual([data.status, data.code], [401, 'invalid_api_key']);
    await ask(bridge, 2);
    await bridge.end();
    assert.ok(!bridge.written().includes(key));
  });

  test('replies that are not of the protocol: gateways, redirects, cut and echoed ones', async () => {
    const echo = { error: { code: 'invalid_request', message: `You sent ${KEY}.` } };
    const replies: [(response: ServerResponse) => void, RegExp][] = [
      [(r) => r.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway'), /status 502 and no message/],
      [(r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello'), /status 200 and no message/],
      [
        (r) => r.writeHead(308, { location: 'http://evil.example/' }).end(),
        /redirects to another address: set FIRMAMENT_URL/,
      ],
      [(r) => r.writeHead(200, { 'content-length': '100' }).write('{', () => r.destroy()), /no complete reply/],
      [(r) => r.writeHead(202).end(), /^The service sent no reply: try again/],
      [
        (r) => r.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(echo)),
        /^You sent \[hidden\]\.$/,
      ],
      [(r) => r.writeHead(503, { 'retry-after': '7' }).end(), /Try again in 7 seconds\.$/],
    ];
    await using server = await startScript((response, _request, count) => replies[count - 1]?.[0](response));
    const bridge = startBridge(server.url, KEY);
    for (const [at, [, expected]] of replies.entries()) assert.match((await ask(bridge, at + 1)).message, expected);
    await bridge.end();
    assert.ok(!bridge.written().includes(KEY));
    assert.equal(server.requests.length, replies.length);
  });
});

describe('limits through the bridge', () => {
  const metered = useMeteredService('sqlite');

  test('a reached rate limit says when to try again; calls of tools get the result that the service sends', async () => {
    const key = await metered.newKey();
    await metered.setWindow(key, 60);
    const bridge = startBridge(metered.service.url, key.secret);
    const { message, data } = await ask(bridge);
    assert.match(message, /Try again in 43 seconds\.$/);
    assert.deepEqual([data.status, data.code, data.retryAfter], [429, 'rate_limit_exceeded', 43]);
    bridge.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_countries', arguments: {} } });
    const { result } = (await bridge.replies(2))[1];
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, /^rate_limit_exceeded: /);
    await bridge.end();
    assert.ok(!bridge.written().includes(key.secret));
  });
});
