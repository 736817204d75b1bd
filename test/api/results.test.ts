import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { summaryNames } from '../../src/base/entity-summary.ts';
import { parseCsv } from '../exports/parse-csv.ts';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { importCompanies } from '../harness/entities.ts';
import type { TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { use } from '../harness/use.ts';
import { company } from '../registry/gb-file.ts';
import { holdResults, openFile, ROWS, startWithResults, useKeys } from './result-service.ts';

const PATH = '/api/v1/entities';
const close = (service: TestService) => service[Symbol.asyncDispose]();

describeOn(usualEngines, 'search results as files', (engine) => {
  const service = use(() => startWithResults(engine), close);

  const get = (query: string, accept: string, headers: Record<string, string> = {}) =>
    service.client.get(`${PATH}?${query}`, { headers: { accept, ...headers } });

  /** A client has the last byte of a file a moment before its slot is free, and an account may have only one. */
  async function getWhole(search: string, accept: string) {
    await service.executor.whenDelivered();
    return await get(`${search}&page=all`, accept);
  }

  /** The cells of CSV as values of JSON: an apostrophe in front of a formula is removed. */
  function readRecords(text: string): Record<string, string | null>[] {
    const [header = [], ...rows] = parseCsv(text);
    assert.deepEqual(header, summaryNames);
    return rows.map((cells) =>
      Object.fromEntries(cells.map((cell, at) => [header[at], cell === '' ? null : restore(cell)])),
    );
  }
  const restore = (cell: string) => (/^'\s*[=+\-@＝]/.test(cell) ? cell.slice(1) : cell);

  test('random queries: a page has the same companies in all formats, and so has the whole result', async () => {
    const query = fc.record({
      q: fc.constantFrom('', 'a', 'all', 'alpha', 'beta 1', '1', '00000', '"', '=', 'lines', 'nothing at all'),
      filter: fc.constantFrom(
        ...['', '&status=active', '&country=gb&register=gb', '&country=no', '&sort=-registeredAt', '&sort=-updatedAt'],
        '&registeredFrom=2003-01-01&registeredTo=2020-12-31&sort=-registeredAt',
      ),
      pageSize: fc.integer({ min: 1, max: 100 }),
      page: fc.integer({ min: 1, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ q, filter, pageSize, page }) => {
        service.clock.advance(60_000);
        const search = `q=${encodeURIComponent(q)}${filter}`;
        const asked = `${search}&page=${page}&pageSize=${pageSize}`;
        const [json, csv, ndjson] = await Promise.all([
          get(asked, 'application/json'),
          get(asked, 'text/csv'),
          get(asked, 'application/x-ndjson'),
        ]);
        const { data, meta } = json.body;
        assert.deepEqual(readRecords(csv.text), data);
        const lines = ndjson.text.split('\n').slice(0, -1);
        assert.equal(`{"data":[${lines.join(',')}],"meta":${JSON.stringify(meta)}}`, json.text);
        for (const reply of [csv, ndjson]) {
          const shown = ['x-page', 'x-page-size', 'x-page-count', 'x-total-count'].map((name) =>
            reply.headers.get(name),
          );
          assert.deepEqual(shown.map(Number), [meta.page, meta.pageSize, meta.pageCount, meta.total]);
        }
        const pages = [];
        for (let at = 1; at <= Math.ceil(meta.total / 100); at++) {
          pages.push((await get(`${search}&page=${at}&pageSize=100`, 'application/ndjson')).text);
        }
        const whole = await getWhole(search, 'application/x-ndjson');
        assert.equal(whole.text, pages.join(''));
        assert.equal(whole.headers.get('x-total-count'), String(meta.total));
        const wholeCsv = await getWhole(search, 'text/csv');
        assert.equal(readRecords(wholeCsv.text).length, meta.total);
        assert.deepEqual(
          readRecords(wholeCsv.text),
          whole.text
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line)),
        );
      }),
      { numRuns: runs(12, 150), endOnFailure: true },
    );
  });

  test('Accept decides: files have to be named, and everything else gets JSON', async () => {
    service.clock.advance(60_000);
    const typeOf = async (accept: string) => (await get('q=alpha&pageSize=1', accept)).headers.get('content-type');
    const expected: Record<string, RegExp> = {
      '*/*': /json;/,
      'text/*': /json;/,
      'text/html,application/xhtml+xml,*/*;q=0.8': /json;/,
      'application/vnd.unknown': /json;/,
      'text/csv': /^text\/csv; charset=utf-8; header=present$/,
      'TEXT/CSV; header=present': /csv/,
      'text/csv, */*': /csv/,
      'text/csv;q=0.5, */*;q=0.8': /json;/,
      'text/csv;q=0.5, application/json': /json;/,
      'application/json, text/csv': /json;/,
      'application/json;q=0.9, text/csv': /csv/,
      'text/csv;q=0': /json;/,
      'text/csv;q=nonsense': /json;/,
      'application/ndjson': /^application\/x-ndjson; charset=utf-8$/,
      'text/csv;q=0.1, application/x-ndjson;q=0.2': /x-ndjson/,
    };
    for (const [accept, type] of Object.entries(expected)) assert.match((await typeOf(accept)) ?? '', type, accept);
    const record = await get('q=alpha&pageSize=1', 'application/json');
    const detail = await service.client.get(`${PATH}/${record.body.data[0].id}`, { headers: { accept: 'text/csv' } });
    assert.match(detail.headers.get('content-type') ?? '', /^application\/json/);
  });

  test('every format has its own ETag and all say Vary: Accept, compressed or not; HEAD has the same headers', async () => {
    service.clock.advance(60_000);
    const tags = new Set<string>();
    for (const accept of ['application/json', 'text/csv', 'application/x-ndjson']) {
      for (const encoding of ['identity', 'gzip']) {
        const headers = { 'accept-encoding': encoding };
        const reply = await get('q=all&pageSize=100', accept, headers);
        assert.match(reply.headers.get('vary') ?? '', /(^|, )Accept(,|$)/);
        assert.equal(reply.headers.get('content-encoding'), encoding === 'gzip' ? 'gzip' : null);
        const tag = reply.headers.get('etag') ?? '';
        tags.add(tag);
        const known = await get('q=all&pageSize=100', accept, { ...headers, 'if-none-match': tag });
        assert.equal(known.status, 304);
        assert.match(known.headers.get('vary') ?? '', /(^|, )Accept(,|$)/);
        const head = await service.client.request('HEAD', `${PATH}?q=all&pageSize=100`, {
          headers: { accept, ...headers },
        });
        for (const name of ['etag', 'content-type', 'content-length', 'x-total-count', 'x-page', 'vary']) {
          assert.equal(head.headers.get(name), reply.headers.get(name), `${accept} ${encoding} ${name}`);
        }
      }
      const other = await get('q=all&pageSize=100', accept, {
        'if-none-match': [...tags].slice(0, -2).join(', ') || '"x"',
      });
      assert.equal(other.status, 200, 'a tag of another format is not current');
    }
    assert.equal(tags.size, 6);
    assert.match((await get('page=0', 'text/csv')).headers.get('vary') ?? '', /(^|, )Accept(,|$)/);
  });
});

