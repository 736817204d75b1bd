import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { fileAddress, writeExport } from '../harness/exports.ts';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { codeOf, limitsOf, METERING_HEADERS, type TestKey, useMeteredService } from './metered-service.ts';

const LIST = '/api/v1/exports';
const FILE = fileAddress();
const LATEST = fileAddress(undefined, 'latest');
const CONTENT = Buffer.from('PAR1 a British file PAR1');

for (const engine of usualEngines) {
  describe(`exports on ${engine}`, () => {
    const metered = useMeteredService(engine);
    const { get, newKey, counts } = metered;
    const folder = () => `${metered.service.database.dataDir}/exports`;
    const head = (path: string, { headers }: TestKey) => metered.service.client.request('HEAD', path, { headers });
    before(async () => {
      await writeExport(folder(), { countries: { GB: CONTENT, LV: Buffer.from('x') } });
      await writeExport(folder(), { format: 'csv' });
      await writeExport(folder(), { generation: 2, format: 'csv' });
    });

    test('200: the list has every complete export, the newest generation first', async () => {
      const key = await newKey('pro');
      const { status, body, headers } = await get(LIST, key);
      assert.equal(status, 200);
      const names = body.data.map(({ generation, format }: Record<string, unknown>) => `${generation} ${format}`);
      assert.deepEqual(names, ['2 csv', '1 parquet', '1 csv']);
      const { registers, files, ...rest } = body.data[1];
      const base = `${metered.service.url}/api/v1/exports/1/parquet`;
      assert.deepEqual(rest, {
        generation: 1,
        dataVersion: '0.1.0.1-mgx1k2j0',
        createdAt: '2026-03-02T03:20:00.000Z',
        format: 'parquet',
        rows: 2,
        bytes: CONTENT.length + 1,
        countries: ['GB', 'LV'],
        manifestUrl: `${base}/manifest.json`,
        licencesUrl: `${base}/LICENCES.md`,
        leftOut: [],
      });
      assert.deepEqual(registers.map(({ licence }: { licence: string }) => licence).length, 2);
      assert.equal(files[0].url, base.replace('/parquet', '') + '/' + files[0].path);
      assert.equal((await get(new URL(files[0].url).pathname, key)).text, CONTENT.toString());
      const again = await get(LIST, key, { 'if-none-match': headers.get('etag') ?? '' });
      assert.equal(again.status, 304);
    });

    test('200: a file has its hash as strong entity tag and may be cached for good, but only by its client', async () => {
      const key = await newKey('pro');
      for (const reply of [await get(FILE, key, { 'accept-encoding': 'gzip, br, zstd' }), await head(FILE, key)]) {
        const read = (name: string) => reply.headers.get(name);
        assert.equal(reply.status, 200);
        assert.match(read('etag') ?? '', /^"[0-9a-f]{64}"$/);
        assert.equal(read('cache-control'), 'private, immutable, max-age=31536000, no-transform');
        assert.equal(read('content-type'), 'application/vnd.apache.parquet');
        assert.equal(read('content-length'), String(CONTENT.length));
        assert.equal(read('content-encoding'), null);
        assert.equal(read('accept-ranges'), 'bytes');
        assert.equal(read('content-disposition'), 'attachment; filename="firmament-1-parquet-GB-part-0000.parquet"');
      }
      assert.equal((await get(fileAddress('parquet/manifest.json'), key)).body.generation, 1);
      const licences = await get(fileAddress('parquet/LICENCES.md'), key);
      assert.deepEqual(
        [licences.text, licences.headers.get('content-type')],
        ['# Licences\n', 'text/markdown; charset=utf-8'],
      );
    });

    test('302: latest leads to the newest generation that has the file, and costs no quota', async () => {
      const key = await newKey('pro');
      const follow = async (path: string) => (await get(fileAddress(path, 'latest'), key)).headers.get('location');
      assert.equal(await follow('parquet/manifest.json'), fileAddress('parquet/manifest.json', 1));
      assert.equal(await follow('csv/manifest.json'), fileAddress('csv/manifest.json', 2));
      await until('it is refunded', async () => (await counts(key))[1] === 0);
    });

    test('403 plan_required: the free plan gets neither list nor file; it counts in the rate window and costs no quota', async () => {
      const key = await newKey('free');
      for (const path of [LIST, FILE, LATEST, fileAddress('nothing')]) {
        const reply = await get(path, key);
        assert.equal(codeOf(reply), '403 plan_required', path);
        assert.ok(
          limitsOf(reply).every((value) => value !== null),
          path,
        );
      }
      assert.equal((await head(FILE, key)).status, 403);
      assert.deepEqual(await counts(key), [5, 0]);
      await metered.setPlan(key, 'pro');
      assert.equal((await get(FILE, key)).status, 200, 'an upgrade applies at once');
    });

    test('401 without a key or with an unknown one', async () => {
      for (const path of [LIST, FILE, LATEST]) {
        const reply = await metered.service.client.get(path, { headers: { 'x-api-key': 'frm_live_unknown' } });
        assert.equal(codeOf(reply), '401 invalid_api_key');
        assert.equal(reply.headers.get(METERING_HEADERS[0] ?? ''), null);
      }
    });

    test('404 export_not_found, 416 range_not_satisfiable and 304 are refunded', async () => {
      const key = await newKey('pro');
      const { headers } = await get(FILE, key);
      for (const path of [fileAddress('parquet/nothing'), fileAddress(undefined, 3), fileAddress('', 1)]) {
        assert.equal(codeOf(await get(path, key)), '404 export_not_found', path);
      }
      const refused = await get(FILE, key, { range: 'bytes=24-' });
      assert.equal(codeOf(refused), '416 range_not_satisfiable');
      assert.equal(refused.headers.get('content-range'), 'bytes */24');
      const known = await get(FILE, key, { 'if-none-match': `"other", W/${headers.get('etag')}` });
      assert.deepEqual([known.status, known.headers.get('etag')], [304, headers.get('etag')]);
      assert.match(known.headers.get('cache-control') ?? '', /immutable/);
      await until('all but the first are refunded', async () => (await counts(key))[1] === 1);
      assert.equal((await get(FILE, key, { 'if-none-match': '*' })).status, 304);
      assert.equal((await counts(key))[1], 2, 'a client that names no tag pays as for the file');
    });

    test('one request is one unit, for GET, HEAD and ranges, exactly, with many at the same time', async () => {
      const key = await newKey('pro');
      await metered.setQuota(key, 100_000 - 20);
      const kinds = [() => get(FILE, key), () => head(FILE, key), () => get(FILE, key, { range: 'bytes=1-3' })];
      const replies = [];
      // As many at the same time as one account may download.
      for (let round = 0; round < 5; round++)
        replies.push(...(await Promise.all(Array.from({ length: 6 }, (_, at) => kinds[at % 3]?.()))));
      const statuses = Map.groupBy(replies, (reply) => (reply?.status === 429 ? 'refused' : 'sent'));
      assert.deepEqual([statuses.get('sent')?.length, statuses.get('refused')?.length], [20, 10]);
      assert.deepEqual(await counts(key), [30, 100_000]);
      const last = await get(FILE, key);
      assert.deepEqual(
        [codeOf(last), last.headers.get('x-monthly-quota-remaining')],
        ['429 monthly_quota_exceeded', '0'],
      );
    });

    test('429 rate_limit_exceeded comes before everything else', async () => {
      const key = await newKey('free');
      await metered.setWindow(key, 60);
      for (const path of [LIST, FILE, LATEST]) assert.equal(codeOf(await get(path, key)), '429 rate_limit_exceeded');
    });
  });
}

test('with EXPORT_BASE_URL, files are redirected there: one unit each, and their disk is not read', async () => {
  await using service = await startService('sqlite', { env: { EXPORT_BASE_URL: 'https://files.example.com/x/' } });
  const { path = '' } = (await writeExport(`${service.database.dataDir}/exports`)).files[0] ?? {};
  await rm(`${service.database.dataDir}/exports/1/parquet/${path}`);
  for (const method of ['GET', 'HEAD']) {
    const reply = await service.client.request(method, FILE, { headers: { range: 'bytes=0-1' } });
    const location = `https://files.example.com/x/1/parquet/${path}`;
    assert.deepEqual([reply.status, reply.headers.get('location'), reply.text], [302, location, '']);
    assert.equal(reply.headers.get('cache-control'), 'no-store');
  }
  const { headers } = await service.client.get(LIST);
  assert.equal(headers.get('x-monthly-quota-remaining'), '999997');
});
