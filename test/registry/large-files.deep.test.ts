/** Files of 4 MiB and more are mapped by threads. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';
import { importFiles } from '../../src/importing/import.ts';
import { registers } from '../../src/registers/index.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { usualEngines } from '../harness/databases.ts';
import { writeGb } from './gb-file.ts';
import { findRegister, numbered, useImports } from './gb-import.ts';

for (const engine of usualEngines) {
  describe(`large files on ${engine}`, () => {
    const store = useImports(engine);
    const importInto = (id: string, paths: readonly string[]) =>
      importFiles(store.db, store.clock, { register: findRegister(id), registers, paths });

    test('a generated file is recognized', async () => {
      const path = await writeSynthetic(store.folder, {
        ...generateFile(findRegister('no'), 4_000, 5),
        packing: 'none',
      });
      assert.ok(statSync(path).size >= 4 * 1024 * 1024);
      const result = await importInto('no', [path]);
      assert.deepEqual([result.synthetic, result.counts.added], [true, 4_000]);
    });

    test('companies of rejected rows are kept', async () => {
      const rows = numbered(1_500, () => ({ URI: 'x'.repeat(3_000) }));
      const all = writeGb(store.folder, 'all.csv', rows);
      await store.run(all);
      const lines = readFileSync(all, 'utf8').split('\r\n');
      for (const line of [701, 1_500]) lines[line] += ',""';
      const bad = store.write('bad.csv', lines.join('\r\n'));
      assert.ok(statSync(bad).size > 4 * 1024 * 1024);
      const { counts } = await store.run(bad);
      assert.deepEqual([counts.unchanged, counts.rejected, counts.delisted], [1_498, 2, 0]);
    });

    test('joined files are the same records as on the main thread', async () => {
      const register = findRegister('ro');
      const zip = generateFile(register, 1_500, 3);
      assert.ok(zip.content.type === 'archive');
      const packed = await writeSynthetic(store.folder, zip);
      const plain: string[] = [];
      for (const { name, content } of zip.content.files) {
        plain.push(await writeSynthetic(store.folder, { name, packing: 'none', content }));
      }
      // Long texts for unused codes make the files large enough for a thread without changing a record.
      const unused = `Z^^99^999^9999^${'x'.repeat(4_000)}^9\r\n`.repeat(1_100);
      appendFileSync(plain.at(-1) as string, unused);
      const isLarge = (path: string) => statSync(path).size >= 4 * 1024 * 1024;
      assert.deepEqual([isLarge(packed), plain.some(isLarge)], [false, true]);
      const first = await importInto('ro', plain);
      assert.deepEqual([first.counts.added, first.unreadable], [1_500, 0]);
      const { counts } = await importInto('ro', [packed]);
      assert.deepEqual([counts.unchanged, counts.changed, counts.added], [1_500, 0, 0]);
    });
  });
}
