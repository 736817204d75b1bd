import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createMatcher } from '../../src/search/memory/answer/matcher.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import type { MatchArrays } from '../../src/search/memory/search-index.ts';
import { writeStatement } from '../../src/search/postgres-query.ts';
import { searchEngines, type TestEngine } from './engines.ts';
import { everything } from './world-queries.ts';
import { company } from './worlds.ts';

const syllables = (count: number, word: (at: number) => string, between = ' ') =>
  Array.from({ length: count }, (_, at) => word(at)).join(between);

/** The longest names that the store accepts, of one word and of many, rare and repeated ones. */
const NAMES = [
  syllables(800, (at) => `w${at % 900}`)
    .slice(0, 4_000)
    .trim(),
  syllables(1_999, () => 'a'),
  syllables(1_000, () => 'na', ''),
  `${'-'.repeat(300)} кооператив ${'ж'.repeat(900)} ${'𠮷'.repeat(150)}`,
  'a a bank',
];
const SHORT = 'a a bank';

for (const [name, open] of Object.entries(searchEngines)) {
  describe(`long fragments in ${name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await open();
      await engine.store(NAMES.map((one, at) => company(one, `n${at}`)));
    });
    after(() => engine?.close());
    const find = async (q: string): Promise<string[]> =>
      JSON.parse(await engine.find({ ...everything, q })).data.map(
        (one: { canonicalName: string }) => one.canonicalName,
      );

    test('every name is found by all of it, and by all but its edges', async () => {
      for (const wanted of NAMES) {
        const rest = [...wanted].slice(1, -1).join('');
        assert.ok((await find(wanted)).includes(wanted), wanted.slice(0, 20));
        assert.ok((await find(rest)).includes(wanted), wanted.slice(0, 20));
        if (wanted !== SHORT) assert.deepEqual(await find(wanted), [wanted]);
      }
    });

    test('a difference at any place counts, even after hundreds of characters', async () => {
      for (const wanted of NAMES) {
        for (const at of [0, 1, wanted.length >> 1, wanted.length - 1]) {
          const other = `${wanted.slice(0, at)}q${wanted.slice(at + 1)}`;
          assert.deepEqual(await find(other), [], `${wanted.slice(0, 20)} at ${at}`);
        }
        assert.deepEqual(await find(`${wanted}x`), []);
      }
    });

    test('outer blanks are ignored, and several count as one', async () => {
      for (const q of [' bank ', '\tbank\n', 'a  bank', 'a \u00a0 a\u3000bank'])
        assert.deepEqual(await find(q), [SHORT], q);
      assert.deepEqual(await find('ban k'), []);
    });
  });
}

describe('the work for a long fragment', () => {
  const number = (text: string) => ({ text, asWritten: false });

  test('in memory: it does not grow with the fragment', async () => {
    const engine = await searchEngines.memory();
    await engine.store([
      ...Array.from({ length: 300 }, (_, at) => company(`a b c ${at}`, `12345678${at}`)),
      company(
        syllables(1_999, (at) => 'abc'[at % 3] as string),
        'long',
      ),
    ]);
    const { arrays, texts } = await buildIndex(engine.db);
    await engine.close();
    const countReads = (names: readonly (keyof MatchArrays)[], work: (watched: typeof arrays) => unknown) => {
      let reads = 0;
      const watch = (array: object) =>
        new Proxy(array, {
          get(of, key) {
            reads++;
            return Reflect.get(of, key);
          },
        });
      work({ ...arrays, ...Object.fromEntries(names.map((name) => [name, watch(arrays[name])])) });
      return reads;
    };
    const phrase = (words: number) =>
      countReads(['bridgeTailsStarts'], (watched) =>
        createMatcher(watched, texts).matchName(syllables(words, (at) => 'abc'[at % 3] as string)),
      );
    assert.ok(phrase(90) > 0, 'bridges are read');
    assert.ok(phrase(1_900) <= phrase(101), 'no more bridges are read for 1,900 words than for 101');
    const tooLong = countReads(['vocabularyText'], (watched) =>
      createMatcher(watched, texts).matchName(syllables(2_000, () => 'a')),
    );
    assert.equal(tooLong, 0, 'no name has so many words');
    const grams = (length: number) =>
      countReads(['grams'], (watched) =>
        createMatcher(watched, texts).matchNumber(number('12345678'.repeat(length / 8))),
      );
    assert.ok(grams(4_000) <= grams(400), 'no more grams are looked up');
  });

  test('in PostgreSQL: only a part is looked up in the index of trigrams, wherever its first letters are', () => {
    for (const q of ['abc '.repeat(1_000), `${'. '.repeat(1_000)}abcdef`, '𠮷'.repeat(2_000)]) {
      const { sql, params } = writeStatement({ ...everything, q });
      const patterns = [...sql.matchAll(/LIKE \$(\d+)/g)].map(([, at]) => String(params[Number(at) - 1]));
      assert.ok(patterns.length > 0);
      for (const pattern of patterns) {
        assert.ok([...pattern].length <= 202, `${[...pattern].length} characters`);
        assert.match(pattern, /[\p{L}\p{N}]{3}/u);
        assert.ok(pattern.isWellFormed());
      }
    }
  });
});
