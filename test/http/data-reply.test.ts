import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe, type Mock, mock, test } from 'node:test';
import zlib from 'node:zlib';
import { readRange } from '../../src/api/exports.ts';
import { compress } from '../../src/base/system/compression.ts';
import { type DrainOptions, prepareDrain } from '../../src/http/drain.ts';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import type { IndexState } from '../../src/search/memory/overlay.ts';
import { toSearchQuery } from '../../src/search/parameters.ts';
import { importCompanies } from '../harness/entities.ts';
import { startHttp } from '../harness/http-server.ts';
import { startService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';
import { exchange, findHeader, openClient } from './pipelined-client.ts';

const ALL = undefined;
const NONE = 'unsatisfiable';
const part = (first: number, last: number) => ({ first, last });
const HUGE = '9'.repeat(400);

const CASES: readonly [string | undefined, number, ReturnType<typeof readRange>][] = [
  [undefined, 10, ALL],
  ['bytes=0-9', 10, part(0, 9)],
  ['bytes=0-0', 10, part(0, 0)],
  ['bytes=9-', 10, part(9, 9)],
  ['bytes=2-100', 10, part(2, 9)],
  ['BYTES= 2-3 ', 10, part(2, 3)],
  [`bytes=2-${HUGE}`, 10, part(2, 9)],
  ['bytes=-3', 10, part(7, 9)],
  ['bytes=-100', 10, part(0, 9)],
  ['bytes=10-', 10, NONE],
  ['bytes=10-20', 10, NONE],
  [`bytes=${HUGE}-`, 10, NONE],
  ['bytes=-0', 10, NONE],
  ['bytes=0-', 0, NONE],
  ['bytes=-5', 0, ALL],
  // Not valid, or not supported: the header is ignored.
  ['bytes=3-2', 10, ALL],
  ['bytes=-', 10, ALL],
  ['bytes=', 10, ALL],
  ['bytes', 10, ALL],
  ['bytes=a-b', 10, ALL],
  ['bytes=1', 10, ALL],
  ['bytes=+1-2', 10, ALL],
  ['bytes=0x1-2', 10, ALL],
  ['bytes=1.0-2', 10, ALL],
  ['bytes=0-1,3-4', 10, ALL],
  ['lines=0-1', 10, ALL],
  ['bytes=--1', 10, ALL],
];

for (const [header, size, expected] of CASES) {
  test(`Range: ${header?.slice(0, 30)} of ${size} bytes`, () => assert.deepEqual(readRange(header, size), expected));
}

const QUERY = toSearchQuery({ q: 'alpha', activityType: 'unlicensed', page: 1, pageSize: 25 });
/** The second one has a condition that is not met. */
const WAYS = ['', 'If-None-Match: "x"\r\n'];

describe('replies that are kept are compressed once', () => {
  const service = useService('sqlite');
  let key: string;
  let gzips: Mock<typeof zlib.gzipSync>;
  before(async () => {
    const companies = Array.from({ length: 25 }, (_, index) => company(`0000000${index}`.slice(-8), `ALPHA ${index}`));
    await importCompanies(service, companies);
    key = await service.findKey();
  });
  beforeEach(() => {
    gzips = mock.method(zlib, 'gzipSync');
  });
  afterEach(() => gzips.mock.restore());

  const send = (path: string, headers: string) =>
    exchange(service.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n${headers}\r\n`);

  for (const path of ['/api/v1/countries', '/api/v1/entities?q=alpha']) {
    test(path, async () => {
      const plain = await send(path, '');
      await send(path, '');
      assert.equal(gzips.mock.callCount(), 0, 'clients that do not ask for compression pay nothing');
      for (const way of [...WAYS, ...WAYS]) {
        const reply = await send(path, `Accept-Encoding: gzip\r\n${way}`);
        assert.equal(findHeader(reply, 'content-encoding'), 'gzip');
        assert.deepEqual(zlib.gunzipSync(reply.body), plain.body);
      }
      assert.equal(gzips.mock.callCount(), 1);
    });
  }

  /** How often a page is compressed while it is requested with all codings, in turn with other pages. */
  function compressions(state: IndexState, cacheBytes: number, others: number): number {
    const engine = createEngine(state, { cacheBytes });
    const compressed = new Set<unknown>();
    for (let time = 0; time < 4; time++) {
      compressed.add(compress(engine.find(QUERY).body, 'gzip'));
      for (let page = 2; page < 2 + others; page++) compress(engine.find({ ...QUERY, page }).body, 'gzip');
    }
    return compressed.size;
  }

  test('the compressed forms count as part of the cache, and are dropped with their page', async () => {
    const { promise, resolve } = Promise.withResolvers<IndexState>();
    service.services.search.onIndex?.(resolve);
    const state = await promise;
    // The first reply is not from the cache.
    assert.equal(compressions(state, 1_000_000, 2), 2);
    const body = createEngine(state).find(QUERY).body.byteLength;
    // A quarter of the memory is for replies. There is room for the page, but not for its compressed form.
    assert.equal(compressions(state, 4 * (body + 700), 0), 4);
  });
});

const HEAD = 'HTTP/1.1 200 OK\r\nX-Test: 1\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n';

/** The body `é`, as `createReplyWriter` passes it to Node. */
const BODIES = [
  ['text', 'é', 'utf8'],
  ['bytes', Buffer.from('é'), 'utf8'],
  ['bytes as text', Buffer.from('é').toString('latin1'), 'latin1'],
] as const;

describe('data replies', () => {
  for (const method of ['GET', 'HEAD']) {
    for (const [kind, body, encoding] of BODIES) {
      test(`Node sends \`_header\` instead of its own headers, in one write: ${method}, ${kind}`, async () => {
        let writes = 0;
        const closed = Promise.withResolvers<boolean>();
        await using server = await startHttp((_request, response) => {
          const { socket } = response;
          const handle = (socket as unknown as { _handle: Record<string, unknown> })._handle;
          for (const name of ['writev', 'writeBuffer', 'writeUtf8String', 'writeLatin1String', 'writeAsciiString']) {
            const write = handle[name] as (...args: unknown[]) => unknown;
            handle[name] = (...args: unknown[]) => {
              writes++;
              return write.apply(handle, args);
            };
          }
          response.on('close', () => closed.resolve(response.writableFinished));
          (response as typeof response & { _header: string })._header = HEAD;
          response.end(body, encoding);
        });
        const reply = await exchange(server.url, `${method} / HTTP/1.1\r\nHost: x\r\n\r\n`);
        const changed =
          'this release of Node treats `_header` differently: change createReplyWriter in src/http/reply.ts';
        const expected = HEAD.split('\r\n').slice(1, 4);
        assert.deepEqual(
          reply.headers.map(([name, value]) => `${name}: ${value}`),
          expected,
          changed,
        );
        assert.equal(reply.body.toString(), method === 'HEAD' ? '' : 'é', changed);
        assert.deepEqual([writes, await closed.promise], [1, true], changed);
      });
    }
  }

  test('spellings of a search that share a reply have their own ETag and Link, however often they alternate', async () => {
    await using service = await startService('sqlite');
    await importCompanies(service, [company('00000001', 'ALPHA ÉCOLE LTD')]);
    const key = await service.findKey();
    const seen = new Map<string, string>();
    for (const query of ['q=alpha', 'q=alpha&page=1', 'q=alpha&page=1', 'q=alpha', 'q=alpha']) {
      const reply = await exchange(
        service.url,
        `GET /api/v1/entities?${query} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`,
      );
      assert.equal(JSON.parse(reply.body.toString()).data[0].canonicalName, 'ALPHA ÉCOLE LTD');
      const own = `${findHeader(reply, 'etag')} ${findHeader(reply, 'link')}`;
      assert.equal(own, seen.get(query) ?? own);
      seen.set(query, own);
    }
    const [[tag] = '', [other] = ''] = [...seen.values()].map((text) => text.split(' '));
    assert.notEqual(tag, other);
  });

  test('a server that stops says so in replies to data requests, and answers what has begun', async () => {
    let drain: ((options: DrainOptions) => Promise<boolean>) | undefined;
    await using service = await startService('sqlite', {
      extend: (app) => {
        drain = prepareDrain(app);
      },
    });
    await importCompanies(service, [company('00000001', 'ALPHA LTD')]);
    const request = `GET /api/v1/entities?q=alpha HTTP/1.1\r\nHost: x\r\nX-API-Key: ${await service.findKey()}\r\n\r\n`;
    const client = openClient(service.url);
    client.write(request);
    await client.receive(1);
    const draining = drain?.({ lingerMs: 60_000, deadlineMs: 60_000 });
    client.write(request);
    const replies = await client.ended;
    assert.deepEqual(
      replies.map(({ status, headers }) => [status, headers.get('connection'), headers.get('keep-alive')]),
      [
        [200, 'keep-alive', 'timeout=72'],
        [200, 'close', null],
      ],
    );
    client.socket.end();
    assert.equal(await draining, true);
  });
});
