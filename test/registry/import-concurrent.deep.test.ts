import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../src/base/db/open.ts';
import { importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { engines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { company, writeGb } from './gb-file.ts';
import { findRegister, gb, numbered, useImports } from './gb-import.ts';

describeOn(engines, 'concurrent imports', (engine) => {
  const store = useImports(engine);
  const { run, read, write, clock } = store;

  // SQLite has only one writer.
  if (engine === 'postgres') {
    test('an import that links to other registers waits for their imports', async () => {
      const other = openStore('registry', store.database);
      const gleif = findRegister('gleif');
      const csv =
        'LEI,Entity.LegalName,Entity.LegalJurisdiction,Entity.EntityStatus,Entity.RegistrationAuthority.RegistrationAuthorityID,Entity.RegistrationAuthority.RegistrationAuthorityEntityID';
      const path = write('lei.csv', `${csv}\n001GPB6A9XPE8XJICC14,A Limited,GB,ACTIVE,RA000585,00000001\n`);
      const waiting = Promise.withResolvers<void>();
      let linking: ReturnType<typeof importFiles> | undefined;
      await run(writeGb(store.folder, 'linked.csv', [company('00000001', 'A LTD')]));
      await other.transaction(async (tx) => {
        // As the import of another register does, which may add records that are linked to.
        await tx.hold('links between registers', 'shared');
        linking = importFiles(store.db, clock, {
          register: gleif,
          registers,
          paths: [path],
          onWait: waiting.resolve,
        });
        await waiting.promise;
        assert.doesNotMatch((await read('00000001'))?.number_keys ?? '', /001gpb/);
      });
      await linking;
      await other.close();
      assert.match((await read('00000001'))?.number_keys ?? '', /001gpb6a9xpe8xjicc14/);
    });
  }

  test('a second import of the same register waits (SQLite) or is refused (PostgreSQL)', async () => {
    const other = openStore('registry', store.database);
    const path = writeGb(store.folder, 'second.csv', [company('00000001', 'A LTD')]);
    const waiting = Promise.withResolvers<void>();
    let second: ReturnType<typeof importFiles> | undefined;
    await other.transaction(async (tx) => {
      assert.equal(await tx.claim('import gb'), true);
      second = run(path, { onWait: waiting.resolve });
      if (engine === 'sqlite') await waiting.promise;
      else await assert.rejects(second, /another import of "gb" is running/);
    });
    await other.close();
    if (engine === 'sqlite') assert.equal((await second)?.counts.added, 1);
    else assert.equal((await run(path)).counts.added, 1, 'it works afterwards');
  });

  test('two concurrent imports of a register leave the complete data of one of them', async () => {
    const other = openStore('registry', store.database);
    const rows = numbered(3_000);
    const one = writeGb(store.folder, 'one.csv', rows);
    const two = writeGb(store.folder, 'two.csv', [...rows, company('99999999', 'LAST LTD')]);
    const results = await Promise.allSettled([
      run(one),
      importFiles(other, clock, { register: gb, registers, paths: [two] }),
    ]);
    await other.close();
    assert.ok(results.some(({ status }) => status === 'fulfilled'));
    const held = (await store.db.one('SELECT count(*) AS n FROM entities'))?.n;
    assert.ok(held === 3_000 || held === 3_001, `${held} entities`);
    assert.equal((await store.db.one('SELECT entities FROM holdings'))?.entities, held);
  });
});
