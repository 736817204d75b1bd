import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { SYNTHETIC_MARK } from '../../src/formats/synthetic-mark.ts';
import { openPackage } from '../../src/formats/unpack.ts';
import { importFiles } from '../../src/importing/import.ts';
import { registers } from '../../src/registers/index.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import type { SyntheticFile } from '../../synthetic/file.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { collectBytes, zip } from '../formats/feed.ts';
import { usualEngines } from '../harness/databases.ts';
import { company, writeGb } from './gb-file.ts';
import { findRegister, useImports } from './gb-import.ts';

for (const engine of usualEngines) {
  describe(`synthetic files on ${engine}`, () => {
    const store = useImports(engine);
    const generate = (id: string, rows = 12) => writeSynthetic(store.folder, generateFile(findRegister(id), rows, 5));
    const run = (id: string, path: string, mode: 'full' | 'partial' = 'full') =>
      importFiles(store.db, store.clock, { register: findRegister(id), registers, paths: [path], mode });
    const registry = () => createRegistry(store.db, registers);
    const isSynthetic = async (id: string) =>
      (await registry().listRegisters(store.clock.now())).find(({ register }) => register.id === id)?.synthetic;

    for (const { id } of registers) {
      test(`${id}: a generated file is recognized, read without problems, and every record says that it is invented`, async () => {
        const { synthetic, warnings, ...result } = await run(id, await generate(id, 150));
        assert.equal(synthetic, true);
        assert.match(warnings.join(), /is synthetic: its companies are invented/);
        assert.equal(await isSynthetic(id), true);
        const { counts, unknownColumns, unknownValues, skipped } = result;
        // Real files have dates such as 20.08.1111 (md) and companies without a number (ua), too.
        const problems = result.problems.filter(
          ({ problem }) => !/^a date before 1900|^no registration number/.test(problem),
        );
        assert.deepEqual([problems, unknownColumns, unknownValues, skipped], [[], [], [], []]);
        assert.ok(counts.rejected === 0 && counts.added > 140 && counts.added + counts.duplicates === counts.rows);
        for (const entity of await store.db.all<{ id: string }>('SELECT id FROM entities ORDER BY id LIMIT 5')) {
          const { provenance } = JSON.parse(String((await registry().findEntity(entity.id))?.content)).data;
          assert.equal(provenance.synthetic, true);
          assert.match(provenance.publisher, /synthetic/);
        }
      });
    }

    test('a large file, which threads map, is recognized too', async () => {
      const path = await writeSynthetic(store.folder, {
        ...generateFile(findRegister('no'), 4_000, 5),
        packing: 'none',
      });
      assert.ok(statSync(path).size >= 4 * 1024 * 1024);
      const result = await run('no', path);
      assert.deepEqual([result.synthetic, result.counts.added], [true, 4_000]);
    });

    test('the mark survives another name, another packing and no packing', async () => {
      const lv = await generate('lv');
      const renamed = join(store.folder, 'official.csv');
      renameSync(lv, renamed);
      assert.equal((await run('lv', renamed)).synthetic, true);
      writeFileSync(`${renamed}.gz`, gzipSync(readFileSync(renamed)));
      assert.equal((await run('lv', `${renamed}.gz`)).synthetic, true);
      const unpacked = join(store.folder, 'enheter.json');
      writeFileSync(unpacked, gunzipSync(readFileSync(await generate('no'))));
      assert.equal((await run('no', unpacked)).synthetic, true);
      const opened = await openPackage(await generate('ua'));
      const xml = Buffer.from(await collectBytes(opened.files[0]?.open() as AsyncIterable<Uint8Array>));
      await opened.close();
      const repacked = join(store.folder, 'repacked.zip');
      writeFileSync(repacked, await zip({ 'other.xml': xml }));
      assert.equal((await run('ua', repacked)).synthetic, true);
    });

    test('a file with official rows behind generated ones is synthetic', async () => {
      const path = await generate('lv');
      const [, ...rows] = readFileSync(path, 'utf8').trimEnd().split('\n');
      appendFileSync(path, rows.map((row) => `${row.replace(/^\d/, '9')}\n`).join(''));
      const { synthetic, counts } = await run('lv', path);
      assert.deepEqual([synthetic, counts.rows], [true, 24]);
    });

    test('an official file is not synthetic, even if it talks about synthetic data or ends with blank lines', async () => {
      const name = 'SYNTHETIC DATA: INVENTED COMPANIES, GENERATED BY FIRMAMENT LTD';
      const path = writeGb(store.folder, 'official.csv', [company('00000001', name)]);
      assert.equal((await run('gb', path)).synthetic, false);
      appendFileSync(path, SYNTHETIC_MARK.slice(0, -1));
      assert.equal((await run('gb', path)).synthetic, false);
      assert.equal(await isSynthetic('gb'), false);
      const [entity] = await store.db.all<{ id: string }>('SELECT id FROM entities');
      const { provenance } = JSON.parse(String((await registry().findEntity(entity?.id ?? ''))?.content)).data;
      assert.deepEqual([provenance.synthetic, provenance.publisher], [false, 'Companies House']);
    });

    test('a register stays synthetic until a full import of official files', async () => {
      await run('gb', await generate('gb'));
      const official = writeGb(store.folder, 'official.csv', [company('00000001', 'A LTD')]);
      await run('gb', official, 'partial');
      assert.equal(await isSynthetic('gb'), true);
      await run('gb', official, 'full');
      assert.equal(await isSynthetic('gb'), false);
    });
  });
}

describe('generated files', () => {
  for (const register of registers) {
    test(`${register.id}: depend only on the seed, and begin at once however many rows they have`, () => {
      const write = (seed: number) => JSON.stringify(take(generateFile(register, 60, seed), 60));
      assert.equal(write(5), write(5));
      assert.notEqual(write(5), write(6));
      assert.notEqual(take(generateFile(register, 50_000_000, 5), 1).length, 0);
    });
  }
});

/** The first rows or records of each part of a file. */
function take({ content }: SyntheticFile, rows: number): unknown[] {
  const first = (values: Iterable<unknown>) => Iterator.from(values).take(rows).toArray();
  if (content.type === 'archive') return content.files.flatMap((file) => first(file.content.rows));
  if (content.type === 'xlsx') return content.sheets.flatMap((sheet) => first(sheet.rows));
  return first(content.type === 'csv' ? content.rows : content.values);
}
