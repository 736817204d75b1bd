import { firstFrom, type Test } from '../answer/lists.ts';
import { matchWholeNumber } from '../answer/match-number.ts';
import type { SetFinder } from '../answer/set-finder.ts';
import { STEP, type Steps } from '../answer/steps.ts';
import { firstNotBelow } from '../answer/words.ts';
import type { SearchIndex } from '../search-index.ts';
import { type DocSet, has, takeDocs } from '../sets.ts';
import { compareFolded, startsLike } from '../update/document-order.ts';
import type { Budget } from './budget.ts';
import type { Tally } from './tally.ts';
import { createWordFinder, type FoundWord, type WordFinder } from './word-finder.ts';

/** An asked word. */
export interface Term {
  readonly bytes: Uint8Array;
  /** How much it tells: the rarer, the more. */
  readonly weight: number;
  /** Whether it is another way to write the words, which a name need not have. */
  readonly isOptional: boolean;
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

/** Finds the documents of one index, the base or a segment, whose names are most similar to what is asked for. */
export interface PartFinder {
  readonly words: WordFinder;
  /** The documents of a word that has a list; undefined if it is so frequent that it has none (`build/build.ts`). */
  listOf(word: number): Uint32Array | undefined;
  textOf(word: number): string;
  /** Finds words as they are, or else longer ones; with `near`, words with typing errors too. */
  findWords(term: Term, near: boolean, budget: Budget): Steps<FoundWord[]>;
  /** `found` has the words of each term, with `near` also those with typing errors. The best first. */
  rank(
    terms: readonly Term[],
    found: FoundWords,
    near: boolean,
    tally: Tally,
    accepts: Test,
    budget: Budget,
  ): Steps<Ranked[]>;
  /** The first documents whose folded name is this one or, unless `whole`, starts with it. */
  findNamed(folded: Uint8Array, whole: boolean, max: number): readonly [from: number, to: number];
  /** The documents with the same folded name as this one, at most `max` before it and after it. */
  findSameNamed(doc: number, max: number): readonly [from: number, to: number];
  findNumber(number: string, accepts: Test): number[];
}

export function createPartFinder(index: SearchIndex, sets: Pick<SetFinder, 'findBroad'>): PartFinder {
  const { arrays, entities } = index;
  const { vocabularyText, vocabularyStarts, words, wordsStarts, wordDocs, wordDocsStarts } = arrays;
  const finder = createWordFinder(arrays);

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

  /** Optional terms are seldom misspelt words. They are compared with similar words only if the vocabulary does not have them. */
  function* findWords({ bytes, isOptional }: Term, near: boolean, budget: Budget): Steps<FoundWord[]> {
    const exact = [...finder.findExact(bytes)];
    if (isOptional && exact.length > 0) return exact;
    if (near) return [...exact, ...(yield* finder.findNear(bytes, budget)), ...finder.findLonger(bytes)];
    return exact.length > 0 || isOptional ? exact : finder.findLonger(bytes);
  }

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
    yield* countRare(
      all.filter(({ set }) => set.size <= RARE),
      tally,
      accepts,
      budget,
    );
    const inOrder = terms.filter(({ isOptional }) => !isOptional);
    yield* countFrequent(
      all.filter(({ set }) => set.size > RARE),
      near,
      inOrder.length + FEW_OTHERS,
      tally,
      accepts,
      budget,
    );
    if (tally.isFull) budget.bounds.add('documents');
    const asked = Buffer.concat(inOrder.flatMap(({ bytes }, at) => (at === 0 ? [bytes] : [SPACE, bytes])));
    const [from, to] = findNamed(asked, false, MAX_NAMED);
    for (let doc = from; doc < to; doc++) if (accepts(doc)) tally.add(doc, 0, (terms[0] as Term).weight);
    return describeBest(terms, wanted, tally.takeBest(MAX_RANKED, MAX_TIES));
  }

  /** Counts all documents of rare words, the rarest first. */
  function* countRare(words: readonly Counted[], tally: Tally, accepts: Test, budget: Budget): Steps<void> {
    for (const { term, weight, set } of words) {
      addAll(readDocs(set, 1, budget), accepts, term, weight, tally);
      yield;
    }
  }

  /**
   * Counts frequent words in the documents that have a rare one. Then the documents that have several frequent words, if the rare ones may
   * be misspelt or there are none. Without any, those that have one. Names with many other words count less.
   */
  function* countFrequent(
    words: readonly Counted[],
    near: boolean,
    maxWords: number,
    tally: Tally,
    accepts: Test,
    budget: Budget,
  ): Steps<void> {
    const known = tally.docs().sort();
    // Few documents are all compared word by word later.
    for (const { term, weight, set } of known.length <= MAX_RANKED ? [] : words) {
      addAll(readDocs({ size: known.length, list: known }, 1, budget), followSet(set), term, weight, tally);
      yield;
    }
    if (known.length > 0 && !near) return;
    const best: Together = { maxWords, hasKnown: known.length > 0, highest: 0 };
    for (const [at, first] of words.entries()) {
      const others = words
        .slice(at + 1)
        .filter(({ term }) => term !== first.term)
        .sort((a, b) => b.weight - a.weight)
        .map((other) => ({ ...other, isIn: followSet(other.set) }));
      if (others.length === 0 && (known.length > 0 || best.highest > first.weight)) continue;
      const docs = readDocs(first.set, 1 + others.length, budget);
      const step = Math.ceil(STEP / (1 + others.length));
      for (let from = 0; from < docs.length; from += step) {
        countTogether(docs.subarray(from, from + step), first, others, best, tally, accepts);
        yield;
      }
    }
  }

