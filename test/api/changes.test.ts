import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { parseCursor, writeCursor } from '../../src/watch/feed/cursor.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { importCompanies } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { type JournalChange, pruneBefore, publishChanges } from '../journal/journal.ts';
import { company } from '../registry/gb-file.ts';
import { codeOf, DETAIL } from './metered-service.ts';

const FIRST = Date.parse('2026-03-01T06:00:00Z');
const DAY_MS = 86_400_000;
const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';

const values = (name: string, status = 'active') => [name, status, 'Private Limited Company', '2001-02-03'];
const added = (name: string, country = 'GB', register = 'gb'): JournalChange => ({
  type: 'added',
  country,
  register,
  after: values(name),
});
const renamed: JournalChange = {
  type: 'changed',
  country: 'GB',
  register: 'gb',
  entityId: ALPHA,
  fields: ['canonicalName', 'sourceData'],
  before: values('ALPHA LTD'),
  after: values('OMEGA LTD'),
  details: [{ field: 'registry.address.postCode', before: 'N1', after: null }],
};
const delisted: JournalChange = {
  type: 'delisted',
  country: 'GB',
  register: 'gb',
  fields: ['status'],
  before: values('BETA LTD'),
  after: values('BETA LTD', 'delisted'),
};

const IMPORTS = [
  { register: 'gb', changes: [{ type: 'loaded', country: 'GB', register: 'gb' }] },
  { register: 'no', changes: [added('NORD AS', 'NO', 'no'), added('SYD AS', 'NO', 'no')] },
  { register: 'lv', changes: [] },
  // An import of GLEIF changes a British record through a link.
  { register: 'gleif', changes: [added('LEI SE', 'DE', 'gleif'), renamed] },
  { register: 'gb', changes: [delisted, added('GAMMA LTD')] },
] as const satisfies readonly { register: string; changes: readonly JournalChange[] }[];

const namesOf = (body: { data: readonly { after: { canonicalName: string } | null }[] }) =>
  body.data.map((change) => change.after?.canonicalName ?? null);

const ALL = [null, 'NORD AS', 'SYD AS', 'LEI SE', 'OMEGA LTD', 'BETA LTD', 'GAMMA LTD'];

describeOn(usualEngines, 'GET /api/v1/changes', (engine) => {
  const service = useService(engine);
  before(async () => {
    for (const [day, { register, changes }] of IMPORTS.entries()) {
      const publishedAt = FIRST + day * DAY_MS;
      await publishChanges(service.services.registryDb, { register, publishedAt, changes });
    }
  });
  const get = (query: string) => service.client.get(`/api/v1/changes${query}`);

  test('200: without a cursor, all changes that are kept, in order', async () => {
    const { status, body } = await get('');
    assert.equal(status, 200);
    assert.deepEqual(namesOf(body), ALL);
    assert.equal(body.meta.hasMore, false);
    assert.equal(body.meta.nextCursor, body.data.at(-1).cursor);
    const { cursor, ...change } = body.data[4];
    assert.match(cursor, /^[\w-]+$/);
    assert.deepEqual(change, {
      type: 'changed',
      occurredAt: '2026-03-04T06:00:00.000Z',
      entityId: ALPHA,
      countryCode: 'GB',
      register: 'gb',
      fields: ['canonicalName', 'sourceData'],
      before: toValues('ALPHA LTD'),
      after: toValues('OMEGA LTD'),
      details: renamed.details,
    });
    const { entityId, before, after, fields } = body.data[0];
    assert.deepEqual({ entityId, before, after, fields }, { entityId: null, before: null, after: null, fields: [] });
    assert.deepEqual([body.data[1].before, body.data[1].details], [null, null]);
    assert.deepEqual(namesOf((await get(`?cursor=${body.meta.oldest}`)).body), ALL);
  });

  test('200: cursor=now is the present end', async () => {
    const { body } = await get('?cursor=now');
    assert.deepEqual([body.data, body.meta.hasMore], [[], false]);
    assert.equal(body.meta.nextCursor, (await get('')).body.meta.nextCursor);
    assert.deepEqual((await get(`?cursor=${body.meta.nextCursor}`)).body, body);
  });

  test('304: a client that has the page gets no body; HEAD has the same headers', async () => {
    const { headers, text } = await get('?limit=2');
    const tag = headers.get('etag') ?? assert.fail('no tag');
    const again = await service.client.get('/api/v1/changes?limit=2', { headers: { 'if-none-match': tag } });
    assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', tag]);
    const head = await service.client.request('HEAD', '/api/v1/changes?limit=2');
    assert.deepEqual([head.status, head.headers.get('etag')], [200, tag]);
    assert.equal(Number(head.headers.get('content-length')), Buffer.byteLength(text));
  });

  const invalid = [
    '?limit=0',
    '?limit=1001',
    '?wait=31',
    '?wait=-1',
    '?wait=1.5',
    '?type=removed',
    '?country=GBR',
    '?cursor=',
    '?cursor=NOW',
    '?cursor=x',
    '?cursor=a%20b',
    `?cursor=${'a'.repeat(101)}`,
    '?register=%00',
    '?since=2026-01-01',
  ];
  for (const query of invalid) {
    test(`400 for ${query.slice(0, 40)}`, async () => {
      const reply = await get(query);
      assert.equal(codeOf(reply), '400 invalid_request');
      assert.match(reply.body.error.message, /"(limit|wait|type|country|cursor|register|since)"/);
    });
  }

  test('400 for a cursor that was changed', async () => {
    const { nextCursor } = (await get('')).body.meta;
    const place = parseCursor(nextCursor);
    const beyond = writeCursor({ ...place, seen: place.seen + 1 });
    const forged = [`${nextCursor}A`, `${nextCursor}=`, nextCursor.slice(1), beyond];
    for (const cursor of forged) assert.equal(codeOf(await get(`?cursor=${cursor}`)), '400 invalid_request', cursor);
  });

  test('410 for a cursor of another history: the store was restored, and other imports have followed', async () => {
    const { nextCursor } = (await get('')).body.meta;
    const place = parseCursor(nextCursor);
    const { generation, publishedAt } = place;
    for (const other of [{ publishedAt: publishedAt + 1 }, { generation: generation + 1 }]) {
      const reply = await get(`?cursor=${writeCursor({ ...place, ...other })}`);
      assert.equal(codeOf(reply), '410 cursor_expired');
      assert.match(reply.body.error.message, /X-Data-Version/);
    }
  });
});

