import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { engines } from '../harness/databases.ts';
import { isDeep, runs } from '../harness/depth.ts';
import { useLanePair } from './lane-pair.ts';
import { laneRequest } from './lane-requests.ts';

/** Request lines without a version, and header lines. */
const PLAIN = [
  ['GET /api/v1/countries'],
  ['HEAD /api/v1/countries'],
  ['GET /api/v1/entities'],
  ['GET /api/v1/entities?q=alpha&page=2&pageSize=10&country=GB'],
  ['HEAD /api/v1/entities?q=%C5%81', 'Accept-Encoding: gzip, br'],
  [
    'GET /api/v1/entities/8cfb7733-0cb1-511b-8310-bbbf2455fb10',
    'X-Request-ID: no uuid',
    'User-Agent: x',
    'Accept: */*',
  ],
  ['HEAD /api/v1/entities/8CFB7733-0CB1-511B-8310-BBBF2455FB10', 'Connection: keep-alive'],
];

const writeRequest = ([line, ...headers]: readonly string[], key: string) =>
  [`${line} HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`, ...headers, '\r\n'].join('\r\n');

const PROXIED = { TRUST_PROXY: '127.0.0.1', CORS_ORIGINS: 'https://pages.test' };

for (const engine of engines) {
  for (const env of isDeep ? [{}, PROXIED] : [engine === 'sqlite' ? {} : PROXIED]) {
    describe(`the data lane on ${engine} ${JSON.stringify(env)}`, () => {
      const pair = useLanePair(engine, { env });

      test('any request leaves the same reply, log line, metric and charges with the lane as without it', async () => {
        const { withLane, withoutLane } = pair();
        await fc.assert(
          fc.asyncProperty(laneRequest, async (request) => {
            const [shortened, whole] = await Promise.all(
              [withLane, withoutLane].map(({ send, keys }) => send(request.write(keys), request.requestId)),
            );
            assert.deepEqual(shortened, whole);
            assert.equal(whole?.lines.length, 1);
          }),
          { numRuns: runs(120, 20_000) },
        );
        assert.deepEqual(await withLane.readCounts(), await withoutLane.readCounts());
        assert.deepEqual(await withLane.readMetrics(), await withoutLane.readMetrics());
      });

      for (const request of PLAIN) {
        test(`${JSON.stringify(request)} takes the lane`, async () => {
          const { send, keys, ofFastify } = pair().withLane;
          const before = ofFastify();
          const { statusLine } = await send(writeRequest(request, keys.good), undefined);
          assert.deepEqual([statusLine, ofFastify() - before], ['HTTP/1.1 200 OK', 0]);
        });
      }
    });
  }
}
