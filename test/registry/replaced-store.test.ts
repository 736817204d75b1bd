import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { backUpSqlite } from '../../src/base/db/open.ts';
import { findVersion } from '../../src/base/db/version.ts';
import { registers } from '../../src/registers/index.ts';
import { createRegistry, type Registry } from '../../src/registry/registry.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { until } from '../harness/until.ts';
import { company, writeGb } from './gb-file.ts';
import { useImports } from './gb-import.ts';

/** Files and layouts of records are kept in memory. A store that replaces another one has others under the same ids. */

async function show(registry: Registry, id: string) {
  const { provenance, sourceData } = JSON.parse(String((await registry.findEntity(id))?.content)).data;
  return { file: provenance.file, table: provenance.files[0].table, names: Object.keys(sourceData).slice(0, 2) };
}

const IMPORTED = { file: 'imported.csv', table: 'companies', names: ['CompanyName', ' CompanyNumber'] };

describeOn(usualEngines, 'a replaced store', (engine) => {
  const store = useImports(engine);
  const importOne = async () => {
    await store.run(writeGb(store.folder, 'imported.csv', [company('00000001', 'ONE LTD')]));
    return (await store.read('00000001'))?.id ?? '';
  };

  test('is shown with its own files, parts and column names', async () => {
    const id = await importOne();
    const registry = createRegistry(store.db, registers);
    assert.deepEqual(await show(registry, id), IMPORTED);
    store.clock.advance(1);
    await store.db.transaction(async (tx) => {
      await tx.run('UPDATE generation SET published_at = $1', [store.clock.now()]);
      await tx.run("UPDATE files SET name = 'restored.csv'");
      await tx.run("UPDATE parts SET table_name = 'restored'");
      await tx.run(`UPDATE layouts SET columns = replace(columns, '"CompanyName"', '"Name"')`);
    });
    assert.deepEqual(await show(registry, id), {
      file: 'restored.csv',
      table: 'restored',
      names: ['Name', ' CompanyNumber'],
    });
    await store.db.run('DELETE FROM layouts');
  });

  if (engine === 'sqlite') {
    test('is noticed while the file is open', async () => {
      const id = await importOne();
      const backup = join(store.folder, 'backup.db');
      await backUpSqlite(join(store.folder, 'registry.db'), backup);
      store.clock.advance(1);
      await store.db.run("UPDATE files SET name = 'later.csv'");
      await store.db.run('UPDATE generation SET published_at = $1', [store.clock.now()]);
      const registry = createRegistry(store.db, registers);
      assert.equal((await show(registry, id)).file, 'later.csv');
      const version = await findVersion(store.db);
      // Otherwise the new file would be opened with the log of the old one.
      assert.equal(await store.db.shrinkLog(), true);
      renameSync(backup, join(store.folder, 'registry.db'));
      // The file is checked a few times per second.
      await until('the new file is noticed', async () => (await findVersion(store.db)) !== version);
      assert.deepEqual(await show(registry, id), IMPORTED);
    });
  }
});
