import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, type Mock, mock, test } from 'node:test';
import zlib from 'node:zlib';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import type { IndexState } from '../../src/search/memory/overlay.ts';
import { toSearchQuery } from '../../src/search/parameters.ts';
import { compress } from '../../src/system/compression.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { exchange, findHeader } from './exchange.ts';

const QUERY = toSearchQuery({ q: 'alpha', activityType: 'unlicensed', page: 1, pageSize: 25 });
/** The second one is answered by Fastify. */
const WAYS = ['', 'If-None-Match: "x"\r\n'];

describe('replies that are kept are compressed once', () => {
  let service: TestService;
  let key: string;
  let gzips: Mock<typeof zlib.gzipSync>;
  before(async () => {
    service = await startService('sqlite');
    const companies = Array.from({ length: 25 }, (_, index) => company(`0000000${index}`.slice(-8), `ALPHA ${index}`));
    await importCompanies(service, companies);
    key = await service.findKey();
  });
  after(() => service[Symbol.asyncDispose]());
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
