import { followList } from '../answer/lists.ts';
import { STEP, type Steps } from '../answer/steps.ts';
import { followPacked } from '../packed-lists.ts';
import { type DocSet, has, type Test, takeDocs, toListSet } from '../sets.ts';

/** A word to look up: an asked word, or another way to write asked words. */
export interface Term {
  readonly text: string;
  /** How strongly the word counts: rarer words have more weight. */
  readonly weight: number;
  /** Whether the term is another way to write asked words, which a name need not contain. */
  readonly isOptional: boolean;
  /** Whether so many companies have the word that it is hardly a typo. */
  readonly isFrequent: boolean;
}

/** Which documents may be candidates. */
export interface Scope {
  /** Whether a document is not hidden. */
  readonly accepts: Test;
  /** Whether a document is in the country of the query. Undefined if the query has no country. */
  readonly wants: Test | undefined;
}

/** A document and its score. */
export interface Ranked {
  readonly doc: number;
  readonly score: number;
  /** The sum of the weights of its terms. */
  readonly sum: number;
  /** Whether the document has every term that is not optional. */
  readonly isComplete: boolean;
  /** Whether a query without a country also finds the document. */
  readonly isAnywhere: boolean;
}

/**
 * A table of the weight of each asked term for each document: a few hundred kilobytes, so that the table stays in the processor's cache.
 * A table is reused by later queries.
 */
export class Tally {
  /** The row of a document plus one; 0 if the slot is empty. */
  readonly #rows = new Uint32Array(SLOTS);
  /** The document of each row. */
  readonly #docs = new Uint32Array(2 * MAX_DOCS);
  readonly #weights = new Float32Array(2 * MAX_DOCS * MAX_TERMS);
  /** The sum of the weights of each row, and the number of its terms. */
  readonly #sums = new Float64Array(2 * MAX_DOCS);
  readonly #matched = new Uint8Array(2 * MAX_DOCS);
  #terms = 0;
  #scope: Scope = { accepts: () => false, wants: undefined };
  size = 0;

  clear(terms: number, scope: Scope): void {
    this.#rows.fill(0);
    this.#terms = terms;
    this.#scope = scope;
    this.size = 0;
  }

  /** The documents of the table, sorted. */
  listDocs(): Uint32Array {
    return this.#docs.slice(0, this.size).sort();
  }

