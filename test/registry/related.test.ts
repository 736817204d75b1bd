import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Queries } from '../../src/db/db.ts';
import { raiseGeneration } from '../../src/registry/imports/store.ts';
import { findRecords } from '../../src/registry/records.ts';
import { insertLinks } from '../../src/registry/store.ts';
import { engines } from '../harness/databases.ts';
import { writeGb } from './gb-file.ts';
import { numbered, useImports } from './gb-import.ts';

for (const engine of engines) {
  describe(`related records on ${engine}`, () => {
    const store = useImports(engine);
    const NONE = new Set<string>();

    /** Imports companies and returns their ids, by number. */
    const importCompanies = async (count: number) => {
      await store.run(writeGb(store.folder, 'companies.csv', numbered(count)));
      const rows = await store.db.all<{ id: string }>('SELECT id FROM entities ORDER BY registration_number');
      return rows.map(({ id }) => id) as [string, string, string, string];
    };
    const link = async (from: string, to: string) => {
      await insertLinks(store.db, [[from, to, 'x']]);
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
      };
    };

    test('several records and their counterparts are found with two statements, unlinked ones with one', async () => {
      const [a, b, c, d] = await importCompanies(4);
      await link(a, c);
      await link(b, c);
      await link(d, '00000000-0000-0000-0000-000000000000');
      const statements: string[] = [];
      const db = watch((sql) => statements.push(sql));
      const { records } = await findRecords(db, [a, c, d], 4, new Set(['gb']));
      const related = new Map(records.map((record) => [record.entity.id, record.related.map(({ id }) => id)]));
      assert.deepEqual([related.get(a), related.get(c), related.get(d)], [[c], [a, b].sort(), []]);
      assert.equal(statements.length, 2);
      statements.length = 0;
      await findRecords(db, [a, b, d], 4, NONE);
      assert.equal(statements.length, 1);
    });

    test('both statements read the same version of the data', async () => {
      const [a, b] = await importCompanies(2);
      await link(a, b);
      const statements: string[] = [];
      const db = watch(async (sql) => {
        statements.push(sql);
        if (statements.length === 2) await raiseGeneration(store.db, store.clock.now());
      });
      const { version, records } = await findRecords(db, [b], 1, NONE);
      assert.equal(statements.length, 4, 'read again after the import');
      assert.equal(version, (await findRecords(store.db, [b], 1, NONE)).version);
      assert.equal(records[0]?.related.length, 1);
    });
  });
}
