import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DETAIL, UNKNOWN } from '../api/metered-service.ts';
import { usualEngines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { exchange, findHeader, type SentReply } from './pipelined-client.ts';

/**
 * Plain data requests take a shorter way than all others. Both must send the same reply. A condition that cannot be met is never plain, so each
 * request is sent with and without one. test/operations/writers.test.ts compares charges, log lines and metrics.
 */
const CONDITION = 'If-None-Match: "x"';

/** Request lines without a version, and header lines. `$key` is the key. */
const PLAIN: readonly (readonly string[])[] = [
  ['GET /api/v1/countries', 'X-API-Key: $key'],
  ['HEAD /api/v1/countries', 'X-API-Key:   $key  '],
  ['GET /api/v1/entities', 'authorization: Bearer $key'],
  ['GET /api/v1/entities?q=alpha&page=2&pageSize=10&country=GB', 'X-API-Key: $key'],
  ['GET /api/v1/entities?pageSize=100', 'X-API-Key: $key', 'Accept-Encoding: gzip, br'],
  ['HEAD /api/v1/entities?q=%C5%81', 'X-API-Key: $key', 'Accept-Encoding: gzip, br'],
  [`GET ${DETAIL}`, 'X-API-Key: $key', 'X-Request-ID: no uuid', 'User-Agent: x', 'Accept: */*'],
  [`HEAD ${DETAIL.toUpperCase().replace('/API/V1/ENTITIES', '/api/v1/entities')}`, 'X-API-Key: $key'],
];

const OTHER: readonly (readonly string[])[] = [
  ...[
    '/api/v1/entities?q=%C5%81%C3%93d',
    ...['q=%E0%A4', 'q=%', 'q=a%00b', 'page=0', 'page=1e1', 'page=%31', 'x=1', 'q', '=', 'q=a#b', 'q=a;b'].map(
      (query) => `/api/v1/entities?${query}`,
    ),
    ...['__proto__=1', 'Q=a', 'q=a=b', 'q=a&q=b', ''].map((query) => `/api/v1/entities?${query}`),
    ...['?', '?x=1', '/', '/GB', '#x'].map((rest) => `/api/v1/countries${rest}`),
    ...['/', '?x=1', '?', '#x'].map((rest) => DETAIL + rest),
    ...[UNKNOWN, '/api/v1/entities/malformed', '/api/v1/entities/%E0%A4', '/api/v1/entities/', '/api/v1/Entities'],
    ...['//api/v1/entities', '/api/v1/entities%3Fq=a', '/api/v1/./entities', '/api/v1/entities/../countries'],
    ...['http://x/api/v1/entities', 'http://y/api/v1/entities'],
  ].flatMap((target) => ['GET', 'HEAD'].map((method) => [`${method} ${target}`, 'X-API-Key: $key'])),
  ...['frm_live_x', '', '$key\r\nX-API-Key: $key', 'x\r\nAuthorization: Bearer $key'].map((key) => [
    'GET /api/v1/entities?q=alpha',
    `X-API-Key: ${key}`,
  ]),
  ...['Bearer x', 'Basic $key', 'bearer  $key'].map((value) => ['GET /api/v1/countries', `Authorization: ${value}`]),
  ...['gzip', 'zstd', '*', 'gzip;q=0', 'identity;q=0, br', '*;q=0', ',,', 'x-gzip', 'br;q=0.5, gzip;q=1.0'].map(
    (value) => ['GET /api/v1/entities?pageSize=100', 'X-API-Key: $key', `Accept-Encoding: ${value}`],
  ),
  ...[
    ...[
      'Origin: https://pages.test',
      'Origin: https://other.test',
      'Expect: tea',
      'Connection: close',
      'Connection: TE',
    ],
    ...[
      'Content-Length: 0',
      'Range: bytes=0-3',
      'Accept: text/html',
      'Accept: text/csv',
      'Host: x',
      'Host: other.test',
    ],
  ].map((line) => ['GET /api/v1/entities?q=alpha', 'X-API-Key: $key', line]),
  ['POST /api/v1/countries', 'X-API-Key: $key', 'Content-Length: 0'],
  ['GET /api/v1/entities?q=alpha', 'X-API-Key: $key', 'X-Forwarded-For: 203.0.113.9'],
];

for (const engine of usualEngines) {
  for (const env of [{}, { TRUST_PROXY: '127.0.0.1', CORS_ORIGINS: 'https://pages.test' }]) {
    describe(`the data lane on ${engine} ${JSON.stringify(env)}`, () => {
      let service: TestService;
      let key = '';
      let others = 0;
      before(async () => {
        service = await startService(engine, {
          limits: { guessDelayMs: 0 },
          env: { PUBLIC_URL: 'http://registry.test', ...env },
          extend: (app) => void app.addHook('onRequest', async () => void others++),
        });
        // So many that a page of 100 is compressed in another thread.
        const rows = Array.from({ length: 110 }, (_, at) => {
          const name = at === 0 ? 'ALPHA LTD' : `ALPHA ${at} ŁÓDŹ & ${'VERY LONG NAME '.repeat(8)} CO LTD`;
          return company(String(at + 1).padStart(8, '0'), name);
        });
        await importCompanies(service, rows);
        key = await service.createKey();
      });
      after(() => service?.[Symbol.asyncDispose]());

      async function send([line, ...headers]: readonly string[]): Promise<SentReply> {
        service.clock.advance(1_000);
        const lines = [`${line} HTTP/1.1`, 'Host: x', ...headers, '\r\n'].join('\r\n');
        return exchange(service.url, lines.replaceAll('$key', key));
      }

      for (const [requests, isPlain] of [
        [PLAIN, true],
        [OTHER, false],
      ] as const) {
        test(`${requests.length} ${isPlain ? 'plain' : 'other'} requests get the same reply on both ways`, async () => {
          for (const request of requests) {
            const before = others;
            const short = await send(request);
            const where = JSON.stringify(request);
            if (isPlain) assert.deepEqual([short.status, others], [200, before], `${where} takes the lane`);
            const long = await send([...request, CONDITION]);
            if (isPlain) assert.equal(others, before + 1, `${where} with a condition does not take it`);
            assert.deepEqual(describeReply(short), describeReply(long), where);
          }
        });
      }
    });
  }
}

/** Without what differs between any two requests: ids, times, and what is left of the limits. */
function describeReply(reply: SentReply) {
  const isError = reply.status >= 400;
  const changing = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-monthly-quota-remaining'];
  if (isError && findHeader(reply, 'content-encoding') !== undefined) changing.push('content-length');
  const headers = reply.headers.map(([name, value]) => [
    name,
    changing.includes(name.toLowerCase()) ? '' : value.replace(/;[rt]=\d+/g, ''),
  ]);
  const body = reply.body.toString('latin1').replace(/"requestId":"[^"]+"/, '');
  const isCoded = isError && findHeader(reply, 'content-encoding') !== undefined;
  return [reply.statusLine, headers.toSorted(), isCoded ? '' : body];
}
