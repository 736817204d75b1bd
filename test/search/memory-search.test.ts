import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { boundMs, isDeep } from '../harness/depth.ts';
import { importCompanies } from '../harness/entities.ts';
import { run } from '../harness/process.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company, writeGb } from '../registry/gb-file.ts';

const companies = (count: number, word: string) =>
  Array.from({ length: count }, (_, at) => company(String(at + 1).padStart(8, '0'), `${word} ${at} LTD`));

async function search(service: TestService, parameters: string) {
  const { status, body } = await service.client.get(`/api/v1/entities?${parameters}`);
  assert.equal(status, 200);
  return body as { data: Array<{ canonicalName: string }>; meta: { total: number } };
}

/** Also few companies are indexed by threads, as on a server. */
const THREADS = { smallIndex: 1 } as const;

for (const engine of usualEngines) {
  describe(`search in memory with data in ${engine}`, () => {
    test('before the first index, search answers 503 and the service is not ready', async () => {
      await using service = await startService(engine, { unprepared: true });
      const before = await service.client.get('/api/v1/entities');
      assert.equal(before.status, 503);
      assert.ok(Number(before.headers.get('retry-after')) >= 1);
      assert.equal((await service.client.get('/api/v1/health/ready')).status, 503);
      await service.services.prepare();
      await service.services.search.refresh();
      await until('ready', async () => (await service.client.get('/api/v1/health/ready')).status === 200);
      assert.equal((await search(service, '')).meta.total, 0);
    });

    test('an import by another process is served soon, with a new ETag', async () => {
      await using service = await startService(engine, THREADS);
      await importCompanies(service, companies(3, 'OLD'));
      const before = (await service.client.get('/api/v1/entities')).headers.get('etag');
      const { dataDir, databaseUrl } = service.database;
      const file = writeGb(dataDir, 'more.csv', companies(5, 'NEW'));
      const env = { DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
      const imported = await run(['import', 'gb', file, '--partial'], env);
      assert.equal(imported.code, 0, imported.stderr);
      const published = performance.now();
      await until('it is served', async () => (await search(service, 'q=new')).meta.total === 5);
      assert.ok(performance.now() - published < boundMs(2_000), 'not served in time');
      assert.equal((await search(service, 'q=old')).meta.total, 0);
      assert.notEqual((await service.client.get('/api/v1/entities')).headers.get('etag'), before);
    });

    test('search continues when the database is gone; routes that need it answer 503', async () => {
      await using service = await startService(engine, THREADS);
      await importCompanies(service, companies(4, 'STEADY'));
      const { data } = (await service.client.get('/api/v1/entities?q=steady')).body as { data: Array<{ id: string }> };
      await service.services.registryDb.close();
      assert.equal((await search(service, 'q=steady')).meta.total, 4);
      const detail = await service.client.get(`/api/v1/entities/${data[0]?.id}`);
      assert.equal(detail.status, 503);
      assert.ok(detail.headers.has('retry-after'));
    });

    test('no reply mixes two versions of the data while indexes are swapped under load', async () => {
      await using service = await startService(engine, THREADS);
      // So many that threads build and update the index.
      await importCompanies(service, companies(150, 'WORLD0'));
      let isSending = true;
      let count = 0;
      const sent = (async () => {
        for (; isSending; count++) {
          const { data, meta } = await search(service, 'pageSize=100&q=world');
          assert.equal(meta.total, 150);
          assert.equal(data.length, 100);
          assert.equal(new Set(data.map(({ canonicalName }) => canonicalName.split(' ')[0])).size, 1);
        }
      })();
      for (const round of isDeep ? [1, 2, 3] : [1, 2]) {
        const before = count;
        await importCompanies(service, companies(150, `WORLD${round}`));
        await until('there was load', () => count > before + 5);
      }
      isSending = false;
      await sent;
    });
  });
}
