import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { tablesVersion } from '../../src/classifications/isic.ts';
import { systemClock } from '../../src/core/clock.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { importFiles } from '../../src/importing/import.ts';
import { registers } from '../../src/registers/index.ts';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { describeFormat, loadIndex, saveIndex } from '../../src/search/memory/index-file.ts';
import { withoutOverlay } from '../../src/search/memory/overlay.ts';
import { arrayTypes, indexParts, type SearchIndex } from '../../src/search/memory/search-index.ts';
import { company, writeGb } from '../registry/gb-file.ts';

const query = {
  country: undefined,
  register: undefined,
  status: undefined,
  legalForm: undefined,
  legalFormCode: undefined,
  elf: undefined,
  legalFormClass: undefined,
  activity: undefined,
  isic: undefined,
  activityType: 'unlicensed',
  registeredFrom: undefined,
  registeredTo: undefined,
  sort: 'name',
} as const;

describe('an index file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-index-file-'));
  const file = join(folder, 'search.index');
  let index: SearchIndex;
  let whole: Buffer;

  before(async () => {
    const rows = Array.from({ length: 40 }, (_, at) =>
      company(String(at + 1).padStart(8, '0'), `FIRM ${at} & ŒUVRE "${at}" LTD`),
    );
    const db = openStore('registry', { databaseUrl: undefined, dataDir: folder });
    await migrate(db, readMigrations('registry'), systemClock);
    const register = registers.find(({ id }) => id === 'gb') ?? assert.fail();
    await importFiles(db, systemClock, {
      register,
      registers,
      paths: [writeGb(folder, 'gb.csv', rows)],
      mode: 'partial',
    });
    index = await buildIndex(db);
    await db.close();
    await saveIndex(file, index);
    whole = readFileSync(file);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('loads as the index that was saved, with the same answers', async () => {
    const loaded = (await loadIndex(file, index.version)) ?? assert.fail('not loaded');
    assert.deepEqual(loaded, index);
    for (const q of ['', 'firm 1', 'ŒUVRE', '0003', '"', 'ltd', 'm 2']) {
      const request = { ...query, q, page: 1, pageSize: 100 };
      assert.deepEqual(
        createEngine(withoutOverlay(loaded)).find(request),
        createEngine(withoutOverlay(index)).find(request),
      );
    }
    assert.equal(
      createEngine(withoutOverlay(loaded)).find({ ...query, q: 'firm 1', page: 1, pageSize: 100 }).total,
      11,
    );
  });

  test('is loaded into shared memory, so that threads need no copies', async () => {
    const loaded = (await loadIndex(file, index.version)) ?? assert.fail('not loaded');
    for (const array of Object.values({ ...loaded.arrays, ...index.arrays })) {
      assert.ok(array.buffer instanceof SharedArrayBuffer);
    }
  });

  test('built from other data is not loaded, nor is a missing file', async () => {
    assert.equal(await loadIndex(file, 'other'), undefined);
    assert.equal(await loadIndex(join(folder, 'nothing'), index.version), undefined);
  });

  test('with another set of columns or another meaning is not loaded', async () => {
    const parts: typeof indexParts = { ...indexParts, classifications: tablesVersion };
    const { 'summary.status': _, ...without } = parts;
    const formats = [
      describeFormat(without, 1),
      describeFormat({ ...parts, 'summary.another': 'narrow' }, 1),
      describeFormat({ ...parts, 'summary.status': 'numbers' }, 1),
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
    assert.ok(await loadIndex(changed, index.version));
    for (const format of formats) {
      writeWith(format);
      assert.equal(await loadIndex(changed, index.version), undefined, format);
    }
  });

  test('has every array that the format names', () => {
    assert.deepEqual(Object.keys(index.arrays).sort(), Object.keys(arrayTypes).sort());
    assert.deepEqual(
      Object.keys({ ...index.arrays, ...index.texts }).sort(),
      Object.keys(indexParts).concat('columns').sort(),
    );
  });

  test('truncated anywhere is not loaded', async () => {
    const cut = join(folder, 'cut');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length - 1 }), async (length) => {
        writeFileSync(cut, whole);
        truncateSync(cut, length);
        assert.equal(await loadIndex(cut, index.version), undefined);
      }),
    );
  });

  test('with any bit changed is not loaded', async () => {
    const damaged = join(folder, 'damaged');
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(7), async (place, bit) => {
        const bytes = Buffer.from(whole);
        bytes[place] = (bytes[place] as number) ^ (1 << bit);
        writeFileSync(damaged, bytes);
        assert.equal(await loadIndex(damaged, index.version), undefined);
      }),
    );
  });

  test('is replaced atomically, and the leftovers of a killed process are removed', async () => {
    // No process has this id: it is above the highest id on Linux and macOS.
    writeFileSync(`${file}.99999999.tmp`, 'half an index');
    await saveIndex(file, { ...index, version: 'next' });
    assert.ok(await loadIndex(file, 'next'));
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.tmp')),
      [],
    );
  });
});
