import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { writePageLinks } from '../../src/http/charged/page-links.ts';
import { anyCharacter } from '../harness/any-character.ts';
import { usualEngines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

const BASE = 'http://registry.test/api/v1/entities';
const COMPANIES = Array.from({ length: 7 }, (_, at) => company(`0000000${at}`, `A & B ${at} "ŁÓDŹ" LTD`));

/** The targets by relation, resolved like a client does it. */
function readLinks(header: string | null): Record<string, URL> {
  const links = (header ?? '').matchAll(/<([^<>]*)>; rel="(\w+)"(?:, |$)/g);
  return Object.fromEntries([...links].map(([, target = '', relation = '']) => [relation, new URL(target, BASE)]));
}

const readPages = (header: string | null) =>
  Object.fromEntries(
    Object.entries(readLinks(header)).map(([relation, { searchParams }]) => [relation, searchParams.get('page')]),
  );

for (const engine of usualEngines) {
  describe(`Link headers of searches on ${engine}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(engine);
      await importCompanies(service, COMPANIES);
    });
    after(() => service[Symbol.asyncDispose]());
    const get = (query: string, headers: Record<string, string> = {}) =>
      service.client.get(`/api/v1/entities${query}`, { headers });

    test('following next from the first page, and prev from the last, gives every company once', async () => {
      const walk = async (query: string, relation: string) => {
        const ids: string[] = [];
        for (let at: string | undefined = query; at !== undefined; ) {
          const { body, headers }: Awaited<ReturnType<typeof get>> = await get(at);
          ids.push(...body.data.map(({ id }: { id: string }) => id));
          at = readLinks(headers.get('link'))[relation]?.search;
        }
        assert.equal(new Set(ids).size, ids.length);
        return ids;
      };
      const query = '?q=a+%26+b&country=gb&pageSize=2';
      const { last } = readLinks((await get(query)).headers.get('link'));
      assert.equal((await walk(query, 'next')).length, COMPANIES.length);
      assert.equal((await walk(last?.search ?? '', 'prev')).length, COMPANIES.length);
    });

    test('the first, a middle and the last page, a page after it, one page, and no results', async () => {
      const pages = async (query: string) => readPages((await get(query)).headers.get('link'));
      assert.deepEqual(await pages('?pageSize=3'), { next: '2', first: '1', last: '3' });
      assert.deepEqual(await pages('?pageSize=3&page=2'), { next: '3', prev: '1', first: '1', last: '3' });
      assert.deepEqual(await pages('?pageSize=3&page=3'), { prev: '2', first: '1', last: '3' });
      assert.deepEqual(await pages('?pageSize=3&page=9'), { prev: '3', first: '1', last: '3' });
      assert.deepEqual(await pages(''), { first: '1', last: '1' });
      assert.deepEqual(await pages('?q=nothing'), { first: '1', last: '1' });
      assert.deepEqual(await pages('?q=nothing&page=2'), { prev: '1', first: '1', last: '1' });
    });

    test('HEAD, CSV and NDJSON have the same links as JSON; 304, errors and page=all have none', async () => {
      const query = '?q=%22%C5%81%C3%93&pageSize=2&page=2';
      const { headers } = await get(query);
      const link = headers.get('link');
      const target = '?q=%22%C5%81%C3%93&pageSize=2&page=';
      assert.equal(
        link,
        `<${target}3>; rel="next", <${target}1>; rel="prev", <${target}1>; rel="first", <${target}4>; rel="last"`,
      );
      for (const accept of ['text/csv', 'application/x-ndjson'])
        assert.equal((await get(query, { accept })).headers.get('link'), link, accept);
      const head = await service.client.request('HEAD', `/api/v1/entities${query}`);
      assert.equal(head.headers.get('link'), link);
      const known = await get(query, { 'if-none-match': headers.get('etag') ?? '' });
      assert.deepEqual([known.status, known.headers.get('link')], [304, null]);
      const wrong = await get('?page=0');
      assert.deepEqual([wrong.status, wrong.headers.get('link')], [400, null]);
      const whole = await get('?page=all', { accept: 'text/csv' });
      assert.deepEqual([whole.status, whole.headers.get('link')], [200, null]);
    });

    test('a query of more than 400 characters has no links', async () => {
      const linkOf = async (length: number) => (await get(`?legalForm=${'x'.repeat(length)}`)).headers.get('link');
      // `?legalForm=` and `&` have 12.
      assert.equal(readPages(await linkOf(388)).first, '1');
      assert.equal(await linkOf(389), null);
    });
  });
}

describe('writePageLinks', () => {
  test('any text of the client stays within its target, and is the same when it is read', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 20 });
    fc.assert(
      fc.property(text, text, fc.integer({ min: 1, max: 20 }), fc.nat(200), (q, legalForm, page, total) => {
        const header = writePageLinks({ q, page, legalForm }, { page, pageSize: 10, total });
        if (header === undefined) return;
        assert.match(header, /^[\x20-\x7e]+$/);
        const links = readLinks(header);
        assert.equal(header.split('rel=').length - 1, Object.keys(links).length);
        for (const { searchParams } of Object.values(links))
          assert.deepEqual([searchParams.get('q'), searchParams.get('legalForm')], [q, legalForm]);
      }),
    );
  });
});
