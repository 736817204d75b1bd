import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { importSynthetic } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';

for (const engine of usualEngines) {
  test(`legalForm is the value as written, legalFormCode its code, on pages and in whole results on ${engine}`, async () => {
    await using service = await startService(engine);
    await importSynthetic(service, 'no', 60);
    const get = (query: string, headers = {}) =>
      service.client.get(`/api/v1/entities?country=NO&${query}`, { headers });
    const total = async (query: Record<string, string>) => (await get(`${new URLSearchParams(query)}`)).body.meta.total;
    const codes = new Map<string, string>();
    for (const { id } of (await get('pageSize=100')).body.data) {
      const { code, label } = (await service.client.get(`/api/v1/entities/${id}`)).body.data.registry.legalForm;
      if (code !== label) codes.set(code, label);
    }
    assert.ok(codes.size > 1, 'the register has several forms with codes');
    for (const [legalFormCode, legalForm] of codes) {
      const found = await total({ legalForm });
      assert.ok(found > 0, legalForm);
      assert.equal(await total({ legalFormCode }), found, legalFormCode);
      assert.equal(await total({ legalForm, legalFormCode }), found);
      assert.equal(await total({ legalForm: legalFormCode }), 0, 'a code is not a value');
      assert.equal(await total({ legalFormCode: legalForm }), 0, 'a value is not a code');
      const { text } = await get(`legalFormCode=${encodeURIComponent(legalFormCode)}&page=all`, { accept: 'text/csv' });
      assert.equal(text.trim().split('\r\n').length, found + 1, 'the whole result has the same rows');
    }
  });
}
