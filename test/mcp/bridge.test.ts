import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { runBridge } from '../../clients/typescript/src/cli/bridge/bridge.ts';
import { createApiKey } from '../../src/base/secrets.ts';
import { useMeteredService } from '../api/metered-service.ts';
import { startScript } from '../client/scripted-server.ts';
import { findFreePort } from '../harness/postgres-server.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
type Reply = any;

/** A bridge in this process. */
interface BridgeRun {
  send(...messages: unknown[]): void;
  /** Writes bytes as they are. */
  write(bytes: string | Uint8Array): void;
  /** Waits for that many replies in total, and returns all so far. */
  replies(count: number): Promise<Reply[]>;
  readonly notes: readonly string[];
  /** Everything that was written, to both streams. */
  written(): string;
  readonly output: PassThrough;
  stop(): void;
  /** Ends the input and waits for the bridge. */
  end(): Promise<void>;
  readonly ended: Promise<void>;
}

function startBridge(url: string, key: string): BridgeRun {
  const input = new PassThrough();
  const output = new PassThrough();
  const notes: string[] = [];
  const controller = new AbortController();
  let text = '';
  output.on('data', (chunk) => (text += chunk));
  const log = (note: string) => void notes.push(note);
  const ended = runBridge({ url, key, input, output, log, signal: controller.signal });
  const read = () => text.split('\n').slice(0, -1);
  return {
    send: (...messages) => void input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join('')),
    write: (bytes) => void input.write(bytes),
    async replies(count) {
      await until(`there are ${count} replies`, () => read().length >= count);
      return read().map((line) => JSON.parse(line));
    },
    notes,
    written: () => text + notes.join('\n'),
    output,
    stop: () => controller.abort(),
    end() {
      input.end();
      return ended;
    },
    ended,
  };
}

const KEY = 'frm_test_secretsecret';
const request = (id: unknown, method = 'tools/list', params?: object) => ({ jsonrpc: '2.0', id, method, params });
const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const JSON_TYPE = { 'content-type': 'application/json' };
const result = (id: unknown, value: object = {}) => JSON.stringify({ jsonrpc: '2.0', id, result: value });

