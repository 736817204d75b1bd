import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isUuid } from '../src/core/ids.ts';
import { anyCharacter } from './harness/any-character.ts';
import { createContractCheck } from './harness/contract-check.ts';
import { type Engine, engines } from './harness/databases.ts';
import { runs } from './harness/depth.ts';
import { importCompanies } from './harness/entities.ts';
import { type RawReply, speakRaw } from './harness/raw.ts';
import { startService, type TestService } from './harness/service.ts';
import { until } from './harness/until.ts';
import { company } from './registry/gb-file.ts';

const REQUESTS_PER_RUN = 25;
/** Most of these requests do not reach the database. */
const RUNS: Readonly<Record<Engine, number>> = { sqlite: runs(20, 400), postgres: runs(6, 400) };
const SEARCH_RUNS: Readonly<Record<Engine, number>> = { sqlite: runs(15, 300), postgres: runs(6, 300) };
/** Short, so that an incomplete request is answered within the test. */
const limits = { headersMs: 150, requestMs: 200, idleMs: 60_000, checkEveryMs: 20, guessDelayMs: 0 };

type Check = ReturnType<typeof createContractCheck>;

interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly bytes: string;
}

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});
const anyText = fc.string({ unit: anyCharacter, maxLength: 40 });
const method = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('GET', 'HEAD') },
  { weight: 6, arbitrary: fc.constantFrom(...METHODS) },
  { weight: 1, arbitrary: printable },
);

/** Not `fc.webUrl`, which takes a second of processor time to set up. */
const address = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), printable)
  .map(([scheme, host, path]) => `${scheme}://${host}/${path}`);

function target(paths: readonly string[]): fc.Arbitrary<string> {
  const path = fc.constantFrom(...paths);
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
  const mutated = fc
    .tuple(path, fc.nat(20), fc.oneof(awkward, printable))
    .map(([base, at, text]) => base.slice(0, at) + text + base.slice(at));
  const query = fc.array(
    fc.tuple(printable, fc.oneof(printable, awkward)).map((pair) => pair.join('=')),
    { maxLength: 4 },
  );
  const withQuery = fc.tuple(path, query).map(([base, pairs]) => `${base}?${pairs.join('&')}`);
  const endless = fc.constant(`/${'a'.repeat(9_000)}`);
  return fc.oneof(path, withQuery, search, mutated, fc.oneof(printable, address), endless);
}

/** Searches with existing parameters. Most values are valid, the others are arbitrary. */
const search = fc
  .record(
    {
      q: mostly(anyText, 'series', 'SERIES 1', '0700', '070-02 000', 'BE0760701219', '&', '.'),
      country: mostly(anyText, 'GB', 'gb', 'ZZ'),
      register: mostly(anyText, 'gb', 'GB'),
      status: mostly(printable, 'active', 'dissolved'),
      legalFormCode: mostly(anyText, 'AS'),
      legalForm: mostly(anyText, 'Private Limited Company'),
      activity: mostly(anyText, '10710'),
      elf: mostly(printable, 'H0PO', 'H0PO,B6ES'),
      legalFormClass: mostly(printable, 'limited_company', 'other,branch'),
      isic: mostly(printable, 'C', '10', '1071,J'),
      activityType: mostly(printable, 'unlicensed', 'licensed'),
      page: mostly(printable, '1', '2', '0', '1e3', '9007199254740991'),
      pageSize: mostly(printable, '1', '7', '100', '101'),
    },
    { requiredKeys: [] },
  )
  .map((parameters) => `/api/v1/entities?${new URLSearchParams(parameters)}`);

function mostly(other: fc.Arbitrary<string>, ...plausible: string[]): fc.Arbitrary<string> {
  return fc.oneof({ weight: 15, arbitrary: fc.constantFrom(...plausible) }, { weight: 1, arbitrary: other });
}

const headers = fc.array(
  fc.oneof(
    fc.tuple(
      fc.constantFrom(
        'content-type',
        'accept',
        'x-request-id',
        'authorization',
        'x-api-key',
        'cookie',
        'if-none-match',
        'host',
        'range',
        'origin',
        'upgrade',
        'expect',
        'connection',
        'transfer-encoding',
        'content-length',
        'te',
        'accept-encoding',
      ),
      fc.oneof(
        printable,
        fc.constantFrom(
          'application/json',
          'chunked',
          '100-continue',
          'close',
          'upgrade',
          'websocket',
          '-1',
          '5',
          'identity',
          '*',
        ),
      ),
    ),
    fc.tuple(printable, anyText),
  ),
  { maxLength: 6 },
);

const body = fc.oneof(
  fc.constant(''),
  anyText,
  fc.json(),
  fc.constant('['.repeat(5_000)),
  fc.constant('5\r\nhello\r\n0\r\n\r\n'),
);

