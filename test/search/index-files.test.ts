import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { openStore } from '../../src/base/db/open.ts';
import { tablesVersion } from '../../src/registers/classifications/isic.ts';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { describeFormat, loadIndex, loadState, saveIndex, saveOverlay } from '../../src/search/memory/index-file.ts';
import { type IndexState, withoutOverlay } from '../../src/search/memory/overlay.ts';
import { arrayTypes, indexParts, type SearchIndex } from '../../src/search/memory/search-index.ts';
import { createDatabase } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { applyChange, indexNames, nameRow } from './overlay-state.ts';
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
    const loaded = (await loadIndex(file, index.version)) ?? assert.fail('not loaded');
    assert.deepEqual(loaded, index);
    const [before, after] = [index, loaded].map((one) => createEngine(withoutOverlay(one)));
    for (const q of ['', 'firm 1', 'ŒUVRE', '0003', '"', 'ltd', 'm 2'])
      assert.deepEqual(after?.find({ ...everything, q }), before?.find({ ...everything, q }));
    assert.equal(after?.find({ ...everything, q: 'firm 1' }).total, 11);
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

  test('truncated anywhere, or with any bit changed, is not loaded', async () => {
    const damaged = join(folder, 'damaged');
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(7), async (place, bit) => {
        const bytes = Buffer.from(whole);
        bytes[place] = (bytes[place] as number) ^ (1 << bit);
        for (const content of [bytes, whole.subarray(0, place)]) {
          writeFileSync(damaged, content);
          assert.equal(await loadIndex(damaged, index.version), undefined);
        }
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

const rows = (version: string, ...seeds: number[]) =>
  indexNames(
    seeds.map((seed) => nameRow(`Firm ${(seed * 7) % 40} of "${version}"`, seed)),
    version,
  );

/** No process has this id: it is above the highest id on Linux and macOS. */
const DEAD = 99_999_999;

describe('the files of an overlay', () => {
  const root = mkdtempSync(join(tmpdir(), 'firmament-overlay-file-'));
  let folders = 0;
  const newFolder = () => {
    const folder = join(root, String(++folders));
    cpSync(join(root, 'base'), folder, { recursive: true });
    return folder;
  };
  const fileIn = (folder: string) => join(folder, 'search.index');
  const load = (folder: string) => loadState(fileIn(folder));
  const save = (folder: string, state: IndexState) => saveOverlay(fileIn(folder), state);
  /** With one, two and two segments, of which the third state shares one with the second. */
  const states: IndexState[] = [];

  before(async () => {
    const base = await rows('1-a', ...Array.from({ length: 40 }).keys());
    cpSync(mkdtempSync(join(tmpdir(), 'firmament-empty-')), join(root, 'base'), { recursive: true });
    await saveIndex(fileIn(join(root, 'base')), base);
    const first = applyChange(withoutOverlay(base), await rows('2-b', 3, 4, 50), []);
    const second = applyChange(first, await rows('3-c', 4, 5, 51), []);
    const third = applyChange(first, await rows('4-d', 4, 5, 51, 52), ['missing']);
    states.push(first, second, third);
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  const stateAt = (at: number) => states[at] ?? assert.fail();

  test('load as the state that was saved', async () => {
    const folder = newFolder();
    assert.deepEqual(await load(folder), withoutOverlay(stateAt(0).base));
    for (const state of states) {
      await save(folder, state);
      assert.deepEqual(await load(folder), state);
      assert.equal(readdirSync(folder).length, 2 + (state.overlay?.segments.length ?? 0), 'old segments are removed');
    }
    // A state that was loaded is saved again without writing its segments.
    const loaded = (await load(folder)) ?? assert.fail();
    const before = readdirSync(folder);
    await save(folder, loaded);
    assert.deepEqual(readdirSync(folder), before);
    await save(folder, withoutOverlay(stateAt(0).base));
    assert.deepEqual(readdirSync(folder), ['search.index']);
  });

  test('are not loaded with another base, nor without one', async () => {
    const folder = newFolder();
    await save(folder, stateAt(1));
    const other = await rows('9-z', 1, 2, 3);
    await saveIndex(fileIn(folder), other);
    assert.deepEqual(await load(folder), withoutOverlay(other));
    rmSync(fileIn(folder));
    assert.equal(await load(folder), undefined);
  });

  test('truncated or with a bit changed are dropped, and can be saved again', async () => {
    const folder = newFolder();
    await save(folder, stateAt(1));
    const names = readdirSync(folder).filter((name) => name !== 'search.index');
    const contents = new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.nat(), fc.nat(8), async (name, at, bit) => {
        const content = Buffer.from(contents.get(name) ?? assert.fail());
        const path = join(folder, name);
        const place = at % content.length;
        content[place] = (content[place] as number) ^ (1 << bit);
        writeFileSync(path, content);
        if (bit === 8) truncateSync(path, place);
        assert.deepEqual(await load(folder), withoutOverlay(stateAt(1).base));
        await save(folder, stateAt(1));
        assert.deepEqual(await load(folder), stateAt(1));
      }),
      { numRuns: runs(60, 200) },
    );
  });

  test('are those of the old state or of the new one wherever a save is interrupted', async () => {
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [2, 0],
    ] as const) {
      const [old, target] = [newFolder(), newFolder()];
      await save(old, stateAt(from));
      await save(target, stateAt(to));
      const names = { old: readdirSync(old), target: readdirSync(target) };
      const segments = names.target.filter((name) => name.startsWith('search.segment-') && !names.old.includes(name));
      const unused = names.old.filter((name) => !names.target.includes(name));
      // The order in which files are written, then removed.
      const steps: ((folder: string) => () => void)[] = [
        ...segments.map(copy),
        copy('search.overlay'),
        ...unused.map((name) => (folder: string) => () => rmSync(join(folder, name))),
      ];
      function copy(name: string) {
        return (folder: string) => {
          const content = readFileSync(join(target, name));
          // Killed while the file is written, under its temporary name.
          writeFileSync(join(folder, `${name}.${DEAD}.tmp`), content.subarray(0, content.length / 2));
          return () => {
            rmSync(join(folder, `${name}.${DEAD}.tmp`));
            writeFileSync(join(folder, name), content);
          };
        };
      }
      const folder = newFolder();
      cpSync(old, folder, { recursive: true });
      let isNew = false;
      for (const [at, step] of steps.entries()) {
        const finish = step(folder);
        assert.deepEqual(await load(folder), stateAt(isNew ? to : from));
        const retried = newFolder();
        cpSync(folder, retried, { recursive: true });
        await save(retried, stateAt(to));
        assert.deepEqual(readdirSync(retried), names.target, 'leftovers are removed');
        assert.deepEqual(await load(retried), stateAt(to));
        finish();
        isNew ||= at === segments.length;
        assert.deepEqual(await load(folder), stateAt(isNew ? to : from));
      }
      assert.deepEqual(readdirSync(folder), names.target);
    }
  });

  test('without a segment are dropped', async () => {
    const folder = newFolder();
    await save(folder, stateAt(1));
    const segment = readdirSync(folder).find((name) => name.startsWith('search.segment-')) ?? assert.fail();
    rmSync(join(folder, segment));
    assert.deepEqual(await load(folder), withoutOverlay(stateAt(1).base));
  });
});
