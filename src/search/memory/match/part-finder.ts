import { fold } from '../../../base/fold.ts';
import { matchWholeNumber } from '../answer/match-number.ts';
import type { SetFinder } from '../answer/set-finder.ts';
import { runAtOnce, type Steps } from '../answer/steps.ts';
import { firstNotBelow, type Range } from '../answer/words.ts';
import type { SearchIndex } from '../search-index.ts';
import type { DocSet, Test } from '../sets.ts';
import { compareFolded, readFolded } from '../update/document-order.ts';
import { type Budget, type Counted, createDocCounter, MAX_RANKED, type Tally, type Wanted } from './tally.ts';
import { createWordFinder, type FoundWord } from './word-finder.ts';

/** An asked word. */
export interface Term {
  readonly bytes: Uint8Array;
  /** How much it tells: the rarer, the more. */
  readonly weight: number;
  /** Whether it is another way to write the words, which a name need not have. */
  readonly isOptional: boolean;
  /** Whether so many companies have it that it is hardly a typo. */
  readonly isFrequent: boolean;
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

/** The words of the vocabulary that each term may stand for. */
export type FoundWords = readonly (readonly FoundWord[])[];

export type PartFinder = ReturnType<typeof createPartFinder>;

/** Finds the documents of one index, the base or a segment, whose names are most similar to what is asked for. */
export function createPartFinder(index: SearchIndex, sets: Pick<SetFinder, 'findBroad'>) {
  const { arrays } = index;
  const { vocabularyText, vocabularyStarts, words, wordsStarts, wordDocs, wordDocsStarts } = arrays;
  const finder = createWordFinder(arrays);
  const names = createNameFinder(index);
  const countDocs = createDocCounter(arrays);

  /** The documents of a word that has a list; undefined if it is so frequent that it has none (`build/build.ts`). */
  function listOf(word: number): Uint32Array | undefined {
    const [from, to] = [wordDocsStarts[word] as number, wordDocsStarts[word + 1] as number];
    return from === to ? undefined : wordDocs.subarray(from, to);
  }

  /** Without a list, the documents that contain the word, also as a part of another word, are a stored set. */
  function readSet(word: number): DocSet {
    const list = listOf(word);
    return list === undefined ? (sets.findBroad(textOf(word)) as DocSet) : { size: list.length, list };
  }

  const textOf = (word: number) =>
    Buffer.from(vocabularyText.slice(vocabularyStarts[word], (vocabularyStarts[word + 1] as number) - 1)).toString();

  /**
   * Finds words as they are, or else longer ones; with `near`, words with typing errors too. Optional terms are seldom misspelt words. They
   * are compared with similar words only if the vocabulary does not have them.
   */
  function* findWords({ bytes, isOptional, isFrequent }: Term, near: boolean, budget: Budget): Steps<FoundWord[]> {
    const exact = [...finder.findExact(bytes)];
    if (isOptional && exact.length > 0) return exact;
    if (near) {
      const similar = isFrequent ? [] : yield* finder.findNear(bytes, budget);
      const found = [...exact, ...finder.findAlike(bytes), ...similar];
      return [
        ...found,
        ...(found.length > 0 || isOptional ? [] : finder.findGrams(bytes)),
        ...finder.findLonger(bytes),
      ];
    }
    return exact.length > 0 || isOptional ? exact : finder.findLonger(bytes);
  }

  /** `found` has the words of each term, with `near` also those with typing errors. The best first. */
  function* rank(
    terms: readonly Term[],
    found: FoundWords,
    near: boolean,
    tally: Tally,
    accepts: Test,
    budget: Budget,
  ): Steps<Ranked[]> {
    const wanted = new Map<number, Wanted>();
    for (const [term, asked] of terms.entries()) {
      for (const { word, share } of found[term] as readonly FoundWord[]) {
        const weight = asked.weight * share;
        if (weight > (wanted.get(word)?.weight ?? 0)) wanted.set(word, { term, weight });
      }
    }
    const all = Array.from(wanted, ([word, one]): Counted => ({ ...one, set: readSet(word) }));
    all.sort((a, b) => a.set.size - b.set.size || b.weight - a.weight);
    tally.clear();
    const inOrder = terms.filter(({ isOptional }) => !isOptional);
    yield* countDocs(all, near, inOrder.length, tally, accepts, budget);
    if (tally.isFull) budget.isBounded = true;
    const asked = Buffer.concat(inOrder.flatMap(({ bytes }, at) => (at === 0 ? [bytes] : [SPACE, bytes])));
    const [from, to] = names.findNamed(asked, false, MAX_NAMED);
    for (let doc = from; doc < to; doc++) if (accepts(doc)) tally.add(doc, 0, (terms[0] as Term).weight);
    return describeBest(terms, wanted, tally.takeBest(MAX_RANKED, MAX_TIES));
  }

  /** Compares the words of each document with all that are wanted, because frequent words were not counted. */
  function describeBest(
    terms: readonly Term[],
    wanted: ReadonlyMap<number, Wanted>,
    docs: readonly number[],
  ): Ranked[] {
    const weights = new Float64Array(terms.length);
    const ranked = docs.map((doc): Ranked => {
      weights.fill(0);
      const [from, to] = [wordsStarts[doc] as number, wordsStarts[doc + 1] as number];
      let others = 0;
      for (let at = from; at < to; at++) {
        const found = wanted.get(words[at] as number);
        if (found === undefined) others++;
        else if (found.weight > (weights[found.term] as number)) weights[found.term] = found.weight;
      }
      let sum = 0;
      let isComplete = true;
      for (let term = 0; term < terms.length; term++) {
        sum += weights[term] as number;
        const { weight, isOptional } = terms[term] as Term;
        if (!isOptional && weights[term] !== weight) isComplete = false;
      }
      return {
        doc,
        score: sum - Math.min(others, MAX_OTHERS) * OTHER_COST,
        fit: sum * (1 - others / (to - from)) ** 2,
        isComplete,
      };
    });
    return ranked.sort((a, b) => b.score - a.score || a.doc - b.doc);
  }

  return { words: finder, listOf, textOf, findWords, rank, ...names };
}

const SPACE = Buffer.from(' ');
const MAX_NAMED = 40;
/** If more documents are equally good, all of them are compared word by word. */
const MAX_TIES = 2_000;
/** What words of the name that were not asked for cost. */
const OTHER_COST = 0.3;
const MAX_OTHERS = 8;

/** Finds documents of one index by a whole name or number. */
function createNameFinder({ arrays, entities }: SearchIndex) {
  const { words, wordsStarts } = arrays;
  const countWords = (doc: number) => (wordsStarts[doc + 1] as number) - (wordsStarts[doc] as number);

  /** The first documents whose folded name is this one or, unless `whole`, starts with it. */
  function findNamed(folded: Uint8Array, whole: boolean, max: number): Range {
    const from = firstNotBelow(entities, (doc) => compareFolded(arrays, doc, folded) < 0);
    let to = from;
    const isLike = (doc: number) => {
      const own = readFolded(arrays, doc);
      return Buffer.compare(whole ? own : own.subarray(0, folded.length), folded) === 0;
    };
    while (to < Math.min(entities, from + max) && isLike(to)) to++;
    return [from, to];
  }

  /** The documents with the same folded name as this one, at most `max` before it and after it: they are beside it. */
  function findSameNamed(doc: number, max: number): Range {
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
    findNumber(number: string, accepts: Test): number[] {
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

/**
 * Corrects a query that finds nothing: each word that no name contains is replaced by the most similar word of the vocabulary, of
 * two equally similar ones by the more frequent. Undefined if there is nothing to replace, or no similar word for one of them.
 */
export function correctSpelling({ words, listOf, textOf }: PartFinder, q: string): string | undefined {
  const terms = fold(q.toWellFormed()).split(' ');
  if (terms.length > MAX_TERMS) return undefined;
  const budget = { postings: 0, words: MAX_WORDS, isBounded: false };
  // Words without a list are the most frequent ones.
  const frequency = (word: number) => listOf(word)?.length ?? Number.POSITIVE_INFINITY;
  const corrected: string[] = [];
  for (const term of terms) {
    const bytes = Buffer.from(term);
    if (words.isContained(bytes)) corrected.push(term);
    else {
      const similar = runAtOnce(words.findNear(bytes, budget));
      const [best] = similar.sort((a, b) => b.share - a.share || frequency(b.word) - frequency(a.word));
      if (best === undefined) return undefined;
      corrected.push(textOf(best.word));
    }
  }
  return corrected.some((word, at) => word !== terms[at]) ? corrected.join(' ') : undefined;
}

const MAX_TERMS = 8;
/** Bounds the work per query, because it blocks the event loop. */
const MAX_WORDS = 500_000;
