import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import type { Db } from '../../src/base/db/db.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import { firstNotBelow } from '../../src/search/memory/answer/words.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { copyChunk, rowColumns } from '../../src/search/memory/build/chunk.ts';
import { addTextRows, createTextRows, layOutTexts } from '../../src/search/memory/build/texts.ts';
import { computeChecksum, loadIndex, saveIndex } from '../../src/search/memory/index-file.ts';
import { arrayTypes, type IndexArrays, type SearchIndex } from '../../src/search/memory/search-index.ts';
import {
  limitShortOffsets,
  positionOf,
  sharedBytes,
  sharedNumbers,
  sharedShorts,
} from '../../src/search/memory/shared-arrays.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase } from '../harness/databases.ts';
import { scenarios } from './world-queries.ts';
import { NOW, storeWorld } from './world-store.ts';

const GREATEST_SHORT = 2 ** 32 - 1;
const ABOVE = 2 ** 32 + 5;

/** Arrays and where their lists start. */
const moved: readonly (readonly [keyof IndexArrays, keyof IndexArrays])[] = [
  ['summary.canonicalName.text', 'summary.canonicalName.starts'],
  ['numberText', 'numberStarts'],
  ['vocabularyText', 'vocabularyStarts'],
  ['words', 'wordsStarts'],
  ['wordDocs', 'wordDocsStarts'],
  ['bridgeDocs', 'bridgeDocsStarts'],
  ['gramDocs', 'gramDocsStarts'],
  ['setDocs', 'setDocsStarts'],
];

/** The same content at the end of a much longer array, most of which is never touched and takes no memory. */
function moveBehind(arrays: IndexArrays, name: keyof IndexArrays, startsName: keyof IndexArrays) {
  const array = arrays[name];
  const before = array instanceof Uint8Array ? ABOVE : 2 ** 31 + 5;
  const create =
    array instanceof Uint8Array ? sharedBytes : array instanceof Uint16Array ? sharedShorts : sharedNumbers;
  const longer = create(before + array.length);
  longer.set(array, before);
  return { [name]: longer, [startsName]: Float64Array.from(arrays[startsName], (start) => start + before) };
}

/** A store with 125 million entities has arrays with more elements than 32 bits can count. */
describe('an index with large offsets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-wide-'));
  const file = join(folder, 'search.index');
  let db: Db;
  let close: () => Promise<void>;
  before(async () => {
    const database = await createDatabase('sqlite');
    db = openStore('registry', database);
    await migrate(db, loadMigrations('registry'), testClock());
    close = async () => {
      await db.close();
      await database[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    };
  });
  afterEach(() => limitShortOffsets(GREATEST_SHORT));
  after(() => close());

  async function buildWith(greatest: number): Promise<SearchIndex> {
    limitShortOffsets(greatest);
    return buildIndex(db);
  }

  test('has the same values in eight bytes each, and gives the same answers, also from its file', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios(60), async ({ entities, queries }) => {
        await storeWorld(db, entities, NOW);
        const short = await buildWith(GREATEST_SHORT);
        const wide = await buildWith(-1);
        await saveIndex(file, wide);
        const loaded = (await loadIndex(file)) ?? assert.fail('not loaded');
        assert.deepEqual(loaded, wide);
        for (const [name, type] of Object.entries(arrayTypes)) {
          const [array, expected] = [wide, short].map(({ arrays }) => arrays[name as keyof IndexArrays]);
          if (type !== 'offsets') assert.deepEqual(array, expected, name);
          else {
            assert.ok(array instanceof Float64Array && expected instanceof Uint32Array, name);
            assert.deepEqual([...array], [...expected], name);
          }
        }
        const engines = [short, loaded].map((index) =>
          createEngine({ version: index.version, base: index }, { cacheBytes: 0 }),
        );
        for (const query of queries) {
          const [expected, found] = engines.map((engine) => Buffer.from(engine.find(query).body).toString());
          assert.equal(found, expected, JSON.stringify(query));
        }
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  test('arrays of more than 4 GiB and 2^31 elements are read at any position', async () => {
    const [{ entities, queries } = assert.fail()] = fc.sample(scenarios(200), { numRuns: 1, seed: 7 });
    await storeWorld(db, entities, NOW);
    const index = await buildWith(GREATEST_SHORT);
    const find = (arrays: IndexArrays) => {
      const engine = createEngine({ version: index.version, base: { ...index, arrays } }, { cacheBytes: 0 });
      return queries.map((query) => Buffer.from(engine.find(query).body).toString());
    };
    const expected = find(index.arrays);
    for (const [name, startsName] of moved) {
      assert.deepEqual(find({ ...index.arrays, ...moveBehind(index.arrays, name, startsName) }), expected, name);
    }
  });

  test('a build reads texts behind 4 GiB and writes them to an array of more than 4 GiB', () => {
    const rows = createTextRows();
    // Only the pages that are written to take memory.
    rows.bytes.bytes = new Uint8Array(ABOVE + 4_096);
    rows.bytes.length = ABOVE;
    const values: Record<string, string> = {
      id: '00000000-0000-5b4a-90e8-a9aa22b60000',
      canonical_name: 'ŒUVRE "1"',
      number_keys: '12-3\t123',
      registration_number: '12-3',
    };
    addTextRows(rows, copyChunk(Buffer.from(rowColumns.map((column) => `${values[column] ?? ''}\0`).join(''))));
    rows.lengths.names = ABOVE;
    const { summary, numbers } = layOutTexts(rows, Uint32Array.of(0), 1);
    const { 'summary.canonicalName.starts': starts, 'summary.canonicalName.steps': steps } = summary;
    assert.ok(starts instanceof Float64Array);
    const name = summary['summary.canonicalName.text'].slice(0, positionOf(starts, steps, 1));
    assert.equal(Buffer.from(name).toString(), 'ŒUVRE \\"1\\"');
    assert.equal(Buffer.from(numbers.bytes).toString(), values.number_keys);
  });

  test('the checksum of an array of more than 4 GiB covers all of it', () => {
    // Never written to except at its ends, so it takes almost no memory; but its checksum reads it all.
    const bytes = sharedBytes(ABOVE + 1);
    bytes[0] = 1;
    const before = computeChecksum(bytes);
    bytes[ABOVE] = 1;
    assert.notEqual(computeChecksum(bytes), before);
    assert.equal(computeChecksum(bytes.subarray(0, 100)), crc32(bytes.subarray(0, 100)));
  });

  test('a binary search finds items above 2^31', () => {
    for (const wanted of [0, 2 ** 31 - 1, 2 ** 31 + 1, 2 ** 32 - 2, GREATEST_SHORT]) {
      assert.equal(
        firstNotBelow(GREATEST_SHORT, (item) => item < wanted),
        wanted,
      );
    }
  });
});
