import { SMALL_WORDS } from '../../match/tokens.ts';
import type { Steps } from '../answer/steps.ts';
import { firstNotBelow, type Range, type Words } from '../answer/words.ts';
import type { SearchIndex } from '../search-index.ts';
import type { Test } from '../sets.ts';
import type { Budget } from './tally.ts';

/**
 * Finds names by the first letters of their words. Documents are in the order of their names, so those that begin with the first letter
 * are a range, and so are the words of the vocabulary that begin with each other letter: a name is compared by the numbers of its words.
 */
export function createInitialsFinder({ arrays, entities }: SearchIndex, { findWord, findWords }: Words) {
  const { words, wordsStarts } = arrays;
  const small = new Set(Array.from(SMALL_WORDS, (word) => findWord(Buffer.from(word))));
  const firstWord = (doc: number) => words[wordsStarts[doc] as number] as number;

  /** How many words are left after those of the letters; undefined if the letters are others. */
  function countOthers(doc: number, ranges: readonly Range[], isSkipping: boolean): number | undefined {
    const end = wordsStarts[doc + 1] as number;
    let letter = 1;
    let at = (wordsStarts[doc] as number) + 1;
    for (; at < end && letter < ranges.length; at++) {
      const word = words[at] as number;
      if (isSkipping && small.has(word)) continue;
      const [from, to] = ranges[letter] as Range;
      if (word < from || word >= to) return undefined;
      letter++;
    }
    return letter === ranges.length ? end - at : undefined;
  }

  /** The documents with the fewest other words, at most `max`. */
  return function* findInitials(letters: string, max: number, accepts: Test, budget: Budget): Steps<number[]> {
    const ranges = Array.from(letters, (letter) => findWords(Buffer.from(letter)));
    const [first, next] = ranges[0] as Range;
    const start = firstNotBelow(entities, (doc) => firstWord(doc) < first);
    const end = firstNotBelow(entities, (doc) => firstWord(doc) < next, start);
    const last = Math.min(end, start + COST * budget.postings);
    if (last < end) budget.isBounded = true;
    budget.postings -= Math.ceil((last - start) / COST);
    const found: { readonly doc: number; readonly others: number }[] = [];
    for (let from = start; from < last; from += STEP) {
      for (let doc = from; doc < Math.min(last, from + STEP); doc++) {
        const others = countOthers(doc, ranges, true) ?? countOthers(doc, ranges, false);
        if (others !== undefined && others <= MAX_OTHERS && accepts(doc)) found.push({ doc, others });
      }
      yield;
    }
    return found
      .sort((a, b) => a.others - b.others)
      .slice(0, max)
      .map(({ doc }) => doc);
  };
}

/** Comparing the first words of a name costs less than counting a document. */
const COST = 8;
const STEP = 16_384;
/** The words of a legal form. */
const MAX_OTHERS = 4;
