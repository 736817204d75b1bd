import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importCompanies } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

test('SEARCH_ENGINE=postgres: the service becomes ready, finds imported entities, answers 304 and 400', async () => {
  await using service = await startService('postgres', { env: { SEARCH_ENGINE: 'postgres' } });
  assert.equal((await service.client.get('/api/v1/health/ready')).status, 200);
  await importCompanies(service, [company('00000017', 'ALPHA & BETA LTD'), company('00000018', 'GAMMA LTD')]);

  const found = await service.client.get('/api/v1/entities?q=a+%26+b&country=gb');
  const { data, meta } = found.body as { data: Array<{ id: string; canonicalName: string }>; meta: object };
  assert.deepEqual(
    data.map(({ canonicalName }) => canonicalName),
    ['ALPHA & BETA LTD'],
  );
  assert.deepEqual(meta, { page: 1, pageSize: 25, pageCount: 1, total: 1 });
  assert.equal((await service.client.get(`/api/v1/entities/${data[0]?.id}`)).status, 200);

  const tag = found.headers.get('etag') ?? '';
  const again = await service.client.get('/api/v1/entities?q=a+%26+b&country=gb', {
    headers: { 'If-None-Match': tag },
  });
  assert.equal(again.status, 304);
  await importCompanies(service, [company('00000019', 'DELTA & BETA LTD')]);
  const changed = await service.client.get('/api/v1/entities?q=a+%26+b', { headers: { 'If-None-Match': tag } });
  assert.equal(changed.status, 200);
  assert.equal((await service.client.get('/api/v1/entities?page=0')).status, 400);
});
