import type { Steps } from '../answer/steps.ts';
import { compareStart, createWords, NO_WORD, type Range } from '../answer/words.ts';
import type { AliasArrays } from '../search-index.ts';
import type { DocSet } from '../sets.ts';
import { findSounding } from './sounds.ts';
import type { Budget, Term } from './tally.ts';
import { createEditCounter, eachNear, isPartOfWord, MAX_COMPARED, shapeOf } from './word-shapes.ts';

/** A word that an asked word may stand for. */
export interface FoundWord {
  readonly word: number;
  /** The share of the asked word's weight with which this word counts, from 0 to 1. */
  readonly share: number;
}

export type Dictionary = ReturnType<typeof createDictionary>;

/** Finds the stored documents of a frequent text: with the text anywhere in a word, and as a whole word. */
type FindBroad = (text: string) => Readonly<Record<'inside' | 'whole', DocSet>> | undefined;

/**
 * Finds the words of names that an asked word may stand for, and their documents. The search by words has the same dictionaries: for current
 * names, for current names in Latin letters, and for former and other names. Words of current names contain punctuation, because names are
 * divided only at spaces: `acme,` and `smith-acme` contain `acme`. The work for each word is bounded.
 */
export function createDictionary(arrays: AliasArrays, findBroad: FindBroad) {
  const { vocabularyText: text, vocabularyStarts: starts, suffixWord, suffixOffset, wordShapes } = arrays;
  const { wordDocs, wordDocsStarts } = arrays;
  const words = createWords(arrays);
  const exact = new Map<string, readonly number[]>();
  /** For each word, the number of its groups of letters that were asked for. Allocated at the first use, and empty between uses. */
  let gramCounts: Uint8Array | undefined;

  /** Whether the text at `at` is followed by punctuation or the end of a word. Both sort before digits and letters. */
  const endsAt = (at: number) => (text[at] as number) < FIRST_DIGIT;

  /** Finds the word itself, also with punctuation. Results are cached, because a word is looked up both to weigh it and to find names. */
  function findExact(asked: string): readonly number[] {
    let found = exact.get(asked);
    if (found === undefined) {
      if (exact.size >= MAX_KNOWN) exact.clear();
      found = lookUp(asked);
      exact.set(asked, found);
    }
    return found;
  }

  function lookUp(asked: string): number[] {
    const found = new Set<number>();
    const isLong = asked.length >= MIN_INSIDE;
    for (const written of isLong ? [asked, `${asked.slice(0, 1)}'${asked.slice(1)}`] : listPunctuated(asked)) {
      const bytes = Buffer.from(written);
      const first = words.firstWord(bytes);
      for (let word = first; word < first + MAX_WRITTEN && words.startsWith(word, bytes); word++) {
        if (!endsAt((starts[word] as number) + bytes.length)) break;
        found.add(word);
      }
    }
    if (!isLong) return [...found];
    // Adds words such as `smith-acme` and `(acme)` for `acme`.
    for (const { word, start } of findEnding(Buffer.from(asked), MAX_INSIDE))
      if (start > (starts[word] as number) && !isPartOfWord(text[start - 1] as number)) found.add(word);
    return [...found];
  }

  /** Finds the first words in which punctuation or the end of the word follows the bytes, and the position of the bytes in the text. */
  function findEnding(bytes: Uint8Array, max: number): { readonly word: number; readonly start: number }[] {
    const first = words.firstSuffix(bytes);
    const found: { readonly word: number; readonly start: number }[] = [];
    for (let suffix = first; suffix < Math.min(suffixWord.length, first + max); suffix++) {
      const word = suffixWord[suffix] as number;
      const start = (starts[word] as number) + (suffixOffset[suffix] as number);
      if (compareStart(text, start, bytes) !== 0 || !endsAt(start + bytes.length)) break;
      found.push({ word, start });
    }
    return found;
  }

  /** Finds words that differ from the asked word by one or two letters, or only by punctuation. */
  function* findNear(asked: Uint8Array, budget: Budget): Steps<FoundWord[]> {
    if (asked.length < MIN_NEAR || asked.length > MAX_COMPARED) return [];
    const edits = asked.length < MIN_TWO_EDITS ? 1 : 2;
    const shape = shapeOf(asked, 0, asked.length);
    const countEdits = createEditCounter(asked, edits);
    const shares = new Map<number, number>();
    const compare = (word: number) => {
      const count = countEdits(text, starts[word] as number, (starts[word + 1] as number) - 1);
      if (count <= edits) shares.set(word, NEAR_SHARE - (count * EDIT_COST) / asked.length);
    };
    // The first letter is seldom wrong, so only words with this letter are compared. Words with another start are looked up by their ending.
    const first = asked.subarray(0, firstCharacterLength(asked));
    const [from, to] = words.findWords(first);
    if (to - from > budget.words) budget.isBounded = true;
    else {
      budget.words -= to - from;
      for (let start = from; start < to; start += STEP) {
        eachNear(wordShapes.subarray(start, Math.min(to, start + STEP)), shape, edits, (at) => compare(start + at));
        yield;
      }
    }
    for (const word of findOtherStart(asked, asked.subarray(first.length))) compare(word);
    const found = Array.from(shares, ([word, share]) => ({ word, share }));
    return found.sort((a, b) => b.share - a.share).slice(0, MAX_FOUND);
  }

  /** Finds words that differ at the first letter. Their number is limited, because many words may have one ending. */
  function findOtherStart(asked: Uint8Array, rest: Uint8Array): Set<number> {
    const swapped = Uint8Array.from(asked);
    swapped.set([asked[1] as number, asked[0] as number]);
    const found = new Set(findEnding(rest, MAX_ENDING).map(({ word }) => word));
    found.add(words.findWord(rest)).add(words.findWord(swapped)).delete(NO_WORD);
    return found;
  }

  /** Finds words that share many groups of three letters with the asked word, such as parts of a joined word or words with several edits. */
  function findGrams(asked: Uint8Array): FoundWord[] {
    if (asked.length < MIN_GRAMS + 2 || asked.length > MAX_COMPARED) return [];
    const grams = Array.from({ length: asked.length - 2 }, (_, at) => asked.subarray(at, at + 3));
    // Rare groups are the strongest evidence, and frequent groups are in too many words to read.
    const ranges = grams.map((gram) => words.findSuffixes(gram)).sort((a, b) => a[1] - a[0] - (b[1] - b[0]));
    const read: Range[] = [];
    let left = MAX_SUFFIXES;
    for (const [from, to] of ranges) {
      left -= to - from;
      if (left >= 0) read.push([from, to]);
    }
    gramCounts ??= new Uint8Array(starts.length - 1);
    const counts = gramCounts;
    const several: number[] = [];
    for (const [from, to] of read)
      for (let suffix = from; suffix < to; suffix++) {
        const word = suffixWord[suffix] as number;
        counts[word] = (counts[word] as number) + 1;
        if (counts[word] === 2) several.push(word);
      }
    const most = several.sort((a, b) => (counts[b] as number) - (counts[a] as number)).slice(0, MAX_COUNTED);
    for (const [from, to] of read)
      for (let suffix = from; suffix < to; suffix++) counts[suffixWord[suffix] as number] = 0;
    const codes = new Set(grams.map((gram) => gramAt(gram, 0)));
    const found = most.flatMap((word) => {
      const [start, last] = [starts[word] as number, (starts[word + 1] as number) - 4];
      let common = 0;
      for (let at = start; at <= last; at++) if (codes.has(gramAt(text, at))) common++;
      const isSimilar = common >= 2 && common >= (last - start + 1) * MIN_COMMON;
      return isSimilar ? { word, share: GRAM_SHARE * Math.min(1, common / grams.length) } : [];
    });
    return found.sort((a, b) => b.share - a.share).slice(0, MAX_SIMILAR);
  }

  /** Finds words that start with the asked word. */
  function findLonger(asked: Uint8Array): FoundWord[] {
    const [from, to] = words.findWords(asked);
    return Array.from({ length: Math.min(to - from, MAX_LONGER) }, (_, at) => {
      const length = (starts[from + at + 1] as number) - 1 - (starts[from + at] as number);
      return { word: from + at, share: (LONGER_SHARE * asked.length) / length };
    });
  }

  const isWord = (text: string) => words.findWord(Buffer.from(text)) !== NO_WORD;

  /** Finds pairs of words of which the asked word may be composed. */
  function findPairs(asked: string): string[] {
    const found: string[] = [];
    for (let at = asked.length - 2; at >= 2 && found.length < MAX_PARTS; at--) {
      const pair = [asked.slice(0, at), asked.slice(at)];
      if (pair.every(isWord)) found.push(...pair);
    }
    return found;
  }

  const textOf = (word: number) => Buffer.from(text.slice(starts[word], (starts[word + 1] as number) - 1)).toString();

  /** Frequent words have no list (`build/build.ts`): their documents are a stored set. */
  function docsOf(word: number): DocSet {
    const [from, to] = [wordDocsStarts[word] as number, wordDocsStarts[word + 1] as number];
    if (from < to) return { size: to - from, list: wordDocs.subarray(from, to) };
    const { inside, whole } = findBroad(textOf(word)) as ReturnType<FindBroad> & object;
    // A word with punctuation has a stored set only as a fragment.
    return whole.size > 0 ? whole : inside;
  }

  return {
    findExact,
    findNear,
    docsOf,
    textOf,
    /** The number of documents that have the word, including hidden documents, of which there are few. */
    count(asked: string): number {
      const whole = findBroad(asked)?.whole.size ?? 0;
      return whole > 0 ? whole : findExact(asked).reduce((sum, word) => sum + docsOf(word).size, 0);
    },

    /**
     * Finds the word itself or else longer words; with `near`, also words that sound alike, words with typos and, if there are none, words
     * with common groups of three letters. Optional words are compared with similar words only if no name contains the optional word.
     */
    *findWords({ text, isOptional, isFrequent }: Term, near: boolean, budget: Budget): Steps<FoundWord[]> {
      const bytes = Buffer.from(text);
      const same = findExact(text).map((word) => ({ word, share: 1 }));
      if (same.length > 0 && (isOptional || !near)) return same;
      if (!near) return isOptional ? [] : findLonger(bytes);
      const similar = isFrequent ? [] : yield* findNear(bytes, budget);
      const sounding = findSounding(arrays, text, MAX_FOUND).map((word) => ({ word, share: SOUND_SHARE }));
      const found = [...same, ...sounding, ...similar];
      return [...found, ...(found.length > 0 || isOptional ? [] : findGrams(bytes)), ...findLonger(bytes)];
    },

    findPairs,

    /** Finds pairs of words of which the asked word may be composed, or else the longest word at its beginning and the rest. */
    findParts(asked: string): string[] {
      const found = findPairs(asked);
      if (found.length > 0) return found;
      let at = asked.length - 2;
      while (at >= 2 && !isWord(asked.slice(0, at))) at--;
      return at < 2 ? [] : [asked.slice(0, at), asked.slice(at)];
    },

    /** Whether a word contains the bytes. */
    isContained(bytes: Uint8Array): boolean {
      const [from, to] = words.findSuffixes(bytes);
      return from < to;
    },
  };
}

