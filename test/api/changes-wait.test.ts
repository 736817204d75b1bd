import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { type JournalChange, publishChanges } from '../journal/journal.ts';
import { useMeteredService } from './metered-service.ts';

const added = (country: string): JournalChange => ({
  type: 'added',
  country,
  register: 'gb',
  after: ['ALPHA LTD', 'active', null, null],
});

for (const engine of usualEngines) {
  describe(`GET /api/v1/changes with wait on ${engine}`, () => {
    const service = useService(engine);
    let publishedAt = Date.parse('2026-03-01T06:00:00Z');
    const publish = (...changes: readonly JournalChange[]) =>
      publishChanges(service.services.registryDb, { register: 'gb', publishedAt: publishedAt++, changes });
    const get = (query: string, init?: RequestInit) => service.client.get(`/api/v1/changes${query}`, init);
    const time = async <T>(work: Promise<T>): Promise<[T, number]> => {
      const startedAt = performance.now();
      return [await work, performance.now() - startedAt];
    };

    /** A key, and whether its request is charged: it is before it waits, and refunded if it ends without changes. */
    const newKey = async () => {
      const secret = await service.createKey();
      const caller = (await service.services.apiKeys.findKey(secret)) ?? assert.fail('the key is not found');
      const isCharged = async () => (await service.services.meter.readUsage(caller)).used === 1;
      return [{ 'x-api-key': secret }, isCharged] as const;
    };

    test('changes that exist are returned at once', async () => {
      await publish(added('GB'));
      const [{ body }, ms] = await time(get('?wait=30'));
      assert.equal(body.data.length, 1);
      assert.ok(ms < 29_000);
    });

    test('a change is returned as soon as an import has published it; other changes are passed over', async () => {
      const { nextCursor } = (await get('?cursor=now')).body.meta;
      const [key, isCharged] = await newKey();
      const waiting = time(get(`?cursor=${nextCursor}&country=NO&wait=30`, { headers: key }));
      await until('the request waits', isCharged);
      await publish(added('GB'));
      await publish();
      await publish(added('GB'), added('NO'));
      const [{ status, body }, ms] = await waiting;
      assert.equal(status, 200);
      assert.deepEqual(
        body.data.map(({ countryCode }: { countryCode: string }) => countryCode),
        ['NO'],
      );
      assert.ok(ms < 29_000, `${ms} ms`);
      assert.deepEqual((await get(`?cursor=${body.meta.nextCursor}`)).body.data, []);
    });

    test('a wait may be longer than other requests, and ends with an empty page, or with 304 if the client has it', async () => {
      const { headers, body } = await get('?cursor=now');
      const path = `?cursor=${body.meta.nextCursor}&wait=2`;
      const [first, waited] = await time(get(path));
      assert.deepEqual([first.status, first.body.data, first.body.meta.hasMore], [200, [], false]);
      assert.ok(waited >= 1_990, `${waited} ms`);
      const tag = first.headers.get('etag') ?? assert.fail('no tag');
      const [unchanged, ms] = await time(get(path, { headers: { 'if-none-match': tag } }));
      assert.equal(unchanged.status, 304);
      assert.ok(ms >= 1_990, `${ms} ms`);
      const [key, isCharged] = await newKey();
      const waiting = get(path.replace('wait=2', 'wait=30'), { headers: { ...key, 'if-none-match': tag } });
      await until('the request waits', isCharged);
      await publish(added('GB'));
      const changed = await waiting;
      assert.deepEqual([changed.status, changed.body.data.length, headers.has('etag')], [200, 1, true]);
    });
  });

  describe(`charges for changes on ${engine}`, () => {
    const metered = useMeteredService(engine);
    const { get, newKey, counts } = metered;
    const EMPTY = '/api/v1/changes?cursor=now';

    test('a page without changes counts in the rate window and costs no quota, with and without wait', async () => {
      const key = await newKey('business');
      for (const path of [EMPTY, `${EMPTY}&wait=1`]) {
        const { headers } = await get(path, key);
        assert.equal(headers.get('x-monthly-quota-remaining'), headers.get('x-monthly-quota-limit'));
      }
      assert.deepEqual(await counts(key), [2, 0]);
    });

    test('a page with changes costs one request, whatever its length', async () => {
      const { registryDb } = metered.service.services;
      const changes = Array.from({ length: 300 }, () => added('GB'));
      await publishChanges(registryDb, { register: 'gb', publishedAt: metered.service.clock.now(), changes });
      const key = await newKey('business');
      const { body, headers } = await get('/api/v1/changes?type=added&limit=1000', key);
      assert.equal(body.data.length, 300);
      assert.deepEqual(await counts(key), [1, 1]);
      const left = Number(headers.get('x-monthly-quota-limit')) - Number(headers.get('x-monthly-quota-remaining'));
      assert.equal(left, 1);
    });

    test('a client that goes while it waits is refunded', async () => {
      const key = await newKey('business');
      const controller = new AbortController();
      const waiting = metered.service.client
        .get(`${EMPTY}&wait=30`, { headers: key.headers, signal: controller.signal })
        .catch(() => undefined);
      await until('the request is charged', async () => (await counts(key))[1] === 1);
      controller.abort();
      await waiting;
      await until('the request is refunded', async () => (await counts(key))[1] === 0);
    });
  });
}
