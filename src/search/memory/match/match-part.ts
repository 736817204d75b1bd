import type { SetFinder } from '../answer/set-finder.ts';
import type { Steps } from '../answer/steps.ts';
import { aliasArraysOf, aliasKinds, type SearchIndex } from '../search-index.ts';
import { createDictionary, type Dictionary } from './dictionary.ts';
import { createNameFinder } from './names.ts';
import { type Budget, type Counted, countDocs, type Ranked, type Scope, type Tally, type Term } from './tally.ts';

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
      const best = new Map<number, Counted>();
      for (const [term, asked] of terms.entries()) {
        for (const { word, share } of yield* dictionary.findWords(asked, near, budget)) {
          const set = dictionary.docsOf(word);
          // A misspelt word is rare, but is not stronger evidence than the word that is meant.
          const textOf = () => dictionary.textOf(word);
          const meant = share === 1 ? asked.weight : Math.min(asked.weight, weigh(set.size, textOf));
          const weight = meant * share * (KIND_SHARES[kind] as number);
          if (weight > (best.get(word)?.weight ?? 0)) best.set(word, { term, weight, set });
        }
        yield;
      }
      for (const one of best.values()) counted.push(one);
    }
    return counted;
  }

  return {
    ...names,
    dictionaries,
    current: dictionaries[0] as Dictionary,

    /**
     * Finds the documents with the most similar names, of all countries and then of the country of the query, the best of each first. With
     * `near`, names with typos are also found.
     */
    *rank(
      terms: readonly Term[],
      near: boolean,
      weigh: Weigh,
      tally: Tally,
      scope: Scope,
      budget: Budget,
    ): Steps<Ranked[]> {
      const words = yield* findWords(terms, near, weigh, budget);
      tally.clear(terms.length, scope);
      const lengthOf = names.countWords;
      yield* countDocs(words, near, { ...scope, tally, budget, lengthOf });
      const best = tally.listBest(MAX_RANKED, terms, lengthOf);
      return scope.wants === undefined ? best : [...best, ...tally.listBest(MAX_RANKED, terms, lengthOf, scope.wants)];
    },
  };
}

/** Returns the weight of a word by its documents in this index, or by its text: rarer words have more weight. */
export type Weigh = (documents: number, textOf: () => string) => number;

/** By kind of names: current names, current names in Latin letters, former and other names. */
const KIND_SHARES = [1, 1, 0.95];
/** The maximum number of documents of an index that are ranked. */
const MAX_RANKED = 60;
