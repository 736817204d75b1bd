/** Files of 4 MiB and more are mapped by threads. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';
import { importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { usualEngines } from '../harness/databases.ts';
import { writeGb } from './gb-file.ts';
import { findRegister, numbered, useImports } from './gb-import.ts';

const isLarge = (path: string) => statSync(path).size >= 4 * 1024 * 1024;

for (const engine of usualEngines) {
  describe(`large files on ${engine}`, () => {
    const store = useImports(engine);
    const importInto = (id: string, paths: readonly string[]) =>
      importFiles(store.db, store.clock, { register: findRegister(id), registers, paths });

    for (const [id, rows] of Object.entries({ gb: 14_000, no: 4_000, gleif: 5_000, ua: 9_000 }))
      test(`${id}: the records and problems are those of the main thread`, async () => {
        // The records of a file can be read once.
        const [file, same] = [generateFile(findRegister(id), rows, 5), generateFile(findRegister(id), rows, 5)];
        const packed = await writeSynthetic(store.folder, file);
        const name = `plain.${file.content.type}`;
        const plain = await writeSynthetic(store.folder, { ...same, name, packing: 'none' });
        assert.deepEqual([isLarge(packed), isLarge(plain)], [false, true]);
        const threads = await importInto(id, [plain]);
        assert.equal(threads.counts.rows, rows);
        const { counts, ...report } = await importInto(id, [packed]);
        assert.equal(counts.unchanged, threads.counts.added);
        assert.deepEqual([report.unreadable, report.withoutNumber], [threads.unreadable, threads.withoutNumber]);
        const place = (one: (typeof report.problems)[number]) => ({ ...one, file: '' });
        assert.deepEqual(report.problems.map(place), threads.problems.map(place));
      });

    test('unknown values are counted, and a damaged record is named, whichever thread finds it', async () => {
      const frozen = numbered(1_500, (at) => ({
        URI: 'x'.repeat(3_000),
        CompanyStatus: at % 400 ? 'Active' : 'Frozen',
      }));
      const { unknownValues } = await store.run(writeGb(store.folder, 'frozen.csv', frozen));
      assert.deepEqual(unknownValues, [{ kind: 'status', column: 'CompanyStatus', value: 'Frozen', rows: 4 }]);
      const { name, ...file } = generateFile(findRegister('no'), 4_000, 3);
      const whole = readFileSync(
        await writeSynthetic(store.folder, { ...file, name: 'whole.json', packing: 'none' }),
        'utf8',
      );
      for (const record of [700, 3_900]) {
        const at = whole.split('{"organisasjonsnummer"', record).join('{"organisasjonsnummer"').length;
        const path = store.write('damaged.json', `${whole.slice(0, at)}{nothing},${whole.slice(at)}`);
        const message = new RegExp(`^damaged\\.json: record ${record}: `);
        await assert.rejects(importInto('no', [path]), { name: 'FormatError', message });
      }
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
      assert.deepEqual([isLarge(packed), plain.some(isLarge)], [false, true]);
      const first = await importInto('ro', plain);
      assert.deepEqual([first.counts.added, first.unreadable], [1_500, 0]);
      const { counts } = await importInto('ro', [packed]);
      assert.deepEqual([counts.unchanged, counts.changed, counts.added], [1_500, 0, 0]);
    });
  });
}
