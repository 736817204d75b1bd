import assert from 'node:assert/strict';
import type { AskedName, CandidateSource } from '../../src/matching/candidates.ts';
import { company } from '../search/worlds.ts';

/** Companies that candidates are looked for among, besides the others: words with punctuation, former names, frequent words. */
export const named = [
  ...Array.from({ length: 2_100 }, (_, at) => company(`often seldom${at % 3} (also) more${at}`, `n${at}`)),
  ...Array.from({ length: 2_200 }, (_, at) => company(`rather usual${at}`, `u${at}`)),
  company('(wetherstone) crane-hire a.b.c. ltd', 'w1'),
  company('vander bilt 24 x', 'w2'),
  company('wetherstone'.repeat(4), 'w5'),
  // The same letters in another order.
  company(`w${[...'wetherstone'.repeat(4)].slice(1).reverse().join('')}`, 'w6'),
  company('Ωμέγα ναυτιλιακή', 'w3'),
  company('a-b-c 東 kettle ***', 'w4', { registry: { otherNames: [{ name: '***' }] } }),
  ...Array.from({ length: 260 }, (_, at) => company(`p${at}ettle`, `p${at}`)),
  ...['old corner', 'old rather corner', 'former often'].map((name, at) =>
    company(`renamed ${at}`, `f${at}`, {
      registry: { previousNames: [{ name }, null, { name: 1 }] as never, otherNames: [{ name: `other\n${name}` }] },
    }),
  ),
  ...Array.from({ length: 1_100 }, (_, at) =>
    company(`later ${at}`, `l${at}`, { registry: { previousNames: [{ name: `past often ${at % 700}` }] } }),
  ),
];

const ask = (name: string, more: Partial<AskedName> = {}): AskedName => ({
  words: name.split(' '),
  joined: [],
  numbers: [],
  country: undefined,
  limit: 60,
  ...more,
});

const expected: readonly (readonly [AskedName, RegExp])[] = [
  [ask('wetherstone'), /wetherstone/],
  [ask('wetherstone crane'), /wetherstone/],
  [ask('vetherstone'), /wetherstone/],
  [ask('ewtherstone'), /wetherstone/],
  [ask('wethorstane hire'), /wetherstone/],
  [ask('abc crane'), /wetherstone/],
  [ask('weth'), /wetherstone/],
  [ask('vanderbilt'), /vander bilt/],
  [ask('vanderbiltx'), /vander bilt/],
  [ask('24x vander'), /vander bilt/],
  [ask('van der bilt', { joined: ['vanderbilt', 'vander', 'derbilt'] }), /vander bilt/],
  [ask('東'), /kettle/],
  [ask('number at all'), /no number at all/],
  [ask('jettle'), /kettle/],
  [ask('abc', { joined: ['kettle'] }), /kettle/],
  [ask('often rather'), /^(often|rather) /],
  [ask('often also'), /often seldom/],
  [ask('plain often rather'), /plain|often|rather/],
  [ask('wetherstone'.repeat(3)), /^(wetherstone){4}$/],
  [ask(`wethorstone${'wetherstone'.repeat(3)}`), /^(wetherstone){4}$/],
  [ask('plain rather zz1'), /zz1/],
  [ask('ωμεγα'), /Ωμέγα/],
  [ask('ωμογα'), /Ωμέγα/],
  [ask('often seldom1'), /often seldom1/],
  [ask('seldom1 often'), /often seldom1/],
  [ask('usual7 rather'), /rather usual7$/],
  [ask('rather'), /rather usual/],
  [ask('plain'), /plain/],
  [ask('plain sevens'), /plain|sevens/],
  [ask('often'), /often/],
  [ask('old corner'), /renamed/],
  [ask('old cornet'), /renamed/],
  [ask('past often'), /later/],
  [ask('past 69'), /later 69$/],
  [ask('', { words: [], numbers: ['w2', 'no987000001mva'] }), /vander bilt/],
  [ask('', { words: [], numbers: ['no987000001mva'] }), /Norsk 1$/],
  [ask('abc3 plain', { country: 'GB' }), /abc3 plain/],
];

/** Asks for all of them, and for names that cannot be found or cost too much. */
export async function checkCandidates(source: CandidateSource): Promise<void> {
  const find = (asked: AskedName) => source.find(asked, { account: '', deadline: Number.POSITIVE_INFINITY });
  for (const [asked, name] of expected) {
    const { candidates } = await find(asked);
    const names = candidates.map(({ entity }) => entity.canonicalName);
    assert.ok(
      names.some((one) => name.test(one)),
      `${asked.words.join(' ')}: ${names.slice(0, 5).join(', ')}`,
    );
  }
  const { candidates, frequency, sameName, entities } = await find(ask('along lilac'));
  for (const country of ['GB', 'NO', 'XX', undefined]) {
    const found = await find(ask('plain often zz1 qqqqqqqq', { country }));
    for (const word of ['plain', 'often', 'zz1', 'sevens', 'qqqqqqqq', 'along']) {
      assert.ok(found.frequency(word) <= entities);
      assert.equal(found.frequency(word), found.frequency(word));
    }
  }
  assert.ok(frequency('plain') > frequency('lilac'));
  assert.ok(candidates[0] !== undefined && sameName(candidates[0]) > 1);
  for (const one of candidates) assert.ok(sameName(one) >= 1);
  for (const text of ['along lilac', 'back slash q', 'old corner', 'number at all']) {
    for (const { id, entity, names, numbers, countryCode } of (await find(ask(text))).candidates) {
      assert.deepEqual([id, names[0]?.text, countryCode], [entity.id, entity.canonicalName, entity.countryCode]);
      assert.ok(Array.isArray(numbers));
    }
  }
  // More words than the counts of are kept, and more documents than are counted.
  for (let at = 0; at < 16_500; at++) assert.equal(frequency(`unknown${at}`), 0);
  const digits = [...'0123456789'].map((digit) => `abc${digit}`);
  const words = [...digits, 'seldom0', 'seldom1', 'seldom2', 'later', 'grams', 'rare', 'ettle', 'x0ding'];
  assert.equal((await find(ask('', { words }))).bounded, true);
  const long = Array.from({ length: 70 }, (_, at) => `x${at % 40}ding`);
  const crowded = Array.from({ length: 40 }, (_, at) =>
    `abc${at % 10} plain sevens often rather ${at}`.split(' '),
  ).flat();
  for (const words of [['x'.repeat(10_000)], long, crowded, [...crowded].reverse()])
    assert.ok((await find(ask('', { words, limit: 5 }))).candidates.length <= 5);
}
