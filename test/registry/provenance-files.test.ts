import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openPackage } from '../../src/formats/unpack.ts';
import { importFiles } from '../../src/importing/import.ts';
import { type Claim, isSynthetic } from '../../src/importing/proof/claim.ts';
import { registers } from '../../src/registers/index.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { collectBytes } from '../formats/feed.ts';
import { useImports } from './gb-import.ts';

interface ListedFile {
  readonly file: string;
  readonly table: string;
  readonly rows: readonly { readonly first: number; readonly last: number }[];
}

describe('provenance of joined registers, each table in a file of its own', () => {
  const store = useImports('sqlite');

  async function unpack(path: string): Promise<string[]> {
    const opened = await openPackage(path);
    const paths = [];
    for (const packed of opened.files) {
      const target = join(store.folder, packed.name.replaceAll('/', '_'));
      writeFileSync(target, await collectBytes(packed.open()));
      paths.push(target);
    }
    await opened.close();
    return paths;
  }

  async function readRecords() {
    const registry = createRegistry(store.db, registers);
    const ids = await store.db.all<{ id: string }>('SELECT id FROM entities');
    return Promise.all(ids.map(async ({ id }) => JSON.parse(String((await registry.findEntity(id))?.content)).data));
  }

  const joined = registers.filter(({ sources }) => sources.some((source) => source.kind === 'table' && source.joins));
  test('there are such registers', () => assert.ok(joined.some(({ id }) => id === 'ro')));

  for (const register of joined) {
    test(`${register.id}: each record names every file it has rows of, and how many`, async () => {
      const paths = await unpack(await writeSynthetic(store.folder, generateFile(register, 20, 3)));
      await importFiles(store.db, store.clock, { register, registers, paths, mode: 'full' });
      const tables = new Map(register.sources.map((source) => [source.name, source]));
      let joinedRows = 0;
      for (const { sourceData, provenance } of await readRecords()) {
        const files: ListedFile[] = provenance.files;
        assert.deepEqual([files[0]?.file, files[0]?.rows[0]?.first], [provenance.file, provenance.row]);
        for (const [table, rows] of Object.entries<unknown>(sourceData)) {
          assert.ok(tables.has(table), table);
          const listed = files.filter((file) => file.table === table).flatMap((file) => file.rows);
          const count = listed.reduce((sum, { first, last }) => sum + last - first + 1, 0);
          assert.equal(count, Array.isArray(rows) ? rows.length : 1, `${register.id} ${table}`);
          if (tables.get(table)?.map === undefined) joinedRows += count;
        }
        const codes = files.filter(({ rows }) => rows.length === 0);
        assert.ok(codes.every(({ table }) => !(table in sourceData)));
      }
      assert.ok(joinedRows > 0);
    });
  }
});

test('a record is synthetic if its main file is, or a part that it has rows of', () => {
  const claim = (main: number, synthetic: readonly number[], used: readonly number[]) =>
    ({
      file: { synthetic: main, parts: synthetic.map((each) => ({ synthetic: each })) },
      parts: used.map((number) => ({ number })),
    }) as unknown as Claim;
  assert.equal(isSynthetic(claim(1, [0], [0])), true);
  assert.equal(isSynthetic(claim(0, [0, 0], [0, 1])), false);
  assert.equal(isSynthetic(claim(0, [0, 1], [0, 1])), true);
  assert.equal(isSynthetic(claim(0, [0, 1], [0])), false, 'it has no row of the invented part');
  assert.equal(isSynthetic({ ...claim(1, [1], [0]), file: undefined }), false, 'the file is not known any more');
});