describe('the bridge', () => {
  test('headers repeat a message of 2026-07-28, and after initialize the negotiated revision', async () => {
    await using server = await startScript((response) =>
      response.writeHead(200, JSON_TYPE).end(result(0, { protocolVersion: '2025-11-25' })),
    );
    const bridge = startBridge(`${server.url}/`, KEY);
    const messages = [
      request(1, 'tools/call', { name: 'search', _meta: META }),
      request(2, 'tools/call', { name: ' Größe', _meta: META }),
      request(3, 'server/discover', { name: 'x', _meta: META }),
      request(4, 'tools/list'),
      request(5, 'initialize', { protocolVersion: '2025-11-25' }),
      request(6, 'tools/call', { name: 'search' }),
      request(7, 'bad\r\nheader: x', { _meta: META }),
    ];
    for (const [at, message] of messages.entries()) {
      bridge.send(message);
      await bridge.replies(at + 1);
    }
    await bridge.end();
    const seen = server.requests.map(({ headers }) =>
      ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map((name) => headers[name]),
    );
    assert.deepEqual(seen, [
      ['2026-07-28', 'tools/call', 'search'],
      ['2026-07-28', 'tools/call', `=?base64?${Buffer.from(' Größe').toString('base64')}?=`],
      ['2026-07-28', 'server/discover', undefined],
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
      ['2025-11-25', undefined, undefined],
      ['2026-07-28', undefined, undefined],
    ]);
    for (const { method, url, headers } of server.requests) {
      assert.deepEqual([method, url, headers.authorization], ['POST', '/mcp', `Bearer ${KEY}`]);
      assert.equal(headers.accept, 'application/json, text/event-stream');
    }
  });

  test('a stream of events is passed on message by message, wherever it is cut', async () => {
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { text: 'ä' } };
    const stream = Buffer.from(
      `: hello\r\n\r\nevent: message\r\ndata: ${JSON.stringify(progress)}\r\n\r\ndata: {"jsonrpc":"2.0",\ndata: "id":1,"result":{}}\n\n`,
    );
    await using server = await startScript(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const byte of stream) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      response.end();
    });
    const bridge = startBridge(server.url, KEY);
    bridge.send(request(1));
    assert.deepEqual(await bridge.replies(2), [progress, { jsonrpc: '2.0', id: 1, result: {} }]);
    await bridge.end();
  });

  test('notifications get no reply, whatever the service says', async () => {
    await using server = await startScript((response, _request, count) => {
      if (count === 1) response.writeHead(202).end();
      else if (count === 2)
        response.writeHead(400, JSON_TYPE).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600}}');
      else response.writeHead(500).end();
    });
    const bridge = startBridge(server.url, KEY);
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    bridge.send(notification, notification, notification);
    await bridge.end();
    assert.deepEqual([server.requests.length, bridge.output.readableLength, bridge.notes.length], [3, 0, 2]);
    assert.deepEqual(await bridge.replies(0), []);
  });

  test('many requests run in parallel, and each gets its own reply', async () => {
    const waiting: (() => void)[] = [];
    await using server = await startScript((response, { headers }) => {
      waiting.push(() => response.writeHead(200, JSON_TYPE).end(result(Number(headers['mcp-name']))));
      // None is answered before all have arrived, and the last comes first.
      if (waiting.length === 90) for (const reply of waiting.reverse()) reply();
    });
    const bridge = startBridge(server.url, KEY);
    const ids = Array.from({ length: 90 }, (_, id) => id);
    bridge.send(...ids.map((id) => request(id, 'tools/call', { name: String(id), _meta: META })));
    const replies = await bridge.replies(90);
    assert.deepEqual(
      replies.map(({ id }) => id).toSorted((a, b) => a - b),
      ids,
    );
    await bridge.end();
  });

  test('a cancelled request is aborted and gets no reply; the id "1" is not the id 1', async () => {
    const closed: string[] = [];
    await using server = await startScript((response, { headers }) => {
      const name = String(headers['mcp-name']);
      response.on('close', () => closed.push(name));
      if (name === 'quick') response.writeHead(200, JSON_TYPE).end(result(2));
    });
    const bridge = startBridge(server.url, KEY);
    const call = (id: unknown, name: string) => request(id, 'tools/call', { name, _meta: META });
    bridge.send(call(1, 'number'), call('1', 'text'));
    await until('both have arrived', () => server.requests.length === 2);
    bridge.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await until('one is aborted', () => closed.length > 0);
    bridge.send(call(2, 'quick'), { jsonrpc: '2.0', method: 'notifications/cancelled' });
    assert.deepEqual(
      (await bridge.replies(1)).map(({ id }) => id),
      [2],
    );
    assert.equal(closed[0], 'number');
    assert.ok(!closed.includes('text'));
    bridge.stop();
    await bridge.ended;
    assert.equal(server.requests.length, 3);
    assert.equal((await bridge.replies(1)).length, 1);
  });

  test('lines that are not messages get an error, and the next one is read', async () => {
    await using server = await startScript((response) => response.writeHead(200, JSON_TYPE).end(result(9)));
    const bridge = startBridge(server.url, KEY);
    bridge.write('{"jsonrpc":\n\n   \nnull\n[]\n"text"\n{"jsonrpc":"2.0","id":{},"method":"ping"}\n');
    bridge.write(`"${'x'.repeat(5 * 2 ** 20)}`);
    bridge.write('"\n');
    const name = Buffer.from(`${JSON.stringify(request(9, 'ping', { text: 'Größe' }))}`);
    for (const byte of name) bridge.write(Buffer.of(byte));
    // The last line needs no line break.
    await bridge.end();
    const replies = await bridge.replies(7);
    assert.deepEqual(
      replies.slice(0, 6).map(({ id, error }) => [id, error.code]),
      [
        [null, -32_700],
        [null, -32_600],
        [null, -32_600],
        [null, -32_600],
        [null, -32_600],
        [null, -32_600],
      ],
    );
    assert.deepEqual([replies.length, replies[6].id, server.requests.length], [7, 9, 1]);
  });

  test('the end of the input waits for what is in flight', async () => {
    let reply = () => {};
    await using server = await startScript((response) => {
      reply = () => response.writeHead(200, JSON_TYPE).end(result(1));
    });
    const bridge = startBridge(server.url, KEY);
    bridge.send(request(1));
    await until('it has arrived', () => server.requests.length === 1);
    const ended = bridge.end();
    reply();
    await ended;
    assert.equal((await bridge.replies(1))[0].id, 1);
  });

  test('a reader that has gone ends it', async () => {
    await using server = await startScript(() => {});
    const bridge = startBridge(server.url, KEY);
    bridge.send(request(1));
    await until('it has arrived', () => server.requests.length === 1);
    bridge.output.destroy(new Error('EPIPE'));
    await bridge.ended;
  });
});

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

async function ask(bridge: BridgeRun, count = 1) {
  bridge.send(LIST);
  const { id, error } = (await bridge.replies(count))[count - 1];
  assert.equal(id, 1);
  return error;
}

describe('errors of the bridge say what to do, and it keeps running', () => {
  const service = useService('sqlite', { limits: { guessDelayMs: 0 } });

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
