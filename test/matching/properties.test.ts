import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold } from '../../src/base/fold.ts';
import { createMatcher } from '../../src/search/match/matcher.ts';
import type { MatchQuery } from '../../src/search/match/matching.ts';
import { requester, sourceOf, type TestCompany } from './source.ts';

/** Invented words, so that no two of them are similar by accident. */
const WORDS =
  'zebulon quarzwerk albion kestrel mondragon tarvisio pelham ostrava brightwell juniper holdings group services'.split(
    ' ',
  );
const word = fc.constantFrom(...WORDS);
const name = fc
  .uniqueArray(word, { minLength: 2, maxLength: 4 })
  .filter((words) => words.some((one) => WORDS.indexOf(one) < 10));
const companies = fc.uniqueArray(name, {
  minLength: 2,
  maxLength: 6,
  selector: (words) => [...words].sort().join(' '),
});

const toCompany = (words: readonly string[], at: number): TestCompany => {
  return {
    name: `${words.join(' ').toUpperCase()} LTD`,
    number: `1000000${at}`,
    city: `Town ${at}`,
    postcode: `AB${at} 1CD`,
    registeredAt: `200${at}-01-02`,
  };
};

async function rankAndScore(
  list: readonly (readonly string[])[],
  query: MatchQuery,
): Promise<{ rank: number; score: number }> {
  const { answer } = await createMatcher(sourceOf(list.map(toCompany))).match({ ...query, limit: 10 }, requester);
  const { candidates } = answer;
  const rank = candidates.findIndex(({ entity }) => entity.id === '0000');
  return { rank, score: candidates[rank]?.score ?? 0 };
}

const changes: Readonly<Record<string, (words: readonly string[]) => string>> = {
  'folding the name': (words) => fold(words.join(' ').toUpperCase()),
  'swapping words': (words) => [...words].reverse().join(' '),
  'adding the right legal form': (words) => `${words.join(' ')} Limited`,
};

for (const [what, change] of Object.entries(changes)) {
  test(`${what} keeps the company first`, async () => {
    await fc.assert(
      fc.asyncProperty(companies, async (list) => {
        const words = list[0] as readonly string[];
        assert.equal((await rankAndScore(list, { name: words.join(' ') })).rank, 0);
        assert.equal((await rankAndScore(list, { name: change(words) })).rank, 0);
      }),
      { numRuns: 100 },
    );
  });
}

test('any name is answered with scores between 0 and 1 that add up to 1 at most', async () => {
  const list = [
    ['zebulon', 'foods'],
    ['quarzwerk', 'group'],
    ['zebulon', 'group'],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.stringMatching(/^[zebulon &.()/-]{0,80}$/)),
      async (text) => {
        const { answer } = await createMatcher(sourceOf(list.map(toCompany))).match({ name: text }, requester);
        const scores = answer.candidates.map(({ score }) => score);
        assert.ok(scores.every((score) => score >= 0 && score <= 1));
        assert.ok(scores.reduce((sum, score) => sum + score, 0) <= 1.005);
      },
    ),
    { numRuns: 200 },
  );
});

test('hostile names cost no more lookups than long ones', async () => {
  const inner = sourceOf([['zebulon', 'foods']].map(toCompany));
  for (const text of [
    'a'.repeat(10_000),
    'zebulon '.repeat(200),
    'z '.repeat(5_000),
    '(z)'.repeat(3_000),
    'a/ b '.repeat(2_000),
  ]) {
    let lookups = 0;
    const matcher = createMatcher({
      async find(asked, by) {
        assert.ok(asked.words.length <= 24 && asked.joined.length <= 24);
        const found = await inner.find(asked, by);
        return { ...found, frequency: (one) => ++lookups && found.frequency(one) };
      },
    });
    await matcher.match({ name: text }, requester);
    assert.ok(lookups < 200, `${lookups} lookups`);
  }
});
