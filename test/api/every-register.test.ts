import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registers as allRegisters } from '../../src/registers/index.ts';
import { usualEngines } from '../harness/databases.ts';
import { isDeep, runs } from '../harness/depth.ts';
import { importSyntheticAll } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';

/** Of each register. */
const ROWS = runs(5, 20);
/** A register of one file, one whose files are joined, and one of several countries: enough for the second database. */
const FEW = ['gb', 'be', 'gleif'];

for (const engine of usualEngines) {
  describe(`every register on ${engine}`, () => {
    const registers = engine === 'sqlite' || isDeep ? allRegisters : allRegisters.filter(({ id }) => FEW.includes(id));
    const ids = registers.map(({ id }) => id);
    let service: TestService;
    before(async () => {
      service = await startService(engine);
      await importSyntheticAll(service, ROWS, ids);
    });
    after(() => service?.[Symbol.asyncDispose]());

    test('is listed in the countries and on the coverage page', async () => {
      const { body } = await service.client.get('/api/v1/countries');
      const enabled = body.data.filter(({ enabled }: { enabled: boolean }) => enabled);
      const codes = new Set(enabled.map(({ code }: { code: string }) => code));
      const stored = await service.services.registryDb.all<{ code: string }>(
        'SELECT DISTINCT country_code AS code FROM entities',
      );
      assert.deepEqual(codes, new Set(stored.map(({ code }) => code).sort()));
      for (const { id, country } of registers) assert.ok(country === null || codes.has(country), id);
      const { text } = await service.client.get('/coverage');
      for (const { name } of registers)
        assert.ok(text.includes(name.replaceAll("'", '&#39;')), `${name} is not on the coverage page`);
    });

    test('every record matches the contract, and sample data is marked', async () => {
      for (let page = 1, seen = 0; seen < registers.length * ROWS; page++) {
        const { body } = await service.client.get(`/api/v1/entities?pageSize=100&page=${page}`);
        assert.equal(body.meta.total, registers.length * ROWS);
        const ids: string[] = body.data.map(({ id }: { id: string }) => id);
        seen += ids.length;
        const records = await Promise.all(ids.map((id) => service.client.get(`/api/v1/entities/${id}`)));
        for (const [index, { status, body: record }] of records.entries()) {
          assert.equal(status, 200);
          assert.equal(record.data.id, ids[index], 'the response belongs to another request');
          assert.match(record.data.provenance.licence, /synthetic/i);
          assert.ok(Object.keys(record.data.sourceData).length > 0);
        }
      }
    });

    for (const id of ids) {
      test(`${id}: a company is found by its number and its name, and its record can be retrieved`, async () => {
        const { registryDb } = service.services;
        const sql = `SELECT id, canonical_name AS name, registrations FROM entities WHERE register = $1 AND registrations <> '[]' LIMIT 1`;
        const stored = await registryDb.one<{ id: string; name: string; registrations: string }>(sql, [id]);
        assert.ok(stored !== undefined);
        const [{ number }] = JSON.parse(stored.registrations);
        for (const q of [number, stored.name]) {
          const { body } = await service.client.get(`/api/v1/entities?q=${encodeURIComponent(q)}&pageSize=100`);
          assert.ok(
            body.data.some((found: { id: string }) => found.id === stored.id),
            `no result for ${q}`,
          );
        }
        const { status, body } = await service.client.get(`/api/v1/entities/${stored.id}`);
        assert.deepEqual([status, body.data.provenance.register], [200, id]);
      });
    }
  });
}
