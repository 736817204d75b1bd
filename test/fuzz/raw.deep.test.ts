import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { isUuid } from '../../src/base/ids.ts';
import { anyCharacter } from '../harness/any-character.ts';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { importCompanies } from '../harness/entities.ts';
import { speakRaw } from '../harness/raw.ts';
import { startService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

/** Bytes that no client would send: every answer is a reply with a request id, and an error has its documented shape. */
const BATCH = 25;
/** Short, so that an incomplete request is answered within the test. */
const limits = { headersMs: 150, requestMs: 200, idleMs: 60_000, checkEveryMs: 20, guessDelayMs: 0 };

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});
const anyText = fc.string({ unit: anyCharacter, maxLength: 40 });
const awkward = fc.constantFrom(
  '%2e%2e/',
  '%00',
  '%zz',
  '%c0%af',
  '//',
  '/./',
  '/../',
  ';a=b',
  '%',
  '#',
  '\\',
  '*',
  ' ',
);
const method = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('GET', 'HEAD', ...METHODS) },
  { weight: 1, arbitrary: printable },
);
const names =
  'content-type accept x-request-id authorization x-api-key cookie if-none-match host range origin upgrade expect connection ' +
  'transfer-encoding content-length te accept-encoding';
const value = fc.constantFrom(
  'application/json',
  'chunked',
  '100-continue',
  'close',
  'upgrade',
  '-1',
  '5',
  'identity',
  '*',
);
const header = fc.oneof(
  fc.tuple(fc.constantFrom(...names.split(' ')), fc.oneof(printable, value)),
  fc.tuple(printable, anyText),
);
const body = fc.oneof(fc.constantFrom('', '['.repeat(5_000), '5\r\nhello\r\n0\r\n\r\n'), anyText, fc.json());

function target(paths: readonly string[]): fc.Arbitrary<string> {
  const path = fc.constantFrom(...paths);
  const mutated = fc
    .tuple(path, fc.nat(20), fc.oneof(awkward, printable))
    .map(([base, at, text]) => base.slice(0, at) + text + base.slice(at));
  const pair = fc.tuple(printable, fc.oneof(printable, awkward)).map((parts) => parts.join('='));
  const query = fc.array(pair, { maxLength: 4 });
  const withQuery = fc.tuple(path, query).map(([base, pairs]) => `${base}?${pairs.join('&')}`);
  return fc.oneof(path, withQuery, mutated, printable, fc.constant(`/${'a'.repeat(9_000)}`));
}

for (const engine of usualEngines) {
  test(`malformed methods, paths, headers, queries and bodies never cause a 5xx on ${engine}`, async () => {
    await using service = await startService(engine, { limits });
    await importCompanies(service, [company('07002000', 'SERIES LTD')]);
    const { paths } = JSON.parse((await service.client.get('/api/v1/openapi.json')).text);
    const { headers: session } = await service.signIn();
    const credentials = [
      `x-api-key: ${await service.findKey()}`,
      `authorization: Bearer ${await service.findKey()}`,
      `cookie: ${session.cookie}\r\norigin: ${service.url}`,
      'accept: */*',
    ];
    const own = ['/', '/docs', '/docs/errors/not_found', '/assets/app.css', '/nope', '/auth/logout', '/mcp'];
    const request = fc.record({
      method,
      target: target([...Object.keys(paths), ...own].map((path) => path.replace(/\{\w+\}/g, 'x'))),
      version: fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', ''),
      headers: fc.array(header, { maxLength: 6 }),
      body,
      hasLength: fc.boolean(),
      credential: fc.constantFrom(...credentials),
    });
    async function send({ method, target, version, headers, body, hasLength, credential }: Sent): Promise<void> {
      const lines = ['host: x', ...headers.map((pair) => pair.join(': ')), credential];
      if (hasLength) lines.push(`content-length: ${Buffer.byteLength(body, 'latin1')}`);
      const bytes = `${method} ${target} ${version}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
      const options = { timeoutMs: 30_000, quietMs: 60, head: method === 'HEAD' };
      const replies = await speakRaw(service.url, Buffer.from(bytes, 'latin1'), options);
      assert.ok(replies.length > 0, 'no answer');
      for (const { status, headers: received, text } of replies.filter((reply) => reply.status !== 100)) {
        // The service has no payment provider.
        const isExpected = status < 500 || text.includes('"billing_unavailable"');
        assert.ok(isExpected, `${status}: ${text}\n${service.logLines.slice(-3).join('')}`);
        assert.ok(isUuid(received.get('x-request-id') ?? ''), 'no request id');
        if (status >= 400 && text !== '')
          assert.deepEqual(Object.keys(JSON.parse(text).error).sort(), ['code', 'docs', 'message', 'requestId']);
      }
    }
    type Sent = typeof request extends fc.Arbitrary<infer Value> ? Value : never;
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: BATCH, maxLength: BATCH }), async (requests) => {
        await Promise.all(requests.map(send));
      }),
      { numRuns: runs(8, 80), endOnFailure: true },
    );
  });
}
