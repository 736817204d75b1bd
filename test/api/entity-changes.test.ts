import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { type JournalChange, pruneBefore, publishChanges } from '../harness/journal.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { codeOf, DETAIL, UNKNOWN } from './metered-service.ts';

const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';
const FIRST = Date.parse('2026-03-01T06:00:00Z');
const DAY_MS = 86_400_000;
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

for (const engine of usualEngines) {
  describe(`GET /api/v1/entities/{id}/changes on ${engine}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(engine);
      await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
      for (let day = 0; day < COUNT; day++) {
        const other = rename('00000000-0000-4000-8000-000000000001', 'X LTD', 'Y LTD');
        const changes = [other, rename(ALPHA, `NAME ${day} LTD`, `NAME ${day + 1} LTD`), other];
        const publishedAt = FIRST + day * DAY_MS;
        await publishChanges(service.services.registryDb, { register: 'gb', publishedAt, changes });
      }
    });
    after(() => service?.[Symbol.asyncDispose]());
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

    test('304: a client that has the page gets no body', async () => {
      const { headers } = await get(PATH);
      const tag = headers.get('etag') ?? assert.fail('no tag');
      assert.equal((await service.client.get(PATH, { headers: { 'if-none-match': tag } })).status, 304);
    });

    test('404 for an unknown id', async () => {
      assert.equal(codeOf(await get(`${UNKNOWN}/changes`)), '404 entity_not_found');
    });

    for (const path of ['/api/v1/entities/x/changes', `${PATH}?limit=0`, `${PATH}?cursor=now`, `${PATH}?type=added`]) {
      test(`400 for ${path.slice(-20)}`, async () => {
        assert.equal(codeOf(await get(path)), '400 invalid_request');
      });
    }

    test('410 for a cursor whose import was pruned', async () => {
      const { nextCursor } = (await get(`${PATH}?limit=${COUNT - 1}`)).body.meta;
      const newest = Number((await service.services.registry.version()).split('-')[0]);
      await pruneBefore(service.services.registryDb, newest);
      assert.equal(codeOf(await get(`${PATH}?cursor=${nextCursor}`)), '410 cursor_expired');
      assert.deepEqual(namesOf((await get(PATH)).body), ALL.slice(0, 1));
    });

    test('503 when the database is unavailable', async () => {
      await service.services.registryDb.close();
      assert.equal(codeOf(await get(PATH)), '503 service_unavailable');
    });
  });
}
