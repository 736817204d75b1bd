import type { Test } from '../answer/lists.ts';
import { matchWholeNumber } from '../answer/match-number.ts';
import { firstNotBelow } from '../answer/words.ts';
import type { SearchIndex } from '../search-index.ts';
import { compareFolded, startsLike } from '../update/document-order.ts';

/** Finds documents of one index by a whole name or number. */
export interface NameFinder {
  /** The first documents whose folded name is this one or, unless `whole`, starts with it. */
  findNamed(folded: Uint8Array, whole: boolean, max: number): readonly [from: number, to: number];
  /** The documents with the same folded name as this one, at most `max` before it and after it. */
  findSameNamed(doc: number, max: number): readonly [from: number, to: number];
  findNumber(number: string, accepts: Test): number[];
}

export function createNameFinder({ arrays, entities }: SearchIndex): NameFinder {
  const { words, wordsStarts } = arrays;
  const countWords = (doc: number) => (wordsStarts[doc + 1] as number) - (wordsStarts[doc] as number);

  function findNamed(folded: Uint8Array, whole: boolean, max: number): readonly [number, number] {
    const from = firstNotBelow(entities, (doc) => compareFolded(arrays, doc, folded) < 0);
    let to = from;
    while (to < Math.min(entities, from + max) && startsLike(arrays, to, folded, whole)) to++;
    return [from, to];
  }

  /** Documents are sorted by name. */
  function findSameNamed(doc: number, max: number): readonly [number, number] {
    let [from, to] = [doc, doc + 1];
    while (from > Math.max(0, doc - max) && hasSameWords(from - 1, doc)) from--;
    while (to < Math.min(entities, doc + max) && hasSameWords(to, doc)) to++;
    return [from, to];
  }

  function hasSameWords(a: number, b: number): boolean {
    const [fromA, fromB, count] = [wordsStarts[a] as number, wordsStarts[b] as number, countWords(a)];
    if (count !== countWords(b)) return false;
    for (let at = 0; at < count; at++) if (words[fromA + at] !== words[fromB + at]) return false;
    return true;
  }

  return {
    findNamed,
    findSameNamed,
    findNumber(number, accepts) {
      const { docs, ranges, check } = matchWholeNumber(arrays, number, accepts);
      const found: number[] = [];
      for (let range = 0; range < ranges.length; range += 2) {
        for (let at = ranges[range] as number; at < (ranges[range + 1] as number); at++) {
          if (check?.(docs[at] as number)) found.push(docs[at] as number);
        }
      }
      return found.slice(0, MAX_NUMBERED);
    },
  };
}

const MAX_NUMBERED = 20;
