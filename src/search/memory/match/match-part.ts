import type { SetFinder } from '../answer/set-finder.ts';
import type { Steps } from '../answer/steps.ts';
import { aliasArraysOf, aliasKinds, type SearchIndex } from '../search-index.ts';
import type { Test } from '../sets.ts';
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
  function* findWords(terms: readonly Term[], near: boolean, weigh: Weigh, budget: Budget): Steps<Found> {
    const counted: Counted[] = [];
    let current: Found['current'] = new Map();
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
      if (kind === 0) current = best;
    }
    return { counted, current };
  }

  /** Rates found documents again, by the weight of the words in their current names that were not asked for. */
  function rateAgain(ranked: readonly Ranked[], { current }: Found, terms: readonly Term[], weigh: Weigh): Ranked[] {
    const [dictionary] = dictionaries as [Dictionary];
    const weights = new Map<number, number>();
    const weightOf = (word: number) =>
      weights.getOrInsertComputed(word, () => weigh(dictionary.docsOf(word).size, () => dictionary.textOf(word)));
    const asked = terms.reduce((sum, { weight, isOptional }) => sum + (isOptional ? 0 : weight), 0);
    const rated = ranked.map((one) => {
      const words = names.wordsOf(one.doc);
      let [others, agreeing] = [0, 0];
      for (const word of words) {
        const found = current.get(word);
        if (found === undefined) others += weightOf(word);
        else agreeing += found.weight;
      }
      // A company that was found by another name keeps its score, because the words of its current name say nothing.
      if (agreeing < CURRENT_SHARE * one.sum) return one;
      const lead = current.has(words[0] as number) ? 1 : NO_LEAD;
      return { ...one, score: (one.sum * lead) / (1 + Math.min(1, others / asked || 0)) };
    });
    return rated.sort((a, b) => b.score - a.score);
  }

  return {
    ...names,
    dictionaries,
    current: dictionaries[0] as Dictionary,

    /**
     * Finds the documents with the most similar names, of all countries and of the country of the query, the best first. With `near`, names
     * with typos are also found.
     */
    *rank(
      terms: readonly Term[],
      near: boolean,
      weigh: Weigh,
      tally: Tally,
      scope: Scope,
      budget: Budget,
    ): Steps<Ranked[]> {
      const found = yield* findWords(terms, near, weigh, budget);
      tally.clear(terms.length, scope);
      const lengthOf = names.countWords;
      yield* countDocs(found.counted, near, { ...scope, tally, budget, lengthOf });
      const listBest = (accepts?: Test) => tally.listBest(MAX_RANKED, terms, lengthOf, accepts);
      const wanted = scope.wants === undefined ? [] : listBest(scope.wants);
      const best = listBest().map((one) => ({ ...one, isAnywhere: true }));
      const unique = new Map([...wanted, ...best].map((one) => [one.doc, one]));
      return rateAgain([...unique.values()], found, terms, weigh);
    },
  };
}

/** The words that stand for terms, and these words of current names by their numbers. */
interface Found {
  readonly counted: readonly Counted[];
  readonly current: ReadonlyMap<number, Counted>;
}

/** Returns the weight of a word by its documents in this index, or by its text: rarer words have more weight. */
export type Weigh = (documents: number, textOf: () => string) => number;

/** By kind of names: current names, current names in Latin letters, former and other names. */
const KIND_SHARES = [1, 1, 0.95];
/** The maximum number of documents of an index that are ranked. */
const MAX_RANKED = 60;
/** The least share of the score of a document that words of its current name have, unless the document was found by another name. */
const CURRENT_SHARE = 0.8;
/** The factor for a name of which the first word was not asked for. */
const NO_LEAD = 0.85;