const ALL = '/api/v1/entities?q=all&page=all';
/** What the whole result costs. */
const COST = Math.ceil(ROWS / 100);
/** The test waits after two parts of 200 rows. */
const HELD_ROWS = 400;

describeOn(usualEngines, 'whole results', (engine) => {
  const service = use(() => startWithResults(engine), close);
  beforeEach(async () => {
    await service.executor.whenDelivered();
    service.clock.advance(60_000);
  });

  const { newKey, usedBy, leave } = useKeys(() => service);
  const getNow = (path: string, { key }: { key: string }, headers: Record<string, string> = { accept: 'text/csv' }) =>
    service.client.get(path, { headers: { 'x-api-key': key, ...headers } });
  /** A client has the last byte of a file a moment before its slot is free. With the search by SQL there are two slots. */
  const get: typeof getNow = async (...request) => {
    await service.executor.whenDelivered();
    return await getNow(...request);
  };

  test('costs one request per 100 rows and one of the rate window; an empty result costs one', async () => {
    const owner = await newKey();
    const reply = await get(ALL, owner);
    assert.equal(reply.headers.get('x-total-count'), String(ROWS));
    assert.equal(reply.headers.get('x-monthly-quota-remaining'), String(owner.caller.plan.monthlyRequests - COST));
    assert.equal(reply.headers.get('x-ratelimit-remaining'), String(owner.caller.plan.requestsPerMinute - 1));
    assert.equal(reply.headers.get('content-length'), null);
    assert.equal(await usedBy(owner), COST);
    const empty = await get('/api/v1/entities?q=nothing&page=all', owner, { accept: 'application/x-ndjson' });
    assert.deepEqual([empty.status, empty.text, empty.headers.get('x-total-count')], [200, '', '0']);
    assert.equal(await usedBy(owner), COST + 1);
    const tag = reply.headers.get('etag') ?? '';
    const known = await get(ALL, owner, { accept: 'text/csv', 'if-none-match': tag });
    assert.deepEqual([known.status, known.headers.get('etag')], [304, tag]);
    assert.equal((await get(ALL, owner, { accept: 'application/x-ndjson', 'if-none-match': tag })).status, 200);
    assert.equal(await usedBy(owner), 2 * COST + 1, 'a file that the client has is free');
    const { daily, used } = await service.services.meter.readUsage(owner.caller);
    assert.equal(
      daily.reduce((sum, { requests }) => sum + requests, 0),
      used,
    );
  });

  test('HEAD says how many rows there are, sends none and costs one request', async () => {
    const owner = await newKey();
    await leave(owner, COST - 1);
    const headers = { 'x-api-key': owner.key, accept: 'text/csv' };
    const head = await service.client.request('HEAD', ALL, { headers });
    assert.deepEqual([head.status, head.headers.get('x-total-count')], [200, String(ROWS)]);
    assert.equal(head.headers.get('content-length'), null);
    assert.equal(await usedBy(owner), owner.caller.plan.monthlyRequests - COST + 2);
    const other = await newKey();
    const { headers: ofGet } = await get(ALL, other);
    for (const name of ['etag', 'content-type', 'vary', 'cache-control']) {
      assert.equal(head.headers.get(name), ofGet.get(name), name);
    }
  });

  test('JSON is refused with the types to send, the free plan with plan_required; both cost nothing', async () => {
    const owner = await newKey();
    const json = await get(ALL, owner, {});
    assert.equal(json.status, 400);
    assert.match(json.body.error.message, /"Accept: text\/csv" or "Accept: application\/x-ndjson"/);
    const free = await newKey('free');
    const refused = await get(ALL, free);
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'plan_required']);
    assert.equal(refused.headers.get('x-ratelimit-remaining'), String(free.caller.plan.requestsPerMinute - 1));
    const page = await get('/api/v1/entities?q=all&page=2', free);
    assert.equal(page.status, 200, 'pages are for all plans');
    assert.deepEqual([await usedBy(owner), await usedBy(free)], [0, 1]);
    for (const invalid of ['page=all&page=1', 'page=All', 'page=all&pageSize=0']) {
      assert.equal((await get(`/api/v1/entities?${invalid}`, owner)).status, 400, invalid);
    }
  });

  test('is refused before the first byte if the quota does not reach, even if a part of it would', async () => {
    const owner = await newKey();
    await leave(owner, COST - 1);
    const reply = await get(ALL, owner);
    assert.deepEqual([reply.status, reply.body.error.code], [403, 'insufficient_quota']);
    assert.match(reply.body.error.message, new RegExp(`costs ${COST} requests.* ${COST - 1} are left`));
    assert.equal(reply.headers.get('retry-after'), null, 'waiting does not help, and the quota still pays for others');
    assert.equal(reply.headers.get('x-monthly-quota-remaining'), String(COST - 1));
    assert.equal(await usedBy(owner), owner.caller.plan.monthlyRequests - COST + 1);
    assert.equal((await get('/api/v1/entities?q=all&status=active&page=all', owner)).status, 200, 'a smaller one fits');
    await service.services.meter.takeUnits(owner.caller, 1);
    const usedUp = await get(ALL, owner);
    assert.deepEqual([usedUp.status, usedUp.body.error.code], [429, 'monthly_quota_exceeded']);
    assert.notEqual(usedUp.headers.get('retry-after'), null);
  });

  test('a client that vanishes gets back what was not sent, others in parallel do not; a bounded number per account', async () => {
    const owner = await newKey();
    const gate = holdResults(service, 2);
    const gone = await openFile(service.url + ALL, owner.key);
    const stays = await openFile(service.url + ALL, owner.key);
    await until('both results are held', () => gate.waiting() === 2);
    assert.equal(await usedBy(owner), 2 * COST);
    const refused = await getNow(ALL, owner);
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'concurrency_limit_exceeded']);
    assert.match(refused.body.error.message, /already has 2 downloads/);
    assert.ok(Number(refused.headers.get('retry-after')) <= 10);
    assert.ok(Number(refused.headers.get('x-ratelimit-remaining')) > 0);
    await until('400 rows have arrived', () => gone.text().split('\r\n').length > HELD_ROWS);
    gone.leave();
    assert.equal((await getNow('/api/v1/entities?q=all', owner)).status, 200);
    gate.open();
    assert.equal((await stays.complete).split('\r\n').length > ROWS, true);
    const kept = HELD_ROWS / 100;
    const others = 1 + COST;
    await until('the refund', async () => (await usedBy(owner)) <= others + kept + 2);
    // If the server has not noticed yet that the client left, it hands over one more part.
    assert.ok([kept, kept + 2].includes((await usedBy(owner)) - others), `used ${await usedBy(owner)}`);
    assert.equal((await get(ALL, owner)).status, 200, 'the slots are free again');
  });

  test('the file is the one of its start while imports change the data', async () => {
    const owner = await newKey('business');
    const before = (await get(ALL, owner)).text;
    await service.executor.whenDelivered();
    const gate = holdResults(service, 1);
    const file = await openFile(service.url + ALL, owner.key);
    await until('the result is held', () => gate.waiting() === 1);
    for (const turn of [1, 2]) {
      const changed = [400, 500, 600].map((at) =>
        company(String(at).padStart(8, '0'), `RENAMED ${turn} ${at} ALL LTD`),
      );
      await importCompanies(service, [...changed, company(`9000000${turn}`, `AAA NEW ${turn} ALL LTD`)]);
    }
    const now = await getNow('/api/v1/entities?q=all', owner, {});
    assert.equal(now.body.meta.total, ROWS + 2);
    gate.open();
    // `fetch` removes the byte order mark.
    assert.ok((await file.complete) === `\ufeff${before}`, 'the file changed');
    assert.equal(file.response.headers['x-total-count'], String(ROWS));
    assert.ok((await get(ALL, owner)).text !== before, 'the next file has the changes');
  });

  test('when the server stops, the connection is cut and the rest is refunded before the database closes', async () => {
    const owner = await newKey();
    const gate = holdResults(service, 2);
    const file = await openFile(service.url + ALL, owner.key);
    await until('the result is held', () => gate.waiting() === 1);
    await until('400 rows have arrived', () => file.text().split('\r\n').length > HELD_ROWS);
    service.app.server.closeAllConnections();
    await assert.rejects(file.complete, 'a file that is cut off must not look complete');
    gate.open();
    await service.app.close();
    assert.equal(await usedBy(owner), HELD_ROWS / 100);
  });
});
