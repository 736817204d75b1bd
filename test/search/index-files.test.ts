import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { openStore } from '../../src/base/db/open.ts';
import { tablesVersion } from '../../src/registers/classifications/isic.ts';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { describeFormat, loadIndex, saveIndex } from '../../src/search/memory/index-file.ts';
import { withoutOverlay } from '../../src/search/memory/overlay.ts';
import { arrayTypes, indexParts, type SearchIndex } from '../../src/search/memory/search-index.ts';
import { createDatabase } from '../harness/databases.ts';
import { everything } from './world-queries.ts';
import { NOW, storeWorld } from './world-store.ts';
import { company } from './worlds.ts';

describe('an index file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-index-file-'));
  const file = join(folder, 'search.index');
  let index: SearchIndex;
  let whole: Buffer;

  before(async () => {
    const world = Array.from({ length: 40 }, (_, at) =>
      company(`FIRM ${at} & ŒUVRE "${at}" LTD`, String(at + 1).padStart(8, '0')),
    );
    const database = await createDatabase('sqlite', { migrated: true });
    const db = openStore('registry', database);
    await storeWorld(db, world, NOW);
    index = await buildIndex(db);
    await db.close();
    await database[Symbol.asyncDispose]();
    await saveIndex(file, index);
    whole = readFileSync(file);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('loads as the index that was saved, with the same answers', async () => {
    const loaded = (await loadIndex(file)) ?? assert.fail('not loaded');
    assert.deepEqual(loaded, index);
    const [before, after] = [index, loaded].map((one) => createEngine(withoutOverlay(one)));
    for (const q of ['', 'firm 1', 'ŒUVRE', '0003', '"', 'ltd', 'm 2'])
      assert.deepEqual(after?.find({ ...everything, q }), before?.find({ ...everything, q }));
    assert.equal(after?.find({ ...everything, q: 'firm 1' }).total, 11);
  });

  test('is loaded into shared memory, so that threads need no copies', async () => {
    const loaded = (await loadIndex(file)) ?? assert.fail('not loaded');
    for (const array of Object.values({ ...loaded.arrays, ...index.arrays })) {
      assert.ok(array.buffer instanceof SharedArrayBuffer);
    }
  });

  test('that is missing is not loaded', async () => {
    assert.equal(await loadIndex(join(folder, 'nothing')), undefined);
  });

  test('with another set of columns or another meaning is not loaded', async () => {
    const parts: Record<string, string> = { ...indexParts, classifications: tablesVersion };
    const { 'summary.city': _, ...without } = parts;
    const formats = [
      describeFormat(without, 1),
      describeFormat({ ...parts, 'summary.another': 'narrow' }, 1),
      describeFormat({ ...parts, 'summary.city': 'numbers' }, 1),
      describeFormat(parts, 2),
      describeFormat({ ...parts, classifications: 'other' }, 1),
    ];
    const current = describeFormat(parts, 1);
    assert.equal(new Set([current, ...formats]).size, 6);

    const changed = join(folder, 'format');
    const writeWith = (format: string) => {
      const bytes = Buffer.from(whole);
      const header = bytes.subarray(16, 16 + bytes.readUInt32LE(8));
      assert.ok(header.includes(`{"format":"${current}"`));
      header.write(header.toString('latin1').replace(current, format), 'latin1');
      bytes.writeUInt32LE(crc32(header), 12);
      writeFileSync(changed, bytes);
    };
    writeWith(current);
    assert.ok(await loadIndex(changed));
    for (const format of formats) {
      writeWith(format);
      assert.equal(await loadIndex(changed), undefined, format);
    }
  });

  test('has every array that the format names', () => {
    assert.deepEqual(Object.keys(index.arrays).sort(), Object.keys(arrayTypes).sort());
    assert.deepEqual(
      Object.keys({ ...index.arrays, ...index.texts }).sort(),
      Object.keys(indexParts).concat('columns').sort(),
    );
  });

  test('truncated anywhere, or with any bit changed, is not loaded', async () => {
    const damaged = join(folder, 'damaged');
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(7), async (place, bit) => {
        const bytes = Buffer.from(whole);
        bytes[place] = (bytes[place] as number) ^ (1 << bit);
        for (const content of [bytes, whole.subarray(0, place)]) {
          writeFileSync(damaged, content);
          assert.equal(await loadIndex(damaged), undefined);
        }
      }),
    );
  });

  test('is replaced, and nothing is left of a process that was killed while it saved', async () => {
    writeFileSync(`${file}.tmp`, 'half an index');
    await saveIndex(file, { ...index, version: 'next' });
    assert.equal((await loadIndex(file))?.version, 'next');
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.tmp')),
      [],
    );
  });
});