function toValues(canonicalName: string) {
  return { canonicalName, status: 'active', legalForm: 'Private Limited Company', registeredAt: '2001-02-03' };
}

const PATH = `${DETAIL}/changes`;
const COUNT = 5;

function rename(entityId: string, before: string, after: string): JournalChange {
  const values = (name: string) => [name, 'active', null, null];
  return {
    type: 'changed',
    country: 'GB',
    register: 'gb',
    entityId,
    fields: ['canonicalName'],
    before: values(before),
    after: values(after),
  };
}

describeOn(usualEngines, 'GET /api/v1/entities/{id}/changes', (engine) => {
  const service = useService(engine);
  before(async () => {
    await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
    for (let day = 0; day < COUNT; day++) {
      const other = rename('00000000-0000-4000-8000-000000000001', 'X LTD', 'Y LTD');
      const changes = [other, rename(ALPHA, `NAME ${day} LTD`, `NAME ${day + 1} LTD`), other];
      const publishedAt = FIRST + day * DAY_MS;
      await publishChanges(service.services.registryDb, { register: 'gb', publishedAt, changes });
    }
  });
  const get = (path: string) => service.client.get(path);
  const namesOf = (body: { data: { after: { canonicalName: string } }[] }) =>
    body.data.map((change) => change.after.canonicalName);
  const ALL = [5, 4, 3, 2, 1].map((number) => `NAME ${number} LTD`);

  test('200: the changes of the record only, the newest first, in the shape of the feed', async () => {
    const { status, body } = await get(PATH);
    assert.equal(status, 200);
    assert.deepEqual(namesOf(body), ALL);
    assert.deepEqual([body.meta.hasMore, body.meta.nextCursor], [false, null]);
    const feed = (await get('/api/v1/changes?limit=1000')).body;
    const same = feed.data.filter(({ entityId }: { entityId: string }) => entityId === ALPHA);
    assert.deepEqual(body.data, same.toReversed());
    assert.equal(body.meta.oldest, feed.meta.oldest);
    assert.deepEqual((await get(`/api/v1/entities/${ALPHA.toUpperCase()}/changes`)).body, body);
  });

  test('200: pages follow each other without gap or repetition', async () => {
    for (const limit of [1, 2, 3, 5]) {
      const names = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const { body } = await get(`${PATH}?limit=${limit}${cursor && `&cursor=${cursor}`}`);
        names.push(...namesOf(body));
        assert.equal(body.meta.hasMore, body.meta.nextCursor !== null);
        cursor = body.meta.nextCursor;
      }
      assert.deepEqual(names, ALL);
    }
  });

  test('200: a company without changes has an empty list, which costs no quota', async () => {
    const id = (await get('/api/v1/entities?q=BETA')).body.data[0].id;
    const key = await service.createKey();
    const { body, headers } = await service.client.get(`/api/v1/entities/${id}/changes`, {
      headers: { 'x-api-key': key },
    });
    assert.deepEqual(body.data, []);
    assert.equal(headers.get('x-monthly-quota-remaining'), headers.get('x-monthly-quota-limit'));
  });

  test('410 for a cursor whose import was pruned', async () => {
    const { nextCursor } = (await get(`${PATH}?limit=${COUNT - 1}`)).body.meta;
    const newest = Number((await service.services.registry.version()).split('-')[0]);
    await pruneBefore(service.services.registryDb, newest);
    assert.equal(codeOf(await get(`${PATH}?cursor=${nextCursor}`)), '410 cursor_expired');
    assert.deepEqual(namesOf((await get(PATH)).body), ALL.slice(0, 1));
  });
});
