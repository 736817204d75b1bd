import type { MatchArrays } from '../search-index.ts';

/** Looking things up in the vocabulary and its suffixes, by binary search on their bytes. */
export interface Words {
  /** The range of suffixes that begin with the bytes. */
  findSuffixes(bytes: Uint8Array): Range;
  /** The range of words that begin with the bytes. */
  findWords(bytes: Uint8Array): Range;
  /** The word, or `NO_WORD`. */
  findWord(bytes: Uint8Array): number;
  /** The words that end with the bytes; undefined if they are more than `most`. */
  findEnding(bytes: Uint8Array, most: number): readonly number[] | undefined;
  endsWith(word: number, bytes: Uint8Array): boolean;
}

export type Range = readonly [from: number, to: number];

export const NO_WORD = -1;
/** Where a list is of several words. */
export const ANY_WORD = 0xffffffff;

type WordArrays = Pick<MatchArrays, 'vocabularyText' | 'vocabularyStarts' | 'suffixWord' | 'suffixOffset'>;

export function createWords({ vocabularyText, vocabularyStarts, suffixWord, suffixOffset }: WordArrays): Words {
  const wordCount = vocabularyStarts.length - 1;
  const startOfWord = (word: number) => vocabularyStarts[word] as number;
  const startOfSuffix = (suffix: number) =>
    startOfWord(suffixWord[suffix] as number) + (suffixOffset[suffix] as number);

  function findRange(count: number, startOf: (item: number) => number, bytes: Uint8Array): Range {
    const from = firstNotBelow(count, (item) => compareStart(vocabularyText, startOf(item), bytes) < 0);
    const to = firstNotBelow(count, (item) => compareStart(vocabularyText, startOf(item), bytes) <= 0, from);
    return [from, to];
  }

  /** Whether nothing follows the bytes. */
  const isWhole = (start: number, bytes: Uint8Array) =>
    compareStart(vocabularyText, start, bytes) === 0 && vocabularyText[start + bytes.length] === 0;

  const findSuffixes = (bytes: Uint8Array) => findRange(suffixWord.length, startOfSuffix, bytes);
  const findWords = (bytes: Uint8Array) => findRange(wordCount, startOfWord, bytes);

  return {
    findSuffixes,
    findWords,
    findWord(bytes) {
      // The word itself sorts before all that go on after it.
      const [first] = findWords(bytes);
      return first < wordCount && isWhole(startOfWord(first), bytes) ? first : NO_WORD;
    },
    findEnding(bytes, most) {
      const [from, to] = findSuffixes(bytes);
      const found: number[] = [];
      // So do the suffixes that end with the bytes.
      for (let suffix = from; suffix < to && isWhole(startOfSuffix(suffix), bytes); suffix++) {
        if (found.push(suffixWord[suffix] as number) > most) return undefined;
      }
      return found;
    },
    endsWith(word, bytes) {
      const start = startOfWord(word + 1) - 1 - bytes.length;
      return start >= startOfWord(word) && compareStart(vocabularyText, start, bytes) === 0;
    },
  };
}

/** Compares what begins at `start` with the bytes: 0 if it begins with them. */
export function compareStart(text: Uint8Array, start: number, bytes: Uint8Array): number {
  for (let index = 0; index < bytes.length; index++) {
    const difference = (text[start + index] ?? 0) - (bytes[index] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function firstNotBelow(count: number, isBelow: (item: number) => boolean, from = 0): number {
  let low = from;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
