import { isPartOfWord } from '../match/word-shapes.ts';
import type { MatchArrays } from '../search-index.ts';
import type { Match } from '../sets.ts';
import type { Offsets } from '../shared-arrays.ts';

/** A range of items; `to` is exclusive. */
export type Range = readonly [from: number, to: number];

export const NO_WORD = -1;
/** Replaces the number of a word and means any word. See `build/bridges.ts`. */
export const ANY_WORD = 0xffffffff;

type StartOf = (item: number) => number;
export type WordArrays = Pick<
  MatchArrays,
  'vocabularyText' | 'vocabularyStarts' | 'suffixWord' | 'suffixOffset' | 'wordDocs' | 'wordDocsStarts'
>;

/** From, to: the bytes that are not part of words, including the zero byte after each word. */
const NO_PART_OF_WORD = [
  [0, 0x30],
  [0x3a, 0x61],
  [0x7b, 0x80],
] as const;

export type Words = ReturnType<typeof createWords>;

/** Looks up words and suffixes of the vocabulary, by binary search on their bytes. */
export function createWords(arrays: WordArrays) {
  const { vocabularyText, vocabularyStarts, suffixWord, suffixOffset, wordDocs, wordDocsStarts } = arrays;
  const wordCount = vocabularyStarts.length - 1;
  const startOfWord = (word: number) => vocabularyStarts[word] as number;
  const startOfSuffix = (suffix: number) =>
    startOfWord(suffixWord[suffix] as number) + (suffixOffset[suffix] as number);

  /** The first item whose text is not below the bytes or, with `after`, the first item above all items that start with the bytes. */
  function findEdge(starts: StartOf, bytes: Uint8Array, low: number, high: number, after: boolean): number {
    let [from, to] = [low, high];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const order = compareStart(vocabularyText, starts(middle), bytes);
      if (order < 0 || (after && order === 0)) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** The range of items that start with the bytes. Most ranges are short, so the end is searched near the start. */
  function findRange(count: number, startOf: StartOf, bytes: Uint8Array): Range {
    const from = findEdge(startOf, bytes, 0, count, false);
    let low = from;
    let step = 1;
    while (low + step <= count && compareStart(vocabularyText, startOf(low + step - 1), bytes) === 0) {
      low += step;
      step *= 4;
    }
    return [from, findEdge(startOf, bytes, low, Math.min(count, low + step - 1), true)];
  }

  /** Whether the suffix is a word, or follows punctuation. */
  const isStart = (suffix: number) =>
    suffixOffset[suffix] === 0 || !isPartOfWord(vocabularyText[startOfSuffix(suffix) - 1] as number);

  /** Whether the word or suffix at `start` is exactly the bytes. A zero byte follows each word. */
  const isExactly = (start: number, bytes: Uint8Array) =>
    compareStart(vocabularyText, start, bytes) === 0 && vocabularyText[start + bytes.length] === 0;

  /** The range of suffixes, or of words, that start with the bytes. */
  const findSuffixes = (bytes: Uint8Array) => findRange(suffixWord.length, startOfSuffix, bytes);
  const findWords = (bytes: Uint8Array) => findRange(wordCount, startOfWord, bytes);

  /** The documents of the words of these suffixes. */
  function matchSuffixes(suffixes: readonly Range[], accepts?: (suffix: number) => boolean): Match {
    const ranges: number[] = [];
    let cost = 0;
    for (const [from, to] of suffixes) {
      for (let suffix = from; suffix < to; suffix++) {
        if (accepts?.(suffix) !== false) cost += addRange(ranges, wordDocsStarts, suffixWord[suffix] as number);
      }
    }
    return { ranges, docs: wordDocs, cost };
  }

  return {
    findSuffixes,
    findWords,
    /** The first suffix, or word, that is not below the bytes. */
    firstSuffix: (bytes: Uint8Array) => findEdge(startOfSuffix, bytes, 0, suffixWord.length, false),
    firstWord: (bytes: Uint8Array) => findEdge(startOfWord, bytes, 0, wordCount, false),
    startsWith: (word: number, bytes: Uint8Array) =>
      word < wordCount && compareStart(vocabularyText, startOfWord(word), bytes) === 0,
    /** The word, or `NO_WORD`. */
    findWord(bytes: Uint8Array): number {
      // The word itself sorts before all longer words that start with it.
      const first = findEdge(startOfWord, bytes, 0, wordCount, false);
      return first < wordCount && isExactly(startOfWord(first), bytes) ? first : NO_WORD;
    },
    /** The words that end with the bytes; undefined if there are more than `max`. */
    findEnding(bytes: Uint8Array, max: number): readonly number[] | undefined {
      const [from, to] = findSuffixes(bytes);
      const found: number[] = [];
      // Suffixes that equal the bytes sort before longer suffixes.
      for (let suffix = from; suffix < to && isExactly(startOfSuffix(suffix), bytes); suffix++) {
        if (found.push(suffixWord[suffix] as number) > max) return undefined;
      }
      return found;
    },
    /** The documents with a text inside their words. */
    matchInside: (bytes: Uint8Array) => matchSuffixes([findSuffixes(bytes)]),
    /** The documents with a text at the beginning of a word. Words of the vocabulary may contain punctuation, which divides words (`search/words.ts`). */
    matchStart: (bytes: Uint8Array) => matchSuffixes([findSuffixes(bytes)], isStart),
    /** The documents with a text as a whole word: its end or punctuation follows. */
    matchWhole(bytes: Uint8Array): Match {
      const [from, to] = findSuffixes(bytes);
      const firstWith = (next: number) => findEdge(startOfSuffix, Buffer.of(...bytes, next), from, to, false);
      return matchSuffixes(
        NO_PART_OF_WORD.map(([first, last]) => [first === 0 ? from : firstWith(first), firstWith(last)]),
        isStart,
      );
    },
    endsWith(word: number, bytes: Uint8Array): boolean {
      const start = startOfWord(word + 1) - 1 - bytes.length;
      return start >= startOfWord(word) && compareStart(vocabularyText, start, bytes) === 0;
    },
  };
}

/** Adds the list of a group to the ranges and returns its length. */
export function addRange(ranges: number[], starts: Offsets, group: number): number {
  const from = starts[group] as number;
  const to = starts[group + 1] as number;
  if (to > from) ranges.push(from, to);
  return to - from;
}

/** Compares the text at `start` with the bytes. The result is 0 if the text starts with the bytes. */
export function compareStart(text: Uint8Array, start: number, bytes: Uint8Array): number {
  for (let index = 0; index < bytes.length; index++) {
    const difference = (text[start + index] as number) - (bytes[index] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Binary search: the first item from `from` on for which `isBelow` is false, or `count`. The middle is computed from the difference,
 * because the sum of two item numbers can have more than 32 bits.
 */
export function firstNotBelow(count: number, isBelow: (item: number) => boolean, from = 0): number {
  let low = from;
  let high = count;
  while (low < high) {
    const middle = low + ((high - low) >>> 1);
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first and last characters of words. A character is a code point, which takes up to two units of a string. */

export function firstCharacters(text: string): string {
  return [...text.slice(0, 4)].slice(0, 2).join('');
}

export function lastCharacters(text: string): string {
  return [...text.slice(-4)].slice(-2).join('');
}

export function countCharacters(text: string): number {
  return [...text].length;
}

export function reverse(text: string): string {
  return [...text].reverse().join('');
}
