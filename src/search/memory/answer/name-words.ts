import { isPartOfWord } from '../match/word-shapes.ts';
import type { MatchArrays } from '../search-index.ts';
import type { Match } from '../sets.ts';
import { addRange } from './lists.ts';
import { createWords } from './words.ts';

type WordArrays = Pick<
  MatchArrays,
  'vocabularyText' | 'vocabularyStarts' | 'suffixWord' | 'suffixOffset' | 'wordDocs' | 'wordDocsStarts'
>;

/** The documents with a text in their words, by where the text is: it is a whole word, begins a word, or is elsewhere in a word. */
export type WordRanges = Readonly<Record<'whole' | 'start' | 'inside', Match>>;

/** Finds where a text is in the words of names. Words of the vocabulary may contain punctuation, which divides words (`search/words.ts`). */
export function createNameWords(arrays: WordArrays) {
  const { vocabularyText: text, vocabularyStarts, suffixWord, suffixOffset, wordDocs, wordDocsStarts } = arrays;
  const { findSuffixes } = createWords(arrays);
  return {
    findRanges(bytes: Uint8Array): WordRanges {
      const ranges = { whole: [] as number[], start: [] as number[], inside: [] as number[] };
      const costs = { whole: 0, start: 0, inside: 0 };
      const [from, to] = findSuffixes(bytes);
      for (let suffix = from; suffix < to; suffix++) {
        const word = suffixWord[suffix] as number;
        const offset = suffixOffset[suffix] as number;
        const at = (vocabularyStarts[word] as number) + offset;
        const isStart = offset === 0 || !isPartOfWord(text[at - 1] as number);
        // A zero byte follows each word.
        const isWhole = isStart && !isPartOfWord(text[at + bytes.length] as number);
        const place = isWhole ? 'whole' : isStart ? 'start' : 'inside';
        costs[place] += addRange(ranges[place], wordDocsStarts, word);
      }
      const toMatch = (place: keyof WordRanges): Match => ({
        ranges: ranges[place],
        docs: wordDocs,
        cost: costs[place],
      });
      return { whole: toMatch('whole'), start: toMatch('start'), inside: toMatch('inside') };
    },
  };
}
