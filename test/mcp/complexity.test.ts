import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { limitsOf, useMeteredService } from '../api/metered-service.ts';
import { allowedMessages, complexMessages } from './complex-messages.ts';
import { callMessage, post, readJson } from './connect.ts';

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
