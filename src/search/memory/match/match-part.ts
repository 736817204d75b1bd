import type { SetFinder } from '../answer/set-finder.ts';
import type { SearchIndex } from '../search-index.ts';
import { type DocSet, has } from '../sets.ts';
import { createOtherNames } from './other-names.ts';
import { createPartFinder, type PartFinder } from './part-finder.ts';

export type MatchPart = ReturnType<typeof createMatchPart>;

/** What is prepared to find candidates in one index, for every version of the data that the index is a part of. */
export function createMatchPart(index: SearchIndex, sets: SetFinder) {
  const finder = createPartFinder(index, sets);
  return { finder, countWord: createWordCounter(index, sets, finder), otherNames: createOtherNames(index.arrays) };
}

/**
 * How many documents of one index have a word, in one country or in all. Exact for rare words. Of frequent words, a part of the documents
 * is read, and the rest is assumed to be alike. Hidden documents count, because there are few.
 */
function createWordCounter({ arrays, texts, entities }: SearchIndex, sets: SetFinder, part: PartFinder) {
  const { words, wordsStarts } = arrays;
  const countryOf = arrays['summary.countryCode'];
  const known = new Map<string | undefined, Counts>();
  const samples = new Map<string | undefined, Sample>();

  function countWord(text: string, country: string | undefined): number {
    const number = texts.columns.countryCode.indexOf(country ?? '');
    let total = 0;
    for (const { word } of part.words.findExact(Buffer.from(text))) {
      const docs = part.listOf(word);
      if (docs === undefined) total += countFrequent(word, country);
      else if (country === undefined) total += docs.length;
      else {
        const step = Math.ceil(docs.length / MAX_READ);
        for (let at = 0; at < docs.length; at += step) if (countryOf[docs[at] as number] === number) total += step;
      }
    }
    return Math.min(total, entities);
  }

  /** Words without a list: their share in some documents of the country, read once for all of these words. */
  function countFrequent(word: number, country: string | undefined): number {
    const { size, read, counts } = samples.getOrInsertComputed(country, readSample);
    return Math.round((size * ((counts.get(word) ?? 0) + 0.5)) / (read + 1));
  }

  function readSample(country: string | undefined): Sample {
    const counts = new Map<number, number>();
    const docs = sampleDocs(country === undefined ? undefined : sets.findCountry(country));
    for (const doc of docs) {
      for (let at = wordsStarts[doc] as number; at < (wordsStarts[doc + 1] as number); at++) {
        const word = words[at] as number;
        if (part.listOf(word) === undefined) counts.set(word, (counts.get(word) ?? 0) + 1);
      }
    }
    const size = country === undefined ? entities : (sets.findCountry(country)?.size ?? 0);
    return { size, read: docs.length, counts };
  }

  function sampleDocs(set: DocSet | undefined): number[] {
    const list = set?.list;
    const bitmap = set?.bitmap;
    const docs: number[] = [];
    const [length, expected] = [list?.length ?? entities, set?.size ?? entities];
    const step = Math.max(1, Math.floor(expected / MAX_READ));
    for (let at = 0; at < length; at += step) {
      const doc = list?.[at] ?? at;
      if (bitmap === undefined || has(bitmap, doc)) docs.push(doc);
    }
    return docs;
  }

  return (word: string, country: string | undefined): number => {
    const counts = known.getOrInsertComputed(country, () => ({ newer: new Map(), older: new Map() }));
    let count = counts.newer.get(word);
    if (count === undefined) {
      if (counts.newer.size >= MAX_KNOWN) Object.assign(counts, { newer: new Map(), older: counts.newer });
      count = counts.older.get(word) ?? countWord(word, country);
      counts.newer.set(word, count);
    }
    return count;
  };
}

/** What was counted for a country. When there are too many, those that were asked for last are kept. */
interface Counts {
  newer: Map<string, number>;
  older: Map<string, number>;
}

interface Sample {
  /** How many documents the country has, and how many of them were read. */
  readonly size: number;
  readonly read: number;
  readonly counts: ReadonlyMap<number, number>;
}

const MAX_READ = 2_048;
const MAX_KNOWN = 16_384;
