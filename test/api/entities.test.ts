import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { writePageLinks } from '../../src/api/search.ts';
import { readSearchQuery } from '../../src/search/parameters.ts';
import { anyCharacter } from '../harness/any-character.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { importCompanies, importSynthetic } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';

interface Summary {
  readonly id: string;
  readonly countryCode: string;
  readonly canonicalName: string;
}

const SIC = '10710 - Manufacture of bread; manufacture of fresh pastry goods and cakes';
const AWKWARD = [
  company('00445790', 'BÄCKER & SONS (U.K.) LIMITED', { 'SICCode.SicText_1': SIC }),
  company('SC123456', 'CAFÉ ŁÓDŹ LTD.'),
  company('OC300001', 'A & B 100% "LLP"', { CompanyCategory: 'Limited Liability Partnership' }),
  company('00000012', "O'BRIEN+CO; SELECT * FROM #1 LTD"),
];
const SERIES = Array.from({ length: 30 }, (_, index) => company(`0700${2000 + index}`, `SERIES ${index} LTD`));
const ESTONIANS = 10;

describeOn(usualEngines, 'GET /api/v1/entities', (engine) => {
  const service = useService(engine);
  before(async () => {
    await importCompanies(service, [...AWKWARD, ...SERIES]);
    await importSynthetic(service, 'ee', ESTONIANS);
  });

  const find = async (parameters: Record<string, string | number> = {}) => {
    const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
    const reply = await service.client.get(`/api/v1/entities?${query}`);
    assert.equal(reply.status, 200, reply.text);
    const data: Summary[] = reply.body.data;
    return { ...reply, data, meta: reply.body.meta, names: data.map(({ canonicalName }) => canonicalName) };
  };

  test('200: without parameters all companies, 25 per page, sorted by name, with an ETag', async () => {
    const { data, meta, headers } = await find();
    const total = AWKWARD.length + SERIES.length + ESTONIANS;
    assert.deepEqual(meta, { page: 1, pageSize: 25, pageCount: Math.ceil(total / 25), total });
    assert.equal(data.length, 25);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(headers.get('cache-control'), 'private, no-cache');
    const { names } = await find({ q: 'series', pageSize: 100 });
    assert.deepEqual(names, SERIES.map(({ CompanyName = '' }) => CompanyName).sort());
  });

  test('a page after the last is empty and has the same total', async () => {
    for (const page of [3, 1_000_000, Number.MAX_SAFE_INTEGER]) {
      const { data, meta } = await find({ q: 'series', page });
      assert.deepEqual([data, meta], [[], { page, pageSize: 25, pageCount: 2, total: 30 }]);
    }
    // However many digits: what is larger than JSON numbers can express exactly is answered as the largest of them.
    for (const page of ['9007199254740992', '9'.repeat(400)]) {
      const reply = await service.client.get(`/api/v1/entities?q=series&page=${page}`);
      const meta = { page: Number.MAX_SAFE_INTEGER, pageSize: 25, pageCount: 2, total: 30 };
      assert.deepEqual([reply.status, reply.body?.data, reply.body?.meta], [200, [], meta], page);
      assert.match(reply.headers.get('link') ?? '', /page=2>; rel="prev".*page=2>; rel="last"/);
      const csv = await service.client.get(`/api/v1/entities?q=series&page=${page}`, {
        headers: { accept: 'text/csv' },
      });
      assert.deepEqual([csv.status, csv.headers.get('x-page')], [200, String(Number.MAX_SAFE_INTEGER)]);
    }
    const { data, meta } = await find({ q: 'no company has this name' });
    assert.deepEqual([data, meta], [[], { page: 1, pageSize: 25, pageCount: 0, total: 0 }]);
  });

  test('no filter is silently ignored: each narrows the result, and all combine', async () => {
    const total = async (parameters: Record<string, string>) => (await find(parameters)).meta.total;
    const all = await total({});
    assert.equal(await total({ q: '' }), all);
    assert.equal(await total({ country: 'GB' }), all - ESTONIANS);
    assert.equal(await total({ country: 'ee' }), ESTONIANS);
    assert.equal(await total({ country: 'ZZ' }), 0);
    assert.equal(await total({ legalForm: 'Limited Liability Partnership' }), 1);
    assert.equal(await total({ legalForm: 'limited liability partnership' }), 0, 'exact');
    assert.equal(await total({ activity: '10710', country: 'GB' }), 1, 'by code');
    assert.equal(await total({ activity: SIC.slice(8) }), 1, 'by label');
    assert.equal(await total({ activity: '1071', country: 'GB' }), 0, 'exact');
    assert.equal(await total({ register: 'gb' }), all - ESTONIANS);
    assert.equal(await total({ register: 'GB' }), 0, 'exact');
    assert.equal(await total({ status: 'active', country: 'GB' }), all - ESTONIANS);
    assert.equal(await total({ status: 'insolvent', country: 'GB' }), 0);
    assert.equal(await total({ q: 'series', status: 'active', register: 'gb' }), 30);
    assert.equal(await total({ q: 'series', status: 'dissolved', register: 'gb' }), 0);
    assert.equal(await total({ activity: '10710', activityType: 'licensed' }), 0);
    assert.equal(await total({ activity: '10710', activityType: 'unlicensed', country: 'GB' }), 1);
    assert.equal(await total({ q: 'series', legalForm: 'Limited Liability Partnership' }), 0);
    assert.equal(await total({ q: 'series', country: 'EE' }), 0);
    assert.equal(await total({ q: 'SERIES 7', country: 'gb', legalForm: 'Private Limited Company' }), 1);
  });

  test('&, dots, quotes, accents and case do not break search', async () => {
    for (const [q, name] of [
      ['bäcker & sons', 'BÄCKER & SONS (U.K.) LIMITED'],
      ['backer  &  sons', 'BÄCKER & SONS (U.K.) LIMITED'],
      ['(u.k.)', 'BÄCKER & SONS (U.K.) LIMITED'],
      ['cafe lodz', 'CAFÉ ŁÓDŹ LTD.'],
      ['CAFÉ', 'CAFÉ ŁÓDŹ LTD.'],
      ['a & b', 'A & B 100% "LLP"'],
      ['100% "', 'A & B 100% "LLP"'],
      ["o'brien+co;", "O'BRIEN+CO; SELECT * FROM #1 LTD"],
    ] as const) {
      assert.deepEqual((await find({ q, country: 'GB' })).names, [name], q);
    }
  });

  test('leading zeros of numbers are kept and searchable', async () => {
    assert.deepEqual((await find({ q: '00445790' })).names, ['BÄCKER & SONS (U.K.) LIMITED']);
    assert.deepEqual((await find({ q: '0044579', country: 'GB' })).names, ['BÄCKER & SONS (U.K.) LIMITED']);
    assert.deepEqual((await find({ q: 'sc 123-456' })).names, ['CAFÉ ŁÓDŹ LTD.']);
    const { data } = await find({ q: '00000012', country: 'GB' });
    const { body } = await service.client.get(`/api/v1/entities/${data[0]?.id}`);
    assert.equal(body.data.registrations[0].number, '00000012');
  });

  test('400 invalid_request for every invalid parameter, with its name and what to send instead', async () => {
    const integers = ['', '0', '-1', '1.0', '1e2', '+1', ' 1', '1 ', '0x10', '01', 'one', '١', '-9007199254740992'];
    const cases = [
      ...integers.flatMap((value) => [['page', value] as const, ['pageSize', value] as const]),
      ...['101', '1000'].map((value) => ['pageSize', value] as const),
      ...['', 'G', 'GBR', 'G1', 'ÄÖ', 'G\n', '%', 'GB '].map((value) => ['country', value] as const),
      ...['', 'a\0b'].flatMap((value) => [
        ['legalForm', value] as const,
        ['legalFormCode', value] as const,
        ['activity', value] as const,
      ]),
      ...['', 'Licensed', 'both'].map((value) => ['activityType', value] as const),
      ...['', 'Active', 'open'].map((value) => ['status', value] as const),
      ['register', ''] as const,
      ...['\0', 'x'.repeat(4_001)].map((value) => ['q', value] as const),
    ];
    for (const [name, value] of cases) {
      const { status, body, headers } = await service.client.get(
        `/api/v1/entities?${new URLSearchParams({ [name]: value })}`,
      );
      assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], `${name}=${value}`);
      assert.ok(body.error.message.includes(`"${name}"`), body.error.message);
      assert.match(body.error.message, /must |the maximum is 4000/);
      assert.equal(headers.get('etag'), null);
    }
  });

  test('400 for an unknown, a repeated and a wrongly encoded parameter', async () => {
    for (const [query, message] of [
      ['pagesize=5', /did you mean "pageSize"/],
      [`${'k'.repeat(41)}=1`, /^Unknown query parameter "k{40}…":/],
      ['unknown=alpha', /use q, words, country, .* or pageSize/],
      ['q=a&q=b', /"q" is given more than once/],
      ['q=%E0%A4', /percent-encoded/],
      [`words=${Array.from({ length: 21 }, (_, at) => `w${at}`).join('.')}`, /at most 20 words/],
    ] as const) {
      const { status, body } = await service.client.get(`/api/v1/entities?${query}`);
      assert.deepEqual([status, body.error.code], [400, 'invalid_request']);
      assert.match(body.error.message, message);
    }
  });
});

test('a search without parameters uses the defaults of the contract', () => {
  const contract = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
  const parameters: { in: string; name: string; schema: { default?: unknown } }[] =
    contract.paths['/api/v1/entities'].get.parameters;
  const inQuery = parameters.filter((each) => each.in === 'query');
  // The order depends on whether there are words.
  const others: Readonly<Record<string, string>> = { q: '', words: '', sort: 'name' };
  const defaults = inQuery.map(({ name, schema }) => [name, schema.default ?? others[name]]);
  assert.deepEqual(readSearchQuery({}), Object.fromEntries(defaults));
});

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

describeOn(usualEngines, 'Link headers of searches', (engine) => {
  const service = useService(engine);
  before(async () => {
    await importCompanies(service, COMPANIES);
  });
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