/** Three bytes as one number. */
function gramAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
}

/** Forms of a short word in names: unchanged, in brackets or quotation marks, as initials. */
function listPunctuated(word: string): string[] {
  const written = [word, `(${word}`, `"${word}`];
  return word.length < 2 ? written : [...written, [...word].join('.')];
}

const FIRST_DIGIT = 0x30;
/** The number of words that are compared in one step. */
const STEP = 16_384;
/** The number of looked-up words in the cache. */
const MAX_KNOWN = 16_384;
/** Limits of found words: with punctuation after or before the asked word, longer words, words with an equal ending, similar words. */
const [MAX_WRITTEN, MAX_INSIDE, MAX_LONGER, MAX_ENDING, MAX_FOUND] = [64, 128, 32, 256, 64];
/** Shorter words are too frequent as parts of other words. */
const MIN_INSIDE = 4;
/** The limit of parts from the ways to divide a word in two. */
const MAX_PARTS = 6;
/** In a shorter word, an edit makes another word. */
const MIN_NEAR = 2;
const MIN_TWO_EDITS = 8;
/** The share of a similar word is `NEAR_SHARE` minus, for each edit, `EDIT_COST` divided by the length of the word. */
const [NEAR_SHARE, EDIT_COST] = [0.98, 1.6];
const [LONGER_SHARE, SOUND_SHARE] = [0.9, 0.9];
/** For groups of three letters: minimum groups; maximum suffixes to read, words to compare, words to keep; minimum common share; its weight. */
const [MIN_GRAMS, MAX_SUFFIXES, MAX_COUNTED, MAX_SIMILAR, MIN_COMMON, GRAM_SHARE] = [4, 6_000, 128, 16, 0.5, 0.8];

function firstCharacterLength(text: Uint8Array): number {
  let length = 1;
  while (((text[length] as number) & 0xc0) === 0x80) length++;
  return length;
}
