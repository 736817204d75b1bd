import { createWords, firstNotBelow, NO_WORD } from '../answer/words.ts';
import type { MatchArrays } from '../search-index.ts';
import { countEdits, MAX_COMPARED } from './edit-distance.ts';
import { compareLetters, isNear, isPartOfWord, shapeOf } from './word-shapes.ts';

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
export interface WordFinder {
  /** The word itself, also with punctuation around it. */
  findExact(asked: Uint8Array): FoundWord[];
  /** Words that start with it. */
  findLonger(asked: Uint8Array): FoundWord[];
  /** Words that it is written together from, or that are the beginning of it. */
  findParts(asked: Uint8Array): FoundWord[];
  /** Words that differ from it by a few letters or only by punctuation. */
  findNear(asked: Uint8Array): FoundWord[];
}

export function createWordFinder(arrays: MatchArrays): WordFinder {
  const { vocabularyText: text, vocabularyStarts: starts, suffixWord, suffixOffset, wordShapes, markedWords } = arrays;
  const words = createWords(arrays);
  const scratch = new Uint8Array(MAX_COMPARED);

  /** Whether the text at `at` is followed by punctuation or the end of a word. Both sort before digits and letters. */
  const endsAt = (at: number) => (text[at] as number) < FIRST_DIGIT;

  function findExact(asked: Uint8Array): FoundWord[] {
    const found = new Set<number>();
    const compare = (item: number) => compareLetters(text, starts[markedWords[item] as number] as number, asked);
    let marked = firstNotBelow(markedWords.length, (item) => compare(item) < 0);
    for (; marked < markedWords.length && compare(marked) === 0; marked++) found.add(markedWords[marked] as number);
    const [from, to] = words.findWords(asked);
    const last = Math.min(to, from + MAX_WRITTEN);
    for (let word = from; word < last && endsAt((starts[word] as number) + asked.length); word++) found.add(word);
    if (asked.length >= MIN_INSIDE) addInside(asked, found);
    return Array.from(found, (word) => ({ word, share: 1 }));
  }

  /** Adds words such as `smith-acme` for `acme`. */
  function addInside(asked: Uint8Array, found: Set<number>): void {
    const [first, end] = words.findSuffixes(asked);
    for (let suffix = first; suffix < Math.min(end, first + MAX_INSIDE); suffix++) {
      const offset = suffixOffset[suffix] as number;
      const word = suffixWord[suffix] as number;
      const at = (starts[word] as number) + offset;
      if (!endsAt(at + asked.length)) break;
      if (offset > 0 && !isPartOfWord(text[at - 1] as number)) found.add(word);
    }
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

  function findLonger(asked: Uint8Array): FoundWord[] {
    const [from, to] = words.findWords(asked);
    const longer: number[] = [];
    for (let word = from; word < Math.min(to, from + MAX_LONGER); word++) longer.push(word);
    for (const word of findMarked(asked)) if (word < from || word >= to) longer.push(word);
    return longer.slice(0, MAX_LONGER).map((word) => ({ word, share: LONGER_SHARE }));
  }

  function findParts(asked: Uint8Array): FoundWord[] {
    const found: FoundWord[] = [];
    const last = Math.min(asked.length, MAX_COMPARED) - 1;
    const wordAt = (from: number, to: number) => words.findWord(asked.subarray(from, to));
    const add = (word: number, length: number) => found.push({ word, share: length / asked.length });
    let [start, end] = [NO_PART, NO_PART];
    for (let at = 2; at < last; at++) {
      const [left, right] = [wordAt(0, at), wordAt(at, asked.length)];
      if (left !== NO_WORD && right !== NO_WORD && found.length < MAX_PARTS) {
        add(left, at);
        add(right, asked.length - at);
      }
      // The longest beginning and the longest ending.
      if (left !== NO_WORD && at >= MIN_PART) start = { word: left, length: at };
      if (right !== NO_WORD && end === NO_PART) end = { word: right, length: asked.length - at };
    }
    if (found.length > 0) return found;
    for (const { word, length } of [start, end]) if (length >= MIN_PART) add(word, length);
    return found;
  }

  function findNear(asked: Uint8Array): FoundWord[] {
    if (asked.length < MIN_NEAR || asked.length > MAX_COMPARED - 2) return [];
    const edits = asked.length < MIN_TWO_EDITS ? 1 : 2;
    const shape = shapeOf(asked, 0, asked.length);
    const found: FoundWord[] = [];
    const compare = (word: number) => {
      const length = copyLetters(word);
      const count = countEdits(scratch, length, asked, edits);
      if (count <= edits) found.push({ word, share: NEAR_SHARES[count] as number });
    };
    // The first letter is seldom wrong: words that differ there are looked up by their ending.
    const first = asked.subarray(0, firstCharacterLength(asked));
    const [from, to] = words.findWords(first);
    for (let word = from; word < to; word++) if (isNear(wordShapes[word] as number, shape, edits)) compare(word);
    for (const word of findMarked(first)) {
      if ((word < from || word >= to) && isNear(wordShapes[word] as number, shape, edits)) compare(word);
    }
    for (const word of words.findEnding(asked.subarray(1), MAX_ENDING) ?? [])
      if (word < from || word >= to) compare(word);
    const swapped = Uint8Array.from(asked);
    swapped.set([asked[1] as number, asked[0] as number]);
    const word = words.findWord(swapped);
    if (word !== NO_WORD) compare(word);
    return found.sort((a, b) => b.share - a.share).slice(0, MAX_FOUND);
  }

  /** Copies the letters and digits of a word to `scratch` and returns how many bytes they have; at most `MAX_COMPARED`. */
  function copyLetters(word: number): number {
    const end = (starts[word + 1] as number) - 1;
    let length = 0;
    for (let at = starts[word] as number; at < end && length < MAX_COMPARED; at++) {
      if (isPartOfWord(text[at] as number)) scratch[length++] = text[at] as number;
    }
    return length;
  }

  return { findExact, findLonger, findParts, findNear };
}

const FIRST_DIGIT = 0x30;
/** Bounds of the work: words with punctuation after the asked one, before it, longer words, words with the same ending, near words. */
const [MAX_WRITTEN, MAX_INSIDE, MAX_LONGER, MAX_ENDING, MAX_FOUND] = [64, 128, 64, 256, 32];
/** Shorter words are too frequent as parts of others. */
const MIN_INSIDE = 4;
const MIN_PART = 4;
const NO_PART = { word: NO_WORD, length: 0 };
/** Words of the ways to divide a word in two. */
const MAX_PARTS = 12;
/** An edit of a shorter word makes another word. */
const MIN_NEAR = 4;
const MIN_TWO_EDITS = 8;
const LONGER_SHARE = 0.8;
/** By the number of edits. */
const NEAR_SHARES = [0.98, 0.8, 0.6];

function firstCharacterLength(text: Uint8Array): number {
  let length = 1;
  while (((text[length] ?? 0) & 0xc0) === 0x80) length++;
  return length;
}