  /** Counts the documents of a frequent word that have others too. */
  function countTogether(
    docs: Uint32Array,
    first: Counted,
    others: readonly (Counted & { readonly isIn: Test })[],
    best: Together,
    tally: Tally,
    accepts: Test,
  ): void {
    const matched: Wanted[] = [first];
    for (let at = 0; at < docs.length; at++) {
      const doc = docs[at] as number;
      let terms = 1 << first.term;
      let sum = first.weight;
      let count = 1;
      for (const other of others) {
        if (((terms >>> other.term) & 1) === 1 || !other.isIn(doc)) continue;
        terms |= 1 << other.term;
        matched[count++] = other;
        sum += other.weight;
      }
      if (count === 1 && best.hasKnown) continue;
      const share = countWords(doc) > best.maxWords ? LONG_SHARE : 1;
      if (sum * share < best.highest * GOOD_SHARE || !accepts(doc)) continue;
      best.highest = Math.max(best.highest, sum * share);
      for (let item = 0; item < count; item++) {
        const { term, weight } = matched[item] as Wanted;
        tally.add(doc, term, weight * share);
      }
    }
  }

  /** The documents of the set, or as many as the query may still read. Reading one costs `cost`. */
  function readDocs(set: DocSet, cost: number, budget: Budget): Uint32Array {
    const count = Math.min(set.size, Math.floor(budget.postings / cost));
    if (count < set.size) budget.bounds.add('postings');
    budget.postings -= count * cost;
    return set.list?.subarray(0, count) ?? takeDocs(set, 0, count);
  }

  const countWords = (doc: number) => (wordsStarts[doc + 1] as number) - (wordsStarts[doc] as number);

  /** Compares the words of each document with all that are wanted, because frequent words were not counted. */
  function describeBest(
    terms: readonly Term[],
    wanted: ReadonlyMap<number, Wanted>,
    docs: readonly number[],
  ): Ranked[] {
    const weights = new Float64Array(terms.length);
    return docs
      .map((doc) => {
        weights.fill(0);
        const [from, to] = [wordsStarts[doc] as number, wordsStarts[doc + 1] as number];
        let others = 0;
        for (let at = from; at < to; at++) {
          const found = wanted.get(words[at] as number);
          if (found === undefined) others++;
          else weights[found.term] = Math.max(weights[found.term] as number, found.weight);
        }
        const sum = weights.reduce((total, weight) => total + weight, 0);
        return {
          doc,
          score: sum - Math.min(others, MAX_OTHERS) * OTHER_COST,
          fit: sum * (1 - others / (to - from)) ** 2,
          isComplete: terms.every(({ weight, isOptional }, term) => isOptional || weights[term] === weight),
        };
      })
      .sort((a, b) => b.score - a.score || a.doc - b.doc);
  }

  function findNamed(folded: Uint8Array, whole: boolean, max: number): readonly [number, number] {
    const from = firstNotBelow(entities, (doc) => compareFolded(arrays, doc, folded) < 0);
    let to = from;
    while (to < Math.min(entities, from + max) && startsLike(arrays, to, folded, whole)) to++;
    return [from, to];
  }

  /** Documents are sorted by name. */
  function findSameNamed(doc: number, max: number): readonly [number, number] {
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
    words: finder,
    listOf,
    textOf,
    findWords,
    rank,
    findNamed,
    findSameNamed,
    findNumber(number, accepts) {
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

/** What a word of the vocabulary counts for. */
interface Wanted {
  readonly term: number;
  readonly weight: number;
}

/** The documents with several frequent words, while they are counted. */
interface Together {
  /** Names with more words count less. */
  readonly maxWords: number;
  /** Whether there are documents with a rare word. */
  readonly hasKnown: boolean;
  highest: number;
}

interface Counted extends Wanted {
  /** The documents that have it. */
  readonly set: DocSet;
}

/** A function of its own, because V8 compiles long loops in generators badly. */
function addAll(docs: Uint32Array, test: Test, term: number, weight: number, tally: Tally): void {
  for (let at = 0; at < docs.length; at++) {
    const doc = docs[at] as number;
    if (test(doc)) tally.add(doc, term, weight);
  }
}

/** Whether documents are in the set. They must be asked for in ascending order. */
function followSet({ list, bitmap }: DocSet): Test {
  if (bitmap !== undefined) return (doc) => has(bitmap, doc);
  const docs = list as Uint32Array;
  let at = 0;
  return (doc) => {
    at = firstFrom(docs, doc, at);
    return docs[at] === doc;
  };
}

const SPACE = Buffer.from(' ');
/** Words with more documents are frequent: not all of their documents are counted. */
const RARE = 2_000;
/** Of names with frequent words only: what names with more than a few other words count, and how good others must be to be kept. */
const [FEW_OTHERS, LONG_SHARE, GOOD_SHARE] = [2, 0.65, 0.7];
const MAX_NAMED = 40;
/** How many documents are compared word by word; more if they are equally good. */
const MAX_RANKED = 150;
const MAX_TIES = 2_000;
const MAX_NUMBERED = 20;
/** What words of the name that were not asked for cost. */
const OTHER_COST = 0.3;
const MAX_OTHERS = 8;
