import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Queries } from '../../src/base/db/db.ts';
import { findVersion } from '../../src/base/db/version.ts';
import { insertLinks } from '../../src/import/store.ts';
import { createRecordFinder } from '../../src/registry/records/records.ts';
import { createEntityFinder, MAX_INLINE_BYTES } from '../../src/registry/records/store.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { writeGb } from './gb-file.ts';
import { numbered, useImports } from './gb-import.ts';

const linking = new Map([['gb', { id: 'gb', publisher: '', sourceUrl: '', licence: '', links: true }]]);
const findShort = createEntityFinder(MAX_INLINE_BYTES);

describeOn(usualEngines, 'related records', (engine) => {
  const store = useImports(engine);

  /** Imports companies and returns their ids, by number. */
  const importCompanies = async (count: number) => {
    await store.run(writeGb(store.folder, 'companies.csv', numbered(count)));
    const rows = await store.db.all<{ id: string }>('SELECT id FROM entities ORDER BY registration_number');
    return rows.map(({ id }) => id) as [string, string, string, string];
  };
  const link = async (from: string, to: string) => {
    await insertLinks(store.db, [{ from, to, numbers: 'x' }]);
    await store.db.run("UPDATE entities SET linked_numbers = 'x' WHERE id = $1", [to]);
  };
  /** The database, which calls `onStatement` before each statement. */
  const watch = (onStatement: (sql: string) => unknown): Queries => {
    const { db } = store;
    return {
      ...db,
      async all(sql, params) {
        await onStatement(sql);
        return db.all(sql, params);
      },
      async rows(sql, params) {
        await onStatement(sql);
        return db.rows(sql, params);
      },
    };
  };

  test('several records and their counterparts are found with two statements, unlinked ones with one', async () => {
    const [a, b, c, d] = await importCompanies(4);
    await link(a, c);
    await link(b, c);
    await link(d, '00000000-0000-0000-0000-000000000000');
    const statements: string[] = [];
    const db = watch((sql) => statements.push(sql));
    const findRecords = createRecordFinder(linking, findShort);
    await findRecords(store.db, [a]);
    const { records } = await findRecords(db, [a, c, d]);
    const related = new Map(records.map((record) => [record.entity.id, record.related.map(({ id }) => id)]));
    assert.deepEqual([related.get(a), related.get(c), related.get(d)], [[c], [a, b].sort(), []]);
    assert.equal(statements.length, 2);
    statements.length = 0;
    const findUnlinking = createRecordFinder(new Map(), findShort);
    await findUnlinking(store.db, [a]);
    await findUnlinking(db, [a, b, d]);
    assert.equal(statements.length, 1);
  });

  for (const changedBefore of [2, 3, 4, 5]) {
    test(`all statements read the same version of the data: it changes before statement ${changedBefore}`, async () => {
      const [a, b] = await importCompanies(2);
      await link(a, b);
      const statements: string[] = [];
      const db = watch(async (sql) => {
        if (statements.push(sql) === changedBefore) await restoreBackup();
      });
      const findRecords = createRecordFinder(new Map(), findShort);
      const { version, records } = await findRecords(db, [b]);
      assert.equal(version, await findVersion(store.db));
      assert.ok(statements.length > 5, 'read again');
      assert.equal(records[0]?.related.length, 1);
      assert.equal(records[0]?.file?.name, 'restored.csv');
      assert.equal(records[0]?.file?.parts[0]?.table, 'restored');
    });
  }

  test('the request fails if the data changes during every attempt', async () => {
    const [a, b] = await importCompanies(2);
    await link(a, b);
    const findRecords = createRecordFinder(new Map(), findShort);
    await assert.rejects(findRecords(watch(restoreBackup), [b]), { code: 'service_unavailable' });
  });

  /** Replaces the data: the same ids refer to other files, and the version is another one. */
  async function restoreBackup(): Promise<void> {
    store.clock.advance(1);
    await store.db.transaction(async (tx) => {
      await tx.run('UPDATE generation SET published_at = $1', [store.clock.now()]);
      await tx.run("UPDATE files SET name = 'restored.csv'");
      await tx.run("UPDATE parts SET table_name = 'restored'");
    });
  }
});
