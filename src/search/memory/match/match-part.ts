import type { SetFinder } from '../answer/set-finder.ts';
import type { Steps } from '../answer/steps.ts';
import { aliasArraysOf, aliasKinds, type SearchIndex } from '../search-index.ts';
import type { Test } from '../sets.ts';
import { createDictionary, type Dictionary, type Term } from './dictionary.ts';
import { createNameFinder } from './names.ts';
import { type Budget, type Counted, countDocs, type Tally } from './tally.ts';

/** A document and its score. */
export interface Ranked {
  readonly doc: number;
  readonly score: number;
  /** Whether the document has every term. */
  readonly isComplete: boolean;
}

export type MatchPart = ReturnType<typeof createMatchPart>;

/** Prepares finding candidates in one index, the base or a segment. The result is used as long as the index is a part of the data. */
export function createMatchPart(index: SearchIndex, sets: Pick<SetFinder, 'broadWords'>) {
  const { arrays } = index;
  const names = createNameFinder(index);
  const dictionaries = [arrays, ...aliasKinds.map((kind) => aliasArraysOf(arrays, kind))].map((own, at) =>
    createDictionary(own, sets.broadWords[at] as (typeof sets.broadWords)[number]),
  );

  /** The words that stand for the terms, in all dictionaries. A word counts for the term for which its weight is highest. */
  function* findWords(terms: readonly Term[], near: boolean, weigh: Weigh, budget: Budget): Steps<Counted[]> {
    const counted: Counted[] = [];
    for (const [kind, dictionary] of dictionaries.entries()) {
      const best = new Map<number, Pick<Counted, 'term' | 'weight'>>();
      for (const [term, asked] of terms.entries()) {
        for (const { word, share } of yield* dictionary.findWords(asked, near, budget)) {
          // A misspelt word is rare, but is not stronger evidence than the word that is meant.
          const meant = share === 1 ? asked.weight : Math.min(asked.weight, weigh(dictionary.textOf(word)));
          const weight = meant * share * (KIND_SHARES[kind] as number);
          if (weight > (best.get(word)?.weight ?? 0)) best.set(word, { term, weight });
        }
        yield;
      }
      for (const [word, one] of best) counted.push({ ...one, set: dictionary.docsOf(word) });
    }
    return counted;
  }

  return {
    ...names,
    dictionaries,
    current: dictionaries[0] as Dictionary,

    /** Finds the documents with the most similar names, the best first; with `near`, also names with typos. */
    *rank(
      terms: readonly Term[],
      near: boolean,
      weigh: Weigh,
      tally: Tally,
      accepts: Test,
      budget: Budget,
    ): Steps<Ranked[]> {
      const words = yield* findWords(terms, near, weigh, budget);
      tally.clear(terms.length);
      yield* countDocs(words, near, { tally, budget, accepts, lengthOf: names.countWords });
      return takeBest(terms, tally, names.countWords);
    },
  };
}

/** Returns the weight of a word: rarer words have more weight. */
type Weigh = (word: string) => number;

/** By kind of names: current names, current names in Latin letters, former and other names. */
const KIND_SHARES = [1, 1, 0.95];
/** The maximum number of documents of an index that are ranked. */
const MAX_RANKED = 60;

/** The best documents of the table. Equally good documents are in the order of results. */
function takeBest(terms: readonly Term[], tally: Tally, countWords: (doc: number) => number): Ranked[] {
  const scores = tally.scoreAll(countWords);
  const least = scores.toSorted().at(-MAX_RANKED) ?? 0;
  const rows = [...scores.keys()].filter((row) => (scores[row] as number) >= least);
  const best = rows.map((row): Ranked => {
    const weights = tally.weightsAt(row);
    const isComplete = terms.every(({ isOptional }, term) => isOptional || weights[term] !== 0);
    return { doc: tally.docs[row] as number, score: scores[row] as number, isComplete };
  });
  return best.sort((a, b) => b.score - a.score || a.doc - b.doc).slice(0, MAX_RANKED);
}
