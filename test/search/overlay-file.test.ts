import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { saveIndex } from '../../src/search/memory/index-file.ts';
import { type IndexState, withoutOverlay } from '../../src/search/memory/overlay.ts';
import { loadState, saveOverlay } from '../../src/search/memory/overlay-file.ts';
import { runs } from '../harness/depth.ts';
import { indexNames, nameRow } from './overlay-rows.ts';
import { applyChange } from './overlay-state.ts';

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
      { numRuns: runs(60, 500) },
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
