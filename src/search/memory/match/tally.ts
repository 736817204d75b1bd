import { firstFrom } from '../answer/lists.ts';
import { STEP, type Steps } from '../answer/steps.ts';
import type { MatchArrays } from '../search-index.ts';
import type { Test } from '../sets.ts';
import { type DocSet, has, takeDocs } from '../sets.ts';

/**
 * Adds up weights per document: a hash table in a few hundred kilobytes, so that it stays in the processor's cache. It is allocated once
 * and reused for every query.
 */
export class Tally {
  /** The document plus one; 0 if the slot is empty. */
  readonly #docs = new Uint32Array(SLOTS);
  readonly #scores = new Float32Array(SLOTS);
  /** One bit per term that was counted for the document. */
  readonly #terms = new Uint32Array(SLOTS);
  readonly #used = new Uint32Array(MAX_DOCS);
  size = 0;

  clear(): void {
    for (let at = 0; at < this.size; at++) this.#docs[this.#used[at] as number] = 0;
    this.size = 0;
  }

  get isFull(): boolean {
    return this.size === MAX_DOCS;
  }

  /** Counts a term for the document once. A document that does not fit is left out. */
  add(doc: number, term: number, weight: number): void {
    let slot = (Math.imul(doc, 0x9e3779b1) >>> SHIFT) & (SLOTS - 1);
    while (this.#docs[slot] !== 0 && this.#docs[slot] !== doc + 1) slot = (slot + 1) & (SLOTS - 1);
    if (this.#docs[slot] === 0) {
      if (this.isFull) return;
      this.#docs[slot] = doc + 1;
      this.#scores[slot] = 0;
      this.#terms[slot] = 0;
      this.#used[this.size++] = slot;
    }
    const counted = this.#terms[slot] as number;
    if (((counted >>> term) & 1) === 1) return;
    this.#terms[slot] = counted | (1 << term);
    this.#scores[slot] = (this.#scores[slot] as number) + weight;
  }

  docs(): Uint32Array {
    const docs = new Uint32Array(this.size);
    for (let at = 0; at < docs.length; at++) docs[at] = (this.#docs[this.#used[at] as number] as number) - 1;
    return docs;
  }

  /** The `count` documents with the highest scores, or `maxTies` if so many score like the best one. */
  takeBest(count: number, maxTies: number): number[] {
    let highest = 0;
    for (let at = 0; at < this.size; at++) highest = Math.max(highest, this.#scoreAt(at));
    const counts = new Uint32Array(STEPS + 1);
    const stepOf = (at: number) => Math.round((this.#scoreAt(at) / highest) * STEPS);
    for (let at = 0; at < this.size; at++) {
      const step = stepOf(at);
      counts[step] = (counts[step] as number) + 1;
    }
    // All documents above the lowest step are taken, and as many of that step as there is room for.
    let lowest = STEPS;
    let above = 0;
    while (above + (counts[lowest] as number) < count && lowest > 0) above += counts[lowest--] as number;
    let room = above === 0 ? maxTies : count - above;
    const best: number[] = [];
    for (let at = 0; at < this.size; at++) {
      const step = stepOf(at);
      if (step > lowest || (step === lowest && room-- > 0))
        best.push((this.#docs[this.#used[at] as number] as number) - 1);
    }
    return best;
  }

  #scoreAt(at: number): number {
    return this.#scores[this.#used[at] as number] as number;
  }
}

const SLOT_BITS = 14;
const SLOTS = 1 << SLOT_BITS;
const SHIFT = 32 - SLOT_BITS;
const MAX_DOCS = 8_192;
const STEPS = 64;
/** Terms are numbered from 0. */
export const MAX_TERMS = 32;

/** What a query may still read: documents in lists, and words of the vocabulary that may be similar. */
export interface Budget {
  postings: number;
  words: number;
  /** Whether any of it was not enough. */
  isBounded: boolean;
}

export type BudgetLimits = Readonly<Pick<Budget, 'postings' | 'words'>>;

export const LIMITS: BudgetLimits = { postings: 200_000, words: 2_000_000 };

/** What a word of the vocabulary counts for. */
export interface Wanted {
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

export interface Counted extends Wanted {
  /** The documents that have it. */
  readonly set: DocSet;
}

interface Other extends Counted {
  readonly isIn: Test;
  /** What this word and the following ones can add to a document. */
  readonly most: number;
}

/** Adds up, per document of one index, the weights of the words that it has. */
export function createDocCounter({ wordsStarts }: Pick<MatchArrays, 'wordsStarts'>) {
  /** Counts all documents of rare words, the rarest first. */
  function* countRare(words: readonly Counted[], tally: Tally, accepts: Test, budget: Budget): Steps<void> {
    let read = 0;
    for (const { term, weight, set } of words) {
      addAll(readDocs(set, 1, budget), accepts, term, weight, tally);
      read += set.size;
      if (read < STEP) continue;
      read = 0;
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
    const most = sumHighest(words);
    for (const [at, first] of words.entries()) {
      // The words that are left do not suffice.
      if ((most[at] as number) < best.highest * GOOD_SHARE) break;
      const others = listOthers(first, words.slice(at + 1));
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
    others: readonly Other[],
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
      const enough = best.highest * GOOD_SHARE;
      for (let item = 0; item < others.length && sum + (others[item] as Other).most >= enough; item++) {
        const other = others[item] as Other;
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
    if (count < set.size) budget.isBounded = true;
    budget.postings -= count * cost;
    return takeDocs(set, count);
  }

  const countWords = (doc: number) => (wordsStarts[doc + 1] as number) - (wordsStarts[doc] as number);

  /** `words` are sorted, the rarest first. Names with a few words more than `askedWords` count less if all their words are frequent. */
  return function* countDocs(
    words: readonly Counted[],
    near: boolean,
    askedWords: number,
    tally: Tally,
    accepts: Test,
    budget: Budget,
  ): Steps<void> {
    const rare = words.filter(({ set }) => set.size <= RARE);
    const frequent = words.filter(({ set }) => set.size > RARE);
    yield* countRare(rare, tally, accepts, budget);
    yield* countFrequent(frequent, near, askedWords + FEW_OTHERS, tally, accepts, budget);
  };
}

/** The words of other terms, those with the highest weight first. */
function listOthers(first: Counted, words: readonly Counted[]): Other[] {
  const others = words.filter(({ term }) => term !== first.term).sort((a, b) => b.weight - a.weight);
  const most = sumHighest(others);
  return others.map((other, at) => ({ ...other, isIn: followSet(other.set), most: most[at] as number }));
}

/** For each word, what it and the following ones can add to a document. Of each term, one word counts. */
function sumHighest(words: readonly Counted[]): Float64Array {
  const highest = new Float64Array(MAX_TERMS);
  const sums = new Float64Array(words.length);
  let sum = 0;
  for (let at = words.length - 1; at >= 0; at--) {
    const { term, weight } = words[at] as Counted;
    sum += Math.max(0, weight - (highest[term] as number));
    highest[term] = Math.max(weight, highest[term] as number);
    sums[at] = sum;
  }
  return sums;
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

/** Words with more documents are frequent: not all of their documents are counted. */
export const RARE = 2_000;
/** How many documents are compared word by word afterwards. */
export const MAX_RANKED = 150;
/** Of names with frequent words only: what names with more than a few other words count, and how good others must be to be kept. */
const [FEW_OTHERS, LONG_SHARE, GOOD_SHARE] = [2, 0.65, 0.7];
