import { listWords } from '../../words.ts';
import { createNameWords } from '../answer/name-words.ts';
import { type DocSet, Marks, NO_DOCS } from '../sets.ts';
import { findInWords, type WordArrays } from './broad.ts';

/** The documents of a broad fragment, and those in which it begins a word or is one. */
export interface BroadWord {
  readonly inside: DocSet;
  readonly start: DocSet;
  readonly whole: DocSet;
}

/** The broad fragments inside words. A set that is equal to the next larger one is the same object. */
export function findBroadWords(arrays: WordArrays, docCount: number, threshold: number): Map<string, BroadWord> {
  const { findRanges } = createNameWords(arrays);
  const marks = new Marks(docCount);
  const choose = (larger: DocSet): DocSet => {
    if (marks.size === 0) return NO_DOCS;
    return marks.size === larger.size ? larger : marks.toSet();
  };
  const found = new Map<string, BroadWord>();
  for (const [fragment, inside] of findInWords(arrays, docCount, threshold)) {
    marks.clear();
    let [start, whole] = [NO_DOCS, NO_DOCS];
    if (listWords(fragment)[0] === fragment) {
      const ranges = findRanges(Buffer.from(fragment));
      marks.addMatch(ranges.whole);
      whole = choose(inside);
      marks.addMatch(ranges.start);
      start = marks.size === whole.size ? whole : choose(inside);
    }
    found.set(fragment, { inside, start, whole });
  }
  return found;
}
