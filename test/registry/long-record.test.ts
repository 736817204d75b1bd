import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Db, Value } from '../../src/base/db/db.ts';
import { Failure } from '../../src/base/errors.ts';
import { createExcerpt, selectListPage } from '../../src/base/json/json-excerpt.ts';
import { registers } from '../../src/registers/index.ts';
import { createRegistry, type Registry } from '../../src/registry/registry.ts';
import { importLargeCompany } from '../abuse/large-company.ts';
import { usualEngines } from '../harness/databases.ts';
import { useService } from '../harness/shared-service.ts';

const TABLE = 'estabelecimentos';

for (const engine of usualEngines) {
  describe(`a record with a source of five million characters on ${engine}`, () => {
    const service = useService(engine);
    let id: string;
    let registry: Registry;
    let rows: string[][];
    /** Characters or bytes of the longest value that a statement has returned so far. */
    let largest = 0;

    before(async () => {
      id = await importLargeCompany(service, 'br', 30);
      const db = service.services.registryDb;
      const [[cells, columns] = []] = await db.rows(
        'SELECT source_data, columns FROM entities JOIN layouts ON layouts.id = layout WHERE entities.id = $1',
        [id],
      );
      const [main, ...lists] = JSON.parse(String(cells)) as [string[], ...string[][][]];
      const at = Object.keys(JSON.parse(String(columns))).indexOf(TABLE) - 1;
      const [template = []] = lists[at] ?? [];
      // Characters of one, two and three bytes, and of two units at every place where a piece may end.
      rows = Array.from({ length: 6_000 }, (_, number) =>
        template.map((cell, index) => (index === 4 ? `LOJA "${number}" ã€${'😀'.repeat(400)}` : cell)),
      );
      lists[at] = rows;
      await db.run('UPDATE entities SET source_data = $2 WHERE id = $1', [id, JSON.stringify([main, ...lists])]);
      const counting: Db = {
        ...db,
        async rows(sql: string, params?: readonly Value[]) {
          const found = await db.rows(sql, params);
          for (const value of found.flat()) {
            if (typeof value === 'object' || typeof value === 'string') largest = Math.max(largest, value?.length ?? 0);
          }
          return found;
        },
      };
      registry = createRegistry(counting, registers);
    });

    const readBody = async (): Promise<string> => {
      const text = String((await registry.findEntity(id))?.content);
      return text.slice('{"data":'.length, -1);
    };

    test('is complete, although its text is read in pieces', async () => {
      largest = 0;
      const text = await readBody();
      const list = JSON.parse(text).sourceData[TABLE] as object[];
      assert.deepEqual(
        list.map((row) => Object.values(row)),
        rows,
      );
      assert.ok(text.length > 5_000_000);
      assert.ok(largest < text.length, 'the longest piece is shorter than the text');
    });

    test('has the excerpt and the lists of its complete text', async () => {
      const text = await readBody();
      const { json, length, ...excerpt } = (await registry.findExcerpt(id))?.content ?? {};
      assert.deepEqual(excerpt, createExcerpt(text));
      assert.deepEqual({ json, length }, { json: null, length: text.length });
      assert.equal(excerpt.totals?.[`/sourceData/${TABLE}`], rows.length);
      for (const [pointer, first] of [
        [`/sourceData/${TABLE}`, 5_990],
        [`/sourceData/${TABLE}`, 30_000],
        [`/sourceData/${TABLE}/5`, 0],
        ['/sourceData/none', 0],
        ['/registry/establishments', 20],
        ['/registrations', 0],
        ['/registry', 0],
      ] as const) {
        const found = (await registry.findList(id, { pointer, first, count: 50 }))?.content;
        assert.deepEqual(found, selectListPage(text, pointer, first, 50), pointer);
      }
    });

    test('is read once for requests of the same version, and its columns are not read for results', async () => {
      const body = (await registry.findEntity(id))?.content;
      largest = 0;
      assert.equal((await registry.findEntity(id))?.content, body);
      assert.equal((await registry.findMainRows([id])).size, 1);
      assert.ok(largest < 50_000, `${largest} characters`);
    });

    test('of too many requests at the same time, some are refused', async () => {
      const results = await Promise.allSettled(Array.from({ length: 30 }, () => registry.findExcerpt(id)));
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      assert.equal(refused.length, 13);
      for (const reason of refused) assert.ok(reason instanceof Failure && reason.code === 'service_unavailable');
      assert.ok((await registry.findExcerpt(id)) !== undefined, 'and later ones are answered');
    });
  });
}
