import type { CandidateName } from '../../match/matching.ts';
import { FORMER } from '../../other-names.ts';
import { matchWholeNumber } from '../answer/match-number.ts';
import { firstNotBelow, type Range } from '../answer/words.ts';
import type { SearchIndex } from '../search-index.ts';
import type { Test } from '../sets.ts';
import { compareFolded, readFolded } from '../update/document-order.ts';

/** Finds documents of one index by a whole name or number, and lists the names of a document. */
export function createNameFinder({ arrays, entities }: SearchIndex) {
  const { words, wordsStarts, otherNameDocs, otherNameText, otherNameStarts } = arrays;
  const countWords = (doc: number) => (wordsStarts[doc + 1] as number) - (wordsStarts[doc] as number);

  function hasSameWords(a: number, b: number): boolean {
    const [fromA, fromB, count] = [wordsStarts[a] as number, wordsStarts[b] as number, countWords(a)];
    if (count !== countWords(b)) return false;
    for (let at = 0; at < count; at++) if (words[fromA + at] !== words[fromB + at]) return false;
    return true;
  }

  return {
    countWords,

    /** The first documents whose folded name is this one or, unless `whole`, starts with it. */
    findNamed(folded: Uint8Array, whole: boolean, max: number): Range {
      const from = firstNotBelow(entities, (doc) => compareFolded(arrays, doc, folded) < 0);
      let to = from;
      const isLike = (doc: number) => {
        const own = readFolded(arrays, doc);
        return Buffer.compare(whole ? own : own.subarray(0, folded.length), folded) === 0;
      };
      while (to < Math.min(entities, from + max) && isLike(to)) to++;
      return [from, to];
    },

    /** The documents with the same folded name as this one, at most `max` before it and after it: they are beside it. */
    findSameNamed(doc: number, max: number): Range {
      let [from, to] = [doc, doc + 1];
      while (from > Math.max(0, doc - max) && hasSameWords(from - 1, doc)) from--;
      while (to < Math.min(entities, doc + max) && hasSameWords(to, doc)) to++;
      return [from, to];
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

    /** Former and further names. */
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
