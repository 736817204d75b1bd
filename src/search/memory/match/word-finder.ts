import type { Steps } from '../answer/steps.ts';
import { compareStart, createWords, firstNotBelow, NO_WORD } from '../answer/words.ts';
import type { MatchArrays } from '../search-index.ts';
import { findSounding } from './sounds.ts';
import type { Budget } from './tally.ts';
import {
  compareLetters,
  createEditCounter,
  eachNear,
  isNear,
  isPartOfWord,
  MAX_COMPARED,
  shapeOf,
} from './word-shapes.ts';

/** A word of the vocabulary that an asked word may stand for. */
export interface FoundWord {
  readonly word: number;
  /** How much of the weight of the asked word it counts for, from 0 to 1. */
  readonly share: number;
}

/**
 * Finds the words of the vocabulary that an asked word may stand for. Words of the vocabulary contain punctuation, because names are
 * divided at spaces only: `acme,` and `smith-acme` contain `acme`. The work for each word is bounded.
 */
export function createWordFinder(arrays: MatchArrays) {
  const { vocabularyText: text, vocabularyStarts: starts, suffixWord, suffixOffset, wordShapes, markedWords } = arrays;
  const words = createWords(arrays);
  const exact = new Map<string, readonly FoundWord[]>();

  /** Whether the text at `at` is followed by punctuation or the end of a word. Both sort before digits and letters. */
  const endsAt = (at: number) => (text[at] as number) < FIRST_DIGIT;

  /**
   * The word itself, also with punctuation around it. The words of a query are looked up several times: to weigh them, to find names, and
   * to find similar words.
   */
  function findExact(asked: Uint8Array): readonly FoundWord[] {
    const key = Buffer.from(asked).toString('latin1');
    const known = exact.get(key);
    if (known !== undefined) return known;
    if (exact.size >= MAX_KNOWN) exact.clear();
    const found = lookUp(asked);
    exact.set(key, found);
    return found;
  }

  function lookUp(asked: Uint8Array): FoundWord[] {
    const found = new Set<number>();
    const compare = (item: number) => compareLetters(text, starts[markedWords[item] as number] as number, asked);
    let marked = firstNotBelow(markedWords.length, (item) => compare(item) < 0);
    for (; marked < markedWords.length && compare(marked) === 0; marked++) found.add(markedWords[marked] as number);
    const first = words.firstWord(asked);
    for (let word = first; word < first + MAX_WRITTEN && words.startsWith(word, asked); word++) {
      if (!endsAt((starts[word] as number) + asked.length)) break;
      found.add(word);
    }
    if (asked.length >= MIN_INSIDE) addInside(asked, found);
    return Array.from(found, (word) => ({ word, share: 1 }));
  }

  /** Adds words such as `smith-acme` for `acme`. */
  function addInside(asked: Uint8Array, found: Set<number>): void {
    for (const { word, start } of findEnding(asked, MAX_INSIDE)) {
      if (start > (starts[word] as number) && !isPartOfWord(text[start - 1] as number)) found.add(word);
    }
  }

  /** The first words in which the bytes are followed by punctuation or the end, and where they start in the text. */
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

  /** The words with punctuation whose letters start with the bytes. */
  function findMarked(start: Uint8Array): Uint32Array {
    const compare = (item: number) =>
      compareLetters(text, starts[markedWords[item] as number] as number, start, start.length);
    const from = firstNotBelow(markedWords.length, (item) => compare(item) < 0);
    return markedWords.subarray(
      from,
      firstNotBelow(markedWords.length, (item) => compare(item) <= 0, from),
    );
  }

  /** Words that are written otherwise in another script, or by another table of Latin letters. */
  function findAlike(asked: Uint8Array): FoundWord[] {
    const found = findSounding(arrays, Buffer.from(asked).toString(), MAX_FOUND);
    return found.map((word) => ({ word, share: SOUND_SHARE }));
  }

  /** Words with many of its groups of three letters, for what the others miss: words that it is joined from, and several edits. */
  function findGrams(asked: Uint8Array): FoundWord[] {
    if (asked.length < MIN_GRAMS + 2 || asked.length > MAX_COMPARED) return [];
    const grams = Array.from({ length: asked.length - 2 }, (_, at) => asked.subarray(at, at + 3));
    // Rare groups tell most, and frequent ones are in too many words to read.
    const ranges = grams.map((gram) => words.findSuffixes(gram)).sort((a, b) => a[1] - a[0] - (b[1] - b[0]));
    const counts = new Map<number, number>();
    let left = MAX_SUFFIXES;
    for (const [from, to] of ranges) {
      left -= to - from;
      if (left < 0) break;
      for (let suffix = from; suffix < to; suffix++) {
        const word = suffixWord[suffix] as number;
        counts.set(word, (counts.get(word) ?? 0) + 1);
      }
    }
    const texts = new Set(grams.map((gram) => Buffer.from(gram).toString('latin1')));
    const several = [...counts].filter(([, count]) => count > 1);
    const most = several.sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MAX_COUNTED);
    const found = most.flatMap(([word]) => {
      const letters = Buffer.from(text.slice(starts[word], (starts[word + 1] as number) - 1)).toString('latin1');
      let common = 0;
      for (let at = 0; at + 3 <= letters.length; at++) if (texts.has(letters.slice(at, at + 3))) common++;
      const isSimilar = common >= 2 && common >= (letters.length - 2) * MIN_COMMON;
      return isSimilar ? { word, share: GRAM_SHARE * Math.min(1, common / grams.length) } : [];
    });
    return found.sort((a, b) => b.share - a.share).slice(0, MAX_SIMILAR);
  }

  /** Words that start with it. */
  function findLonger(asked: Uint8Array): FoundWord[] {
    const [from, to] = words.findWords(asked);
    const longer = new Set<number>();
    for (let word = from; word < Math.min(to, from + MAX_LONGER); word++) longer.add(word);
    for (const word of findMarked(asked).subarray(0, MAX_LONGER)) longer.add(word);
    return Array.from(longer, (word) => {
      const length = (starts[word + 1] as number) - 1 - (starts[word] as number);
      return { word, share: (LONGER_SHARE * asked.length) / length };
    });
  }

  /** Pairs of words that it may be written together from, or else the longest word at its beginning. */
  function findParts(asked: Uint8Array): Uint8Array[] {
    const found: Uint8Array[] = [];
    const isWord = (text: Uint8Array) => words.findWord(text) !== NO_WORD;
    const last = Math.min(asked.length, MAX_COMPARED) - 2;
    let longest: Uint8Array | undefined;
    for (let at = last; at >= 2 && found.length < MAX_PARTS; at--) {
      const [left, right] = [asked.subarray(0, at), asked.subarray(at)];
      if (!isWord(left)) continue;
      longest ??= left;
      if (isWord(right)) found.push(left, right);
    }
    return found.length > 0 || longest === undefined ? found : [longest];
  }

  /** Words that differ from it by a few letters or only by punctuation. */
  function* findNear(asked: Uint8Array, budget: Budget): Steps<FoundWord[]> {
    if (asked.length < MIN_NEAR || asked.length > MAX_COMPARED) return [];
    const edits = asked.length < MIN_TWO_EDITS ? 1 : 2;
    const shape = shapeOf(asked, 0, asked.length);
    const countEdits = createEditCounter(asked, edits);
    const shares = new Map<number, number>();
    const compare = (word: number) => {
      const count = countEdits(text, starts[word] as number, (starts[word + 1] as number) - 1);
      if (count <= edits) shares.set(word, 0.98 - (count * EDIT_COST) / asked.length);
    };
    // The first letter is seldom wrong: words that differ there are looked up by their ending.
    const first = asked.subarray(0, firstCharacterLength(asked));
    const [from, to] = words.findWords(first);
    const marked = findMarked(first);
    const cost = to - from + marked.length;
    if (cost > budget.words) budget.isBounded = true;
    else {
      budget.words -= cost;
      for (let start = from; start < to; start += STEP) {
        eachNear(wordShapes.subarray(start, Math.min(to, start + STEP)), shape, edits, (at) => compare(start + at));
        yield;
      }
      for (const word of marked) if (isNear(wordShapes[word] as number, shape, edits)) compare(word);
      yield;
    }
    for (const word of findOtherStart(asked, asked.subarray(first.length)))
      if (isNear(wordShapes[word] as number, shape, edits)) compare(word);
    const found = Array.from(shares, ([word, share]) => ({ word, share }));
    return found.sort((a, b) => b.share - a.share).slice(0, MAX_FOUND);
  }

  /** Words that differ at the first letter. If many have the same ending, only those are tried that differ by a Latin letter. */
  function findOtherStart(asked: Uint8Array, rest: Uint8Array): Set<number> {
    const swapped = Uint8Array.from(asked);
    swapped.set([asked[1] as number, asked[0] as number]);
    const ending = findEnding(rest, MAX_ENDING).map(({ word }) => word);
    const starting = () =>
      STARTS.flatMap((letter) => [rest, asked].map((end) => words.findWord(Buffer.concat([letter, end]))));
    const found = new Set([...(ending.length < MAX_ENDING ? ending : starting()), words.findWord(rest)]);
    for (const { word } of findExact(swapped)) found.add(word);
    found.delete(NO_WORD);
    return found;
  }

  /** Whether a word contains the bytes. */
  function isContained(bytes: Uint8Array): boolean {
    const [from, to] = words.findSuffixes(bytes);
    return from < to;
  }

  return { isContained, findExact, findAlike, findGrams, findLonger, findParts, findNear };
}

