import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { writeSynthetic } from '../../src/formats/write.ts';
import { countries, registers } from '../../src/registers/index.ts';
import { importFiles } from '../../src/registry/import.ts';
import { engines } from '../harness/databases.ts';
import { startService } from '../harness/service.ts';

for (const engine of engines) {
  describe(`GET /api/v1/countries on ${engine}`, () => {
    test('200: all countries including planned ones, sorted by code, with their number', async () => {
      await using service = await startService(engine);
      const { status, body } = await service.client.get('/api/v1/countries');
      assert.equal(status, 200);
      assert.equal(body.meta.count, countries.length);
      const codes = body.data.map(({ code }: { code: string }) => code);
      assert.deepEqual(codes, [...codes].sort());
      assert.deepEqual(
        body.data.find(({ code }: { code: string }) => code === 'NO'),
        {
          code: 'NO',
          name: 'Norway',
          nativeName: 'Norge / Noreg',
          enabled: false,
        },
      );
      for (const country of ['AU', 'FR', 'UA', 'US']) assert.ok(codes.includes(country));
    });

    test('a country is enabled when one of its registers has data', async () => {
      await using service = await startService(engine);
      const register = registers.find(({ id }) => id === 'ee') as (typeof registers)[0];
      const folder = join(service.database.dataDir, 'in');
      mkdirSync(folder);
      const path = await writeSynthetic(folder, register.generate(10, 1));
      await importFiles(service.services.registryDb, service.clock, { register, registers, paths: [path] });
      const { body } = await service.client.get('/api/v1/countries');
      const enabled = body.data.filter((country: { enabled: boolean }) => country.enabled);
      assert.deepEqual(
        enabled.map(({ code }: { code: string }) => code),
        ['EE'],
      );
    });

    test('400 for any parameter; 503 when the database is unavailable', async () => {
      await using service = await startService(engine);
      assert.equal((await service.client.get('/api/v1/countries?enabled=true')).status, 400);
      await service.services.registryDb.close();
      const reply = await service.client.get('/api/v1/countries');
      assert.deepEqual([reply.status, reply.body.error.code], [503, 'service_unavailable']);
    });
  });
}