/** Most requests have valid credentials; otherwise they would all end with 401. */
function rawRequest(paths: readonly string[], credentials: readonly string[]): fc.Arbitrary<RawRequest> {
  const shape = fc.record({
    method,
    target: target(paths),
    version: fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', ''),
    headers,
    body,
    length: fc.boolean(),
    credentials: fc.option(fc.constantFrom(...credentials), { freq: 6, nil: undefined }),
  });
  return shape.map((part) => {
    const lines = ['host: x', ...part.headers.map(([name, value]) => `${name}: ${value}`)];
    if (part.credentials !== undefined) lines.push(part.credentials);
    if (part.length) lines.push(`content-length: ${Buffer.byteLength(part.body, 'latin1')}`);
    const text = `${part.method} ${part.target} ${part.version}\r\n${lines.join('\r\n')}\r\n\r\n${part.body}`;
    return { method: part.method, target: part.target, bytes: text };
  });
}

function checkReply(
  service: TestService,
  check: Check,
  { method, target }: RawRequest,
  reply: RawReply,
  isFirst: boolean,
): void {
  assert.ok(reply.status < 500, `${reply.status}: ${reply.text}\n${service.logLines.slice(-3).join('')}`);
  assert.ok(isUuid(reply.headers.get('x-request-id') ?? ''), 'no request id');
  const isHead = isFirst && method === 'HEAD' && reply.text === '';
  if (reply.status >= 400 && !isHead) {
    const { error } = JSON.parse(reply.text);
    assert.deepEqual(Object.keys(error).sort(), ['code', 'docs', 'message', 'requestId']);
  }
  const isKnown = isFirst && reply.status === 200 && target.startsWith('/api/');
  // For the server the URL ends at a space or a fragment.
  if (isKnown)
    check(method, target.split(/[ #]/, 1)[0] ?? '', {
      ...reply,
      text: isHead ? '' : reply.text,
      body: isHead ? undefined : JSON.parse(reply.text),
    });
}

const companies = Array.from({ length: 30 }, (_, index) => company(`0700${2000 + index}`, `SERIES ${index} LTD`));

async function send(service: TestService, check: Check, each: RawRequest): Promise<number> {
  const head = each.method === 'HEAD';
  const replies = await speakRaw(service.url, Buffer.from(each.bytes, 'latin1'), {
    timeoutMs: 30_000,
    quietMs: 60,
    head,
  });
  assert.ok(replies.length > 0, 'no answer');
  const final = replies.filter(({ status }) => status !== 100);
  for (const [index, reply] of final.entries()) checkReply(service, check, each, reply, index === 0);
  return replies.length;
}

/** A busy machine may take longer to send a request than the short limits of this test allow. */
async function getPatiently({ client }: TestService, path: string) {
  let reply = await client.get(path);
  await until(`${path} is answered`, async () => {
    if (reply.status !== 200) reply = await client.get(path);
    return reply.status === 200;
  });
  return reply;
}

for (const engine of engines) {
  describe(`fuzz on ${engine}`, () => {
    test('malformed methods, paths, headers, queries and bodies never cause a 5xx or an undeclared reply', async () => {
      await using service = await startService(engine, { limits });
      await importCompanies(service, companies);
      const [known] = (await getPatiently(service, '/api/v1/entities')).body.data;
      const contract = JSON.parse((await getPatiently(service, '/api/v1/openapi.json')).text);
      const check = createContractCheck(contract);
      const paths = [
        ...Object.keys(contract.paths),
        '/',
        '/docs',
        '/docs/errors',
        '/docs/errors/not_found',
        '/assets/app.css',
        '/nope',
        '/auth/logout',
        `/api/v1/entities/${known.id}`,
        '/api/v1/entities/00000000-0000-5000-8000-000000000000',
      ];
      const { headers: session } = await service.signIn();
      const credentials = [
        `x-api-key: ${await service.findKey()}`,
        `authorization: Bearer ${await service.findKey()}`,
        `cookie: ${session.cookie}\r\norigin: ${service.url}`,
      ];
      const targets = paths.map((path) => path.replace(/\{\w+\}/g, 'x'));
      let replies = 0;
      const length = { minLength: REQUESTS_PER_RUN, maxLength: REQUESTS_PER_RUN };
      const batch = fc.array(rawRequest(targets, credentials), length);
      await fc.assert(
        fc.asyncProperty(batch, async (requests) => {
          await Promise.all(
            requests.map(async (each) => {
              try {
                const count = await send(service, check, each);
                replies += count;
              } catch (error) {
                throw new Error(`${JSON.stringify(each.bytes.slice(0, 600))}: ${error}`);
              }
            }),
          );
        }),
        { numRuns: RUNS[engine], endOnFailure: true },
      );
      assert.ok(replies >= RUNS[engine] * REQUESTS_PER_RUN);
      await getPatiently(service, '/api/v1/health/ready');
    });

    test('searches for any text never cause a 5xx or an undeclared reply', async () => {
      await using service = await startService(engine);
      await importCompanies(service, companies);
      const counts = new Map<number, number>();
      await fc.assert(
        fc.asyncProperty(fc.array(search, { minLength: 20, maxLength: 20 }), async (targets) => {
          for (const { status } of await Promise.all(targets.map((each) => service.client.get(each)))) {
            counts.set(status, (counts.get(status) ?? 0) + 1);
          }
        }),
        { numRuns: SEARCH_RUNS[engine], endOnFailure: true },
      );
      assert.deepEqual([...counts.keys()].sort(), [200, 400]);
    });
  });
}
