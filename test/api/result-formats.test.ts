import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { summaryNames } from '../../src/core/entity-summary.ts';
import { runs } from '../harness/depth.ts';
import { parseCsv } from '../harness/parse-csv.ts';
import type { TestService } from '../harness/service.ts';
import { ROWS, setups, startWithResults } from './result-service.ts';

const PATH = '/api/v1/entities';

for (const setup of setups) {
  describe(`search results as files, ${setup.name}`, () => {
    let service: TestService;
    before(async () => {
      service = await startWithResults(setup);
    });
    after(() => service[Symbol.asyncDispose]());

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
          ...[
            '',
            '&status=active',
            '&country=gb&register=gb',
            '&country=no',
            '&sort=-registeredAt',
            '&sort=-updatedAt',
          ],
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

    test('names that a spreadsheet would run, and names with quotes and line breaks', async () => {
      service.clock.advance(60_000);
      const { text } = await getWhole('q=all', 'text/csv');
      const names = parseCsv(text).map((cells) => cells[summaryNames.indexOf('canonicalName')] ?? '');
      assert.equal(names.length, ROWS + 1);
      assert.ok(names.includes('A "quoted" name ALL'));
      assert.ok(names.some((name) => name.includes('TWO') && name.includes('LINES')));
      assert.ok(names.some((name) => name.startsWith(`'=cmd|"/c calc"!A1`)));
      assert.deepEqual(
        names.filter((name) => /^\s*[=+\-@＝]/.test(name)),
        [],
      );
    });
  });
}
