import type { SetFinder } from '../answer/set-finder.ts';
import { createWords } from '../answer/words.ts';
import type { SearchIndex } from '../search-index.ts';
import { createInitialsFinder } from './initials.ts';
import { createOtherNames } from './other-names.ts';
import { createPartFinder, type PartFinder } from './part-finder.ts';

export type MatchPart = ReturnType<typeof createMatchPart>;

/** What is prepared to find candidates in one index, for every version of the data that the index is a part of. */
export function createMatchPart(index: SearchIndex, sets: SetFinder) {
  const finder = createPartFinder(index, sets);
  return {
    finder,
    countWord: createWordCounter(index, finder),
    otherNames: createOtherNames(index.arrays),
    findInitials: createInitialsFinder(index, createWords(index.arrays)),
  };
}

/**
 * How many documents of one index have a word. Exact for rare words. Of frequent words, a part of the documents is read, and the rest is
 * assumed to be alike. Hidden documents count, because there are few.
 */
function createWordCounter({ arrays, entities }: SearchIndex, part: PartFinder) {
  const { words, wordsStarts } = arrays;
  let newer = new Map<string, number>();
  let older = newer;
  let sample: ReadonlyMap<number, number> | undefined;
  const step = Math.max(1, Math.floor(entities / MAX_READ));

  function countWord(text: string): number {
    let total = 0;
    for (const { word } of part.words.findExact(Buffer.from(text))) {
      sample ??= readSample();
      total += part.listOf(word)?.length ?? (entities * ((sample.get(word) ?? 0) + 0.5)) / (entities / step + 1);
    }
    return Math.min(Math.round(total), entities);
  }

  /** The words without a list in some of the documents. */
  function readSample(): Map<number, number> {
    const counts = new Map<number, number>();
    for (let doc = 0; doc < entities; doc += step) {
      for (let at = wordsStarts[doc] as number; at < (wordsStarts[doc + 1] as number); at++) {
        const word = words[at] as number;
        if (part.listOf(word) === undefined) counts.set(word, (counts.get(word) ?? 0) + 1);
      }
    }
    return counts;
  }

  /** When too many words are known, those that were asked for last are kept. */
  return (word: string): number => {
    let count = newer.get(word);
    if (count === undefined) {
      if (newer.size >= MAX_KNOWN) [newer, older] = [new Map(), newer];
      count = older.get(word) ?? countWord(word);
      newer.set(word, count);
    }
    return count;
  };
}

const MAX_READ = 2_048;
const MAX_KNOWN = 16_384;
