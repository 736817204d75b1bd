import { listWords } from '../../words.ts';
import { createNameWords } from '../answer/name-words.ts';
import { type DocSet, Marks, NO_DOCS } from '../sets.ts';
import { findInWords, type WordArrays } from './broad.ts';

/** The documents that contain a broad fragment, that have a word which starts with it, and that have it as a whole word. */
export interface BroadWord {
  readonly inside: DocSet;
  readonly start: DocSet;
  readonly whole: DocSet;
}

/** Finds the broad fragments inside words. If two of the three sets are equal, they are one object. */
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