const FIRST_DIGIT = 0x30;
/** Words that are compared in one step. */
const STEP = 16_384;
/** How many words are kept that were looked up. */
const MAX_KNOWN = 1_024;
const STARTS = Array.from('abcdefghijklmnopqrstuvwxyz0123456789', (letter) => Buffer.from(letter));
/** Bounds of the work: words with punctuation after the asked one, before it, longer words, words with the same ending, near words. */
const [MAX_WRITTEN, MAX_INSIDE, MAX_LONGER, MAX_ENDING, MAX_FOUND] = [64, 128, 64, 256, 64];
/** Shorter words are too frequent as parts of others. */
const MIN_INSIDE = 4;
/** Words of the ways to divide a word in two. */
const MAX_PARTS = 6;
/** An edit of a shorter word makes another word. */
const MIN_NEAR = 3;
const MIN_TWO_EDITS = 8;
/** The share of an edit in the weight of a word, times its length. */
const EDIT_COST = 1.6;
const LONGER_SHARE = 0.9;
const SOUND_SHARE = 0.9;
/** Groups of three letters: how many a word must have, how many places are read, and words compared and kept; what they must have in common. */
const [MIN_GRAMS, MAX_SUFFIXES, MAX_COUNTED, MAX_SIMILAR, MIN_COMMON, GRAM_SHARE] = [4, 16_384, 128, 16, 0.5, 0.8];

function firstCharacterLength(text: Uint8Array): number {
  let length = 1;
  while (((text[length] as number) & 0xc0) === 0x80) length++;
  return length;
}
