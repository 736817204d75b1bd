import { firstFrom } from '../answer/lists.ts';
import { STEP, type Steps } from '../answer/steps.ts';
import { type DocSet, has, type Test, takeDocs } from '../sets.ts';

/**
 * A table of the weight of each asked term for each document: a few hundred kilobytes, so that the table stays in the processor's cache.
 * A table is reused by later queries.
 */
export class Tally {
  /** The row of a document plus one; 0 if the slot is empty. */
  readonly #rows = new Uint32Array(SLOTS);
  /** The document of each row. */
  readonly docs = new Uint32Array(MAX_DOCS);
  readonly #weights = new Float32Array(MAX_DOCS * MAX_TERMS);
  #terms = 0;
  size = 0;

  clear(terms: number): void {
    this.#rows.fill(0);
    this.#terms = terms;
    this.size = 0;
  }

  /** Adds the weight of a term. If several words stand for a term, the highest weight counts. Without room, a new document is left out. */
  add(doc: number, term: number, weight: number): void {
    let slot = (Math.imul(doc, 0x9e3779b1) >>> SHIFT) & (SLOTS - 1);
    for (; this.#rows[slot] !== 0; slot = (slot + 1) & (SLOTS - 1))
      if (this.docs[(this.#rows[slot] as number) - 1] === doc) break;
    if (this.#rows[slot] === 0) {
      if (this.size === MAX_DOCS) return;
      this.docs[this.size] = doc;
      this.#weights.fill(0, this.size * this.#terms, (this.size + 1) * this.#terms);
      this.#rows[slot] = ++this.size;
    }
    const at = ((this.#rows[slot] as number) - 1) * this.#terms + term;
    if (weight > (this.#weights[at] as number)) this.#weights[at] = weight;
  }

  /** The weight of each term for the document of a row. Valid until the next change. */
  weightsAt(row: number): Float32Array {
    return this.#weights.subarray(row * this.#terms, (row + 1) * this.#terms);
  }

  /** The score of each row: see `scoreOf`. */
  scoreAll(lengthOf: (doc: number) => number): Float64Array {
    const scores = new Float64Array(this.size);
    for (let row = 0; row < scores.length; row++) {
      let [sum, matched] = [0, 0];
      for (let at = row * this.#terms; at < (row + 1) * this.#terms; at++) {
        const weight = this.#weights[at] as number;
        sum += weight;
        if (weight !== 0) matched++;
      }
      scores[row] = scoreOf(sum, matched, lengthOf(this.docs[row] as number));
    }
    return scores;
  }
}

const SLOT_BITS = 14;
const SLOTS = 1 << SLOT_BITS;
const SHIFT = 32 - SLOT_BITS;
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
export interface Counting {
  readonly tally: Tally;
  readonly budget: Budget;
  /** Whether a document may be a candidate: it is in the country and not hidden. */
  readonly accepts: Test;
  /** The number of words of a document. */
  readonly lengthOf: (doc: number) => number;
}

/**
 * Counts the documents of one index that have the words, the rarest word first. Frequent words count in documents with a rare word. Several
 * frequent words also count together if the rare words may be misspelt (`near`) or if there are no rare words.
 */
export function* countDocs(words: readonly Counted[], near: boolean, counting: Counting): Steps<void> {
  const { tally, budget, accepts } = counting;
  const sorted = words.toSorted((a, b) => a.set.size - b.set.size || b.weight - a.weight);
  const rare = sorted.filter(({ set }) => set.size <= RARE);
  const frequent = sorted.slice(rare.length);
  let read = 0;
  for (const word of rare) {
    addAll(readDocs(word.set, 1, budget), accepts, word, tally);
    read += word.set.size;
    if (read < STEP) continue;
    read = 0;
    yield;
  }
  const known = tally.docs.slice(0, tally.size).sort();
  for (const word of known.length === 0 ? [] : frequent) {
    addAll(readDocs({ size: known.length, list: known }, 1, budget), followSet(word.set), word, tally);
    yield;
  }
  // A term for which a frequent word also stands does not count as rare: its rare words may be from names of another kind.
  const hasRare = known.length > 0 && rare.some(({ term }) => frequent.every((word) => word.term !== term));
  if (!hasRare || near) yield* countTogether(frequent, hasRare, counting);
  if (tally.size === MAX_DOCS) budget.isBounded = true;
}

/** For frequent words, only documents count that are nearly as good as the best: with several of the words or, if necessary, with one. */
function* countTogether(words: readonly Counted[], hasRare: boolean, counting: Counting): Steps<void> {
  let highest = 0;
  for (const [at, first] of words.entries()) {
    const others = words
      .slice(at + 1)
      .filter(({ term }) => term !== first.term)
      .map((other): Other => ({ ...other, isIn: followSet(other.set) }));
    const most = first.weight + sumHighest(others);
    // The remaining words cannot reach the highest score.
    if (most < highest * GOOD_SHARE) break;
    if (others.length === 0 && (hasRare || highest > first.weight)) continue;
    const docs = readDocs(first.set, 1 + others.length, counting.budget);
    const step = Math.ceil(STEP / (1 + others.length));
    for (let from = 0; from < docs.length; from += step) {
      highest = addTogether(docs.subarray(from, from + step), first, others, hasRare, highest, counting);
      yield;
    }
  }
}

/** Returns the highest score so far. This is a separate function, because V8 compiles long loops in generators badly. */
function addTogether(
  docs: Uint32Array,
  first: Counted,
  others: readonly Other[],
  hasRare: boolean,
  highestBefore: number,
  { tally, accepts, lengthOf }: Counting,
): number {
  let highest = highestBefore;
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
    if ((count === 1 && hasRare) || sum < highest * GOOD_SHARE) continue;
    const score = scoreOf(sum, count, lengthOf(doc));
    if (score < highest * GOOD_SHARE || !accepts(doc)) continue;
    highest = Math.max(highest, score);
    for (let item = 0; item < count; item++)
      tally.add(doc, (matched[item] as Counted).term, (matched[item] as Counted).weight);
  }
  return highest;
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

function addAll(docs: Uint32Array, test: Test, { term, weight }: Counted, tally: Tally): void {
  for (let at = 0; at < docs.length; at++) {
    const doc = docs[at] as number;
    if (test(doc)) tally.add(doc, term, weight);
  }
}

/** Creates a test whether a document is in the set. Documents must be tested in ascending order. */
function followSet({ list, bitmap }: DocSet): Test {
  if (bitmap !== undefined) return (doc) => has(bitmap, doc);
  const docs = list as Uint32Array;
  let at = 0;
  return (doc) => {
    at = firstFrom(docs, doc, at);
    return docs[at] === doc;
  };
}

/** Words with more documents than this are frequent: not all of their documents are counted. */
export const RARE = 2_000;
/** The minimum score of documents with only frequent words, as a share of the best score. */
const GOOD_SHARE = 0.7;
