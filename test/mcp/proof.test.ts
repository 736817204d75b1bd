import assert from 'node:assert/strict';
import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createProofs } from '../../src/updating/proofs.ts';
import { engines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { type Called, call, connect } from './connect.ts';

const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';

for (const engine of engines) {
  describe(`verify_provenance on ${engine}`, () => {
    let service: TestService;
    let original: string;
    let kept: string;
    before(async () => {
      service = await startService(engine);
      await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
      const { dataDir } = service.database;
      const [imported] = globSync(join(dataDir, 'in-*', 'companies.csv'));
      original = imported ?? assert.fail('the imported file is gone');
      kept = join(dataDir, 'sources', 'gb', '20260901T000000Z');
    });
    after(() => service[Symbol.asyncDispose]());

    async function verify(): Promise<Called> {
      await using client = await connect(service, await service.createKey());
      return await call(client, 'verify_provenance', { id: ALPHA });
    }

    function keepOriginal(): void {
      mkdirSync(kept, { recursive: true });
      cpSync(original, join(kept, 'companies.csv'));
    }

    test('says that the file is not kept, and what to compare elsewhere', async () => {
      rmSync(kept, { recursive: true, force: true });
      const { text, data } = await verify();
      assert.deepEqual([data.outcome, data.compared, data.differences], ['not kept', 0, 0]);
      assert.equal(data.source.row, 2);
      assert.match(text, /Not proven: the file is not kept here\./);
    });

    test('compares every cell and field with the file that is kept', async () => {
      keepOriginal();
      const { text, data } = await verify();
      assert.equal(data.outcome, 'proven', text);
      assert.ok(data.compared > 50 && data.differences === 0, text);
      assert.match(text, /Proven just now/);
      assert.ok(!text.includes(service.database.dataDir) && !JSON.stringify(data).includes(service.database.dataDir));
    });

    test('finds a record that was changed in the store', async () => {
      keepOriginal();
      const { registryDb } = service.services;
      const rename = (name: string) =>
        registryDb.run('UPDATE entities SET canonical_name = $1 WHERE id = $2', [name, ALPHA]);
      await rename('ALPHA LIMITED');
      try {
        const { text, data } = await verify();
        assert.deepEqual([data.outcome, data.differences], ['different', 1]);
        assert.match(text, /Different: 1 of \d+ cells and fields are not what the file says\. Do not rely/);
      } finally {
        await rename('ALPHA LTD');
      }
    });

    test('proves one record at a time, and not for long', async () => {
      keepOriginal();
      const location = { databaseUrl: service.database.databaseUrl, dataDir: service.database.dataDir };
      const folder = join(service.database.dataDir, 'sources');
      const proofs = createProofs({ location, folder });
      const [first, second] = await Promise.all([proofs.prove(ALPHA), proofs.prove(ALPHA)]);
      assert.equal(typeof first === 'object' && first.outcome, 'proven');
      assert.equal(second, 'busy');
      assert.equal(await proofs.prove('00000000-0000-5000-8000-000000000000'), undefined);
      assert.equal(await createProofs({ location, folder, maxMs: 0 }).prove(ALPHA), 'too slow');
    });

    test('a server that closes stops the proof', async () => {
      const { databaseUrl, dataDir } = service.database;
      const proofs = createProofs({ location: { databaseUrl, dataDir }, folder: join(dataDir, 'sources') });
      const proof = assert.rejects(proofs.prove(ALPHA), /the thread that proves a record stopped/);
      await proofs.close();
      await proof;
    });
  });
}
