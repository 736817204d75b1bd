import { fold } from '../../../base/fold.ts';
import type { SetFinder } from '../answer/set-finder.ts';
import { runAtOnce, type Steps } from '../answer/steps.ts';
import { createWords } from '../answer/words.ts';
import { aliasArraysOf, aliasKinds, type SearchIndex } from '../search-index.ts';
import type { Test } from '../sets.ts';
import { type Asked, createDictionary, type Dictionary } from './dictionary.ts';
import { createInitialsFinder } from './initials.ts';
import { createNameFinder } from './names.ts';
import { type Budget, type Counted, countDocs, scoreOf, type Tally } from './tally.ts';

/** An asked word, or another way to write it. */
export interface Term extends Asked {
  /** How much it tells: the rarer, the more. */
  readonly weight: number;
}

/** A document and how well it fits. */
export interface Ranked {
  readonly doc: number;
  readonly score: number;
  /** The score if words of the name that were not asked for count more: short names inside a long query. */
  readonly fit: number;
  /** Whether it has every term. */
  readonly isComplete: boolean;
}

export type MatchPart = ReturnType<typeof createMatchPart>;

/** What is prepared to find candidates in one index, the base or a segment, for every version of the data that it is a part of. */
export function createMatchPart(index: SearchIndex, sets: Pick<SetFinder, 'broadWords'>) {
  const { arrays } = index;
  const names = createNameFinder(index);
  const dictionaries = [arrays, ...aliasKinds.map((kind) => aliasArraysOf(arrays, kind))].map((own, at) =>
    createDictionary(own, sets.broadWords[at] as (typeof sets.broadWords)[number]),
  );

  /** The words that stand for the terms, in all dictionaries. A word counts for the term that it says most about. */
  function* findWords(terms: readonly Term[], near: boolean, weigh: Weigh, budget: Budget): Steps<Counted[]> {
    const counted: Counted[] = [];
    for (const [kind, dictionary] of dictionaries.entries()) {
      const best = new Map<number, Pick<Counted, 'term' | 'weight'>>();
      for (const [term, asked] of terms.entries()) {
        for (const { word, share } of yield* dictionary.findWords(asked, near, budget)) {
          // A misspelt word is rare, but says no more than the word that is meant.
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
    findInitials: createInitialsFinder(index, createWords(arrays)),

    /** The documents whose names are most similar, the best first; with `near`, also those with typing errors. */
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
      yield* countDocs(words, near, names.countWords, tally, accepts, budget);
      const asked = terms.filter(({ isOptional }) => !isOptional);
      const start = Buffer.from(asked.map(({ text }) => text).join(' '));
      const [from, to] = names.findNamed(start, false, MAX_NAMED);
      for (let doc = from; doc < to; doc++) if (accepts(doc)) tally.add(doc, 0, (terms[0] as Term).weight);
      return takeBest(terms, tally, names.countWords);
    },
  };
}

/** How much a word tells. */
export type Weigh = (word: string) => number;

/** Current names come first, and then their words in Latin letters. */
const KIND_SHARES = [1, 1, 0.95];
const MAX_NAMED = 40;
/** How many documents of an index are ranked. */
const MAX_RANKED = 150;

function takeBest(terms: readonly Term[], tally: Tally, countWords: (doc: number) => number): Ranked[] {
  const all = Array.from({ length: tally.size }, (_, row): Ranked => {
    const doc = tally.docAt(row);
    const weights = tally.weightsAt(row);
    let [sum, matched] = [0, 0];
    for (let term = 0; term < weights.length; term++) {
      sum += weights[term] as number;
      if (weights[term] !== 0) matched++;
    }
    const words = countWords(doc);
    const others = Math.max(0, words - matched);
    return {
      doc,
      score: scoreOf(sum, others),
      fit: sum * (1 - others / words) ** 2,
      isComplete: terms.every(({ isOptional }, term) => isOptional || weights[term] !== 0),
    };
  });
  return all.sort((a, b) => b.score - a.score || a.doc - b.doc).slice(0, MAX_RANKED);
}

/**
 * Corrects a query that finds nothing: each word that no name contains is replaced by the most similar word of the vocabulary, of
 * two equally similar ones by the more frequent. Undefined if there is nothing to replace, or no similar word for one of them.
 */
export function correctSpelling({ isContained, findNear, docsOf, textOf }: Dictionary, q: string): string | undefined {
  const terms = fold(q.toWellFormed()).split(' ');
  if (terms.length > MAX_TERMS) return undefined;
  const budget = { postings: 0, words: MAX_WORDS, isBounded: false };
  const corrected: string[] = [];
  for (const term of terms) {
    const bytes = Buffer.from(term);
    if (isContained(bytes)) corrected.push(term);
    else {
      const similar = runAtOnce(findNear(bytes, budget));
      const [best] = similar.sort((a, b) => b.share - a.share || docsOf(b.word).size - docsOf(a.word).size);
      if (best === undefined) return undefined;
      corrected.push(textOf(best.word));
    }
  }
  return corrected.some((word, at) => word !== terms[at]) ? corrected.join(' ') : undefined;
}

const MAX_TERMS = 8;
/** Bounds the work per query, because it blocks the event loop. */
const MAX_WORDS = 500_000;