  /** Adds the weight of a term. If several words stand for a term, the highest weight counts. Without room, a new document is left out. */
  add(doc: number, term: number, weight: number): void {
    let slot = (Math.imul(doc, 0x9e3779b1) >>> SHIFT) & (SLOTS - 1);
    for (; this.#rows[slot] !== 0; slot = (slot + 1) & (SLOTS - 1))
      if (this.#docs[(this.#rows[slot] as number) - 1] === doc) break;
    if (this.#rows[slot] === 0) {
      if (!this.#hasRoom(doc) || !this.#scope.accepts(doc)) return;
      this.#docs[this.size] = doc;
      this.#weights.fill(0, this.size * this.#terms, (this.size + 1) * this.#terms);
      this.#sums[this.size] = this.#matched[this.size] = 0;
      this.#rows[slot] = ++this.size;
    }
    const row = (this.#rows[slot] as number) - 1;
    const at = row * this.#terms + term;
    const known = this.#weights[at] as number;
    if (weight <= known) return;
    this.#weights[at] = weight;
    this.#sums[row] = (this.#sums[row] as number) + weight - known;
    if (known === 0) this.#matched[row] = (this.#matched[row] as number) + 1;
  }

  /** Half of the table has room for documents of all countries, the other half for documents of the country only. */
  #hasRoom(doc: number): boolean {
    const { wants } = this.#scope;
    return this.size < MAX_DOCS || (wants !== undefined && this.size < 2 * MAX_DOCS && wants(doc));
  }

  /** Lists the documents with the highest scores, the best first. Equally good documents are in the order of results. */
  listBest(max: number, terms: readonly Term[], lengthOf: (doc: number) => number, accepts?: Test): Ranked[] {
    const best: Ranked[] = [];
    for (let row = 0; row < this.size; row++) {
      const sum = this.#sums[row] as number;
      // The score is at most the sum, and reading the length of a name takes longer than this comparison.
      const least = best[max - 1];
      if (least !== undefined && sum < least.score) continue;
      const doc = this.#docs[row] as number;
      const score = scoreOf(sum, this.#matched[row] as number, lengthOf(doc));
      const isBetterThan = (other: Ranked) => score > other.score || (score === other.score && doc < other.doc);
      if ((least !== undefined && !isBetterThan(least)) || accepts?.(doc) === false) continue;
      const isComplete = terms.every(
        ({ isOptional }, term) => isOptional || this.#weights[row * this.#terms + term] !== 0,
      );
      const at = best.findLastIndex((other) => !isBetterThan(other)) + 1;
      best.splice(at, 0, { doc, score, sum, isComplete, isAnywhere: false });
      best.length = Math.min(best.length, max);
    }
    return best;
  }
}

const SLOT_BITS = 15;
const SLOTS = 1 << SLOT_BITS;
const SHIFT = 32 - SLOT_BITS;
/** The maximum number of documents of all countries in a table. */
const MAX_DOCS = 8_192;
export const MAX_TERMS = 32;

/** The remaining work of a query: documents to read from lists, and words of dictionaries to compare. */
export interface Budget {
  postings: number;
  words: number;
  /** Whether one of the limits was reached. */
  isBounded: boolean;
}

export type BudgetLimits = Readonly<Pick<Budget, 'postings' | 'words'>>;

export const LIMITS: BudgetLimits = { postings: 200_000, words: 2_000_000 };

/** A word of a dictionary that counts for a term. */
export interface Counted {
  readonly term: number;
  readonly weight: number;
  /** The documents that have the word. */
  readonly set: DocSet;
}

interface Other extends Counted {
  readonly isIn: Test;
}

/** The score of a document: the sum of the weights of its terms, reduced if the document has words that were not asked for. */
function scoreOf(sum: number, matched: number, words: number): number {
  return sum * (1 - OTHER_COST * Math.max(0, 1 - matched / words));
}

const OTHER_COST = 0.5;

/** The state of counting in one index. */
export interface Counting extends Scope {
  readonly tally: Tally;
  readonly budget: Budget;
  /** The number of words of a document. */
  readonly lengthOf: (doc: number) => number;
}

/** The highest scores of documents with only frequent words: of all documents, and of the documents of the country. */
interface Highest {
  all: number;
  wanted: number;
}

/**
 * Counts the documents of one index that have the words, the rarest word first. Frequent words count in documents with a rare word. Several
 * frequent words also count together if the rare words may be misspelt (`near`) or if there are no rare words.
 */
export function* countDocs(words: readonly Counted[], near: boolean, counting: Counting): Steps<void> {
  const { tally, budget } = counting;
  const sorted = words.toSorted((a, b) => a.set.size - b.set.size || b.weight - a.weight);
  const rare = sorted.filter(({ set }) => set.size <= RARE);
  const frequent = sorted.slice(rare.length);
  let read = 0;
  for (const word of rare) {
    addAll(readDocs(word.set, 1, budget), undefined, word, tally);
    read += word.set.size;
    if (read < STEP) continue;
    read = 0;
    yield;
  }
  const known = frequent.length === 0 ? new Uint32Array() : tally.listDocs();
  for (const word of known.length === 0 ? [] : frequent) {
    addAll(readDocs(toListSet(known), 1, budget), followSet(word.set), word, tally);
    yield;
  }
  // A term for which a frequent word also stands does not count as rare: its rare words may be from names of another kind.
  const hasRare = known.length > 0 && rare.some(({ term }) => frequent.every((word) => word.term !== term));
  if (!hasRare || near) yield* countTogether(frequent, hasRare, counting);
  if (tally.size >= MAX_DOCS) budget.isBounded = true;
}

/** For frequent words, only documents count that are nearly as good as the best: with several of the words or, if necessary, with one. */
function* countTogether(words: readonly Counted[], hasRare: boolean, counting: Counting): Steps<void> {
  const highest: Highest = { all: 0, wanted: 0 };
  for (const [at, first] of words.entries()) {
    const others = words
      .slice(at + 1)
      .filter(({ term }) => term !== first.term)
      .map((other): Other => ({ ...other, isIn: followSet(other.set) }));
    const most = first.weight + sumHighest(others);
    // The remaining words cannot reach the highest score.
    if (most < highest.wanted * GOOD_SHARE) break;
    if (others.length === 0 && (hasRare || highest.wanted > first.weight)) continue;
    const docs = readDocs(first.set, 1 + others.length, counting.budget);
    const step = Math.ceil(STEP / (1 + others.length));
    for (let from = 0; from < docs.length; from += step) {
      addTogether(docs.subarray(from, from + step), first, others, hasRare, highest, counting);
      yield;
    }
  }
}

/** Raises the highest scores. This is a separate function, because V8 compiles long loops in generators badly. */
function addTogether(
  docs: Uint32Array,
  first: Counted,
  others: readonly Other[],
  hasRare: boolean,
  highest: Highest,
  { tally, accepts, wants, lengthOf }: Counting,
): void {
  const matched: Counted[] = [first];
  for (let at = 0; at < docs.length; at++) {
    const doc = docs[at] as number;
    let terms = 1 << first.term;
    let sum = first.weight;
    let count = 1;
    for (let item = 0; item < others.length; item++) {
      const other = others[item] as Other;
      if (((terms >>> other.term) & 1) === 1 || !other.isIn(doc)) continue;
      terms |= 1 << other.term;
      matched[count++] = other;
      sum += other.weight;
    }
    if ((count === 1 && hasRare) || sum < highest.wanted * GOOD_SHARE) continue;
    const score = scoreOf(sum, count, lengthOf(doc));
    const isWanted = wants === undefined || wants(doc);
    if (score < (isWanted ? highest.wanted : highest.all) * GOOD_SHARE || !accepts(doc)) continue;
    highest.all = Math.max(highest.all, score);
    if (isWanted) highest.wanted = Math.max(highest.wanted, score);
    for (let item = 0; item < count; item++)
      tally.add(doc, (matched[item] as Counted).term, (matched[item] as Counted).weight);
  }
}

/** The maximum that words can add to a document: one word counts per term. */
function sumHighest(words: readonly Counted[]): number {
  const highest = new Float64Array(MAX_TERMS);
  for (const { term, weight } of words) highest[term] = Math.max(weight, highest[term] as number);
  return highest.reduce((sum, weight) => sum + weight, 0);
}

/** The documents of the set, or as many as the budget of the query allows. Reading a document costs `cost`. */
function readDocs(set: DocSet, cost: number, budget: Budget): Uint32Array {
  const count = Math.min(set.size, Math.floor(budget.postings / cost));
  if (count < set.size) budget.isBounded = true;
  budget.postings -= count * cost;
  return takeDocs(set, count);
}

function addAll(docs: Uint32Array, test: Test | undefined, { term, weight }: Counted, tally: Tally): void {
  for (let at = 0; at < docs.length; at++) {
    const doc = docs[at] as number;
    if (test === undefined || test(doc)) tally.add(doc, term, weight);
  }
}

/** Creates a test whether a document is in the set. Documents must be tested in ascending order. */
function followSet({ list, packed, bitmap }: DocSet): Test {
  if (bitmap !== undefined) return (doc) => has(bitmap, doc);
  if (packed !== undefined) return followPacked(packed);
  return followList(list as Uint32Array);
}

/** Words with more documents than this are frequent: not all of their documents are counted. */
export const RARE = 300;
/** The minimum score of documents with only frequent words, as a share of the best score. */
const GOOD_SHARE = 0.7;
