import type { CandidateName } from '../../match/matching.ts';
import { SMALL_WORDS } from '../../match/tokens.ts';
import { FORMER } from '../../other-names.ts';
import { matchWholeNumber } from '../answer/match-number.ts';
import type { Steps } from '../answer/steps.ts';
import { createWords, firstNotBelow, type Range } from '../answer/words.ts';
import type { SearchIndex } from '../search-index.ts';
import type { Test } from '../sets.ts';
import { positionOf } from '../shared-arrays.ts';
import { compareFolded } from '../update/document-order.ts';
import type { Budget, Scope } from './tally.ts';

/**
 * Finds documents of one index by a whole name, a number or the first letters of their words, and lists the names of a document. Documents
 * and the words of the vocabulary are sorted, so the names or words that begin with a letter are a range: a name is compared with letters
 * by the numbers of its words.
 */
export function createNameFinder({ arrays, entities }: SearchIndex) {
  const { findWord, findWords } = createWords(arrays);
  const { words, wordsStarts, wordsSteps, otherNameDocs, otherNameText, otherNameStarts } = arrays;
  const small = new Set(Array.from(SMALL_WORDS, (word) => findWord(Buffer.from(word))));
  const startOf = (doc: number) => positionOf(wordsStarts, wordsSteps, doc);
  const firstWord = (doc: number) => words[startOf(doc)] as number;

  /** The number of words after the words that match the letters; undefined if the letters do not match. */
  function countOthers(doc: number, ranges: readonly Range[], isSkipping: boolean): number | undefined {
    const end = startOf(doc + 1);
    let letter = 1;
    let at = startOf(doc) + 1;
    for (; at < end && letter < ranges.length; at++) {
      const word = words[at] as number;
      if (isSkipping && small.has(word)) continue;
      const [from, to] = ranges[letter] as Range;
      if (word < from || word >= to) return undefined;
      letter++;
    }
    return letter === ranges.length ? end - at : undefined;
  }

  return {
    wordsOf: (doc: number) => words.subarray(startOf(doc), startOf(doc + 1)),
    countWords: (doc: number) => startOf(doc + 1) - startOf(doc),

    /** The documents that have this folded name. */
    findNamed(folded: Uint8Array): Range {
      const from = firstNotBelow(entities, (doc) => compareFolded(arrays, doc, folded) < 0);
      return [from, firstNotBelow(entities, (doc) => compareFolded(arrays, doc, folded) <= 0, from)];
    },

    findNumber(number: string, accepts: Test): number[] {
      const { docs, ranges, check } = matchWholeNumber(arrays, number, accepts);
      const found: number[] = [];
      for (let range = 0; range < ranges.length; range += 2) {
        for (let at = ranges[range] as number; at < (ranges[range + 1] as number); at++) {
          if (check?.(docs[at] as number)) found.push(docs[at] as number);
        }
      }
      return found.slice(0, MAX_NUMBERED);
    },

    /** Finds documents whose words begin with the letters, the documents with the fewest other words first. */
    *findInitials(letters: string, { accepts }: Scope, budget: Budget): Steps<number[]> {
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
      return found.sort((a, b) => a.others - b.others).map(({ doc }) => doc);
    },

    /** The former and further names of a document. */
    listOtherNames(doc: number): CandidateName[] {
      const position = firstNotBelow(otherNameDocs.length, (at) => (otherNameDocs[at] as number) < doc);
      if (otherNameDocs[position] !== doc) return [];
      const bytes = otherNameText.slice(otherNameStarts[position], otherNameStarts[position + 1]);
      const lines = Buffer.from(bytes.buffer).toString().split('\n');
      return lines.map((line) => ({ text: line.slice(1), kind: line.startsWith(FORMER) ? 'former' : 'other' }));
    },
  };
}

const MAX_NUMBERED = 20;
/** Comparing the first words of a name costs less than counting a document. */
const COST = 8;
const STEP = 16_384;
/** The maximum number of other words, such as the words of a legal form. */
const MAX_OTHERS = 4;
