import type { NumberFragment } from '../../../core/search-keys.ts';
import type { EdgeTexts, IndexArrays, MatchArrays } from '../search-index.ts';
import { addRange, type Match } from './lists.ts';
import { matchNumber, matchWholeNumber } from './match-number.ts';
import { createPhraseMatcher } from './match-phrase.ts';
import { createWords } from './words.ts';

export type Matcher = ReturnType<typeof createMatcher>;

type CountryColumn = Pick<IndexArrays, 'summary.countryCode'>;

/**
 * Finds the documents that contain a fragment, as posting lists to unite, some of them with a check:
 * - inside a word: the words that contain it are a range of the suffix array, and their lists are the answer;
 * - across words, such as "ldings lim": `match-phrase.ts`;
 * - in a registration number: `match-number.ts`.
 */
export function createMatcher(arrays: MatchArrays & CountryColumn, edges: EdgeTexts) {
  const countryOf = arrays['summary.countryCode'];
  const { suffixWord, wordDocs, wordDocsStarts } = arrays;
  const words = createWords(arrays);
  const matchPhrase = createPhraseMatcher(arrays, edges, words);

  function matchInsideWord(fragment: string): Match {
    const [from, to] = words.findSuffixes(Buffer.from(fragment));
    const ranges: number[] = [];
    let cost = 0;
    for (let suffix = from; suffix < to; suffix++) {
      cost += addRange(ranges, wordDocsStarts, suffixWord[suffix] as number);
    }
    return { ranges, docs: wordDocs, cost };
  }

  function matchName(folded: string): Match[] {
    const parts = folded.split(' ');
    return parts.length === 1 ? [matchInsideWord(folded)] : matchPhrase(parts);
  }

  return {
    matchName,
    matchNumber: (number: NumberFragment) => matchNumber(arrays, number),
    /** Matches a complete number, in one country. `country` is the number of its code in the column. */
    matchWholeNumber: (number: string, country: number) =>
      matchWholeNumber(arrays, number, (doc) => countryOf[doc] === country),
    /** Matches names and numbers. `folded` must not be empty. */
    match: (folded: string, number: NumberFragment) =>
      [...matchName(folded), matchNumber(arrays, number)].filter(({ cost }) => cost > 0),
  };
}
