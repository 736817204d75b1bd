import type { SetFinder } from '../answer/set-finder.ts';
import type { SearchIndex } from '../search-index.ts';
import { createOtherNames, type OtherNames } from './other-names.ts';
import { createPartFinder, type PartFinder } from './part-finder.ts';
import { createWordCounts, type WordCounts } from './word-counts.ts';

/** What is prepared to find candidates in one index, for every version of the data that the index is a part of. */
export interface MatchPart {
  readonly finder: PartFinder;
  readonly counts: WordCounts;
  readonly otherNames: OtherNames;
}

export function createMatchPart(index: SearchIndex, sets: SetFinder): MatchPart {
  const finder = createPartFinder(index, sets);
  return { finder, counts: createWordCounts(index, sets, finder), otherNames: createOtherNames(index.arrays) };
}
