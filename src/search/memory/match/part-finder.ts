import { intersectLists, type Test } from '../answer/lists.ts';
import { matchWholeNumber } from '../answer/match-number.ts';
import type { SetFinder } from '../answer/set-finder.ts';
import { firstNotBelow } from '../answer/words.ts';
import type { SearchIndex } from '../search-index.ts';
import { type Bitmap, commonBits, type DocSet, has } from '../sets.ts';
import { compareFolded, readKey } from '../update/document-order.ts';
import type { Tally } from './tally.ts';
import { createWordFinder, type FoundWord, type WordFinder } from './word-finder.ts';

/** An asked word. */
export interface Term {
  readonly bytes: Uint8Array;
  /** How much it tells: the rarer, the more. */
  readonly weight: number;
  /** Whether it is several words joined. It is looked up as it is, and names need not have it. */
  readonly isJoined: boolean;
}

/** A document and how well it fits. */
export interface Ranked {
  readonly doc: number;
  readonly score: number;
  /** Whether it has every term. */
  readonly isComplete: boolean;
}

/** What a query may still read. */
export interface Budget {
  postings: number;
  bounded: boolean;
}

/** Finds the documents of one index, the base or a segment, whose names are most similar to what is asked for. */
export interface PartFinder {
  readonly words: WordFinder;
  /** The documents of a word that has a list; undefined if it is so frequent that it has none (`build/build.ts`). */
  listOf(word: number): Uint32Array | undefined;
  textOf(word: number): string;
  /** Finds words as they are, longer ones and their parts; with `near`, words with typing errors too. The best first. */
  rank(terms: readonly Term[], tally: Tally, accepts: Test, budget: Budget, near: boolean): Ranked[];
  /** The documents whose folded name is this one or, unless `whole`, starts with it. */
  findNamed(folded: Uint8Array, whole: boolean): readonly [from: number, to: number];
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

  const textOf = (word: number) =>
    Buffer.from(vocabularyText.slice(vocabularyStarts[word], (vocabularyStarts[word + 1] as number) - 1)).toString();

  function findWords({ bytes, isJoined }: Term, near: boolean): FoundWord[] {
    if (near) return finder.findNear(bytes);
    const exact = finder.findExact(bytes);
    return exact.length > 0 || isJoined ? exact : [...finder.findLonger(bytes), ...finder.findParts(bytes)];
  }

  function rank(terms: readonly Term[], tally: Tally, accepts: Test, budget: Budget, near: boolean): Ranked[] {
    const wanted = new Map<number, Wanted>();
    const lists: List[] = [];
    const broad: Broad[] = [];
    for (const [term, asked] of terms.entries()) {
      for (const { word, share } of [...findWords(asked, false), ...(near ? findWords(asked, true) : [])]) {
        if (wanted.has(word)) continue;
        const weight = asked.weight * share;
        wanted.set(word, { term, weight });
        const own = listOf(word);
        // Without a list, the documents that contain the word, also as a part of another word, are a stored set.
        const { list: docs, bitmap } = own === undefined ? (sets.findBroad(textOf(word)) ?? NO_SET) : { list: own };
        if (docs !== undefined) lists.push({ term, weight, docs });
        if (bitmap !== undefined) broad.push({ term, weight, bitmap });
      }
    }
    lists.sort((a, b) => a.docs.length - b.docs.length || b.weight - a.weight);
    tally.clear();
    for (const [at, list] of lists.entries()) {
      const others = lists.slice(0, at).filter(({ term }) => term !== list.term);
      if (isShort(list, tally, budget)) countAll(list, tally, accepts, budget);
      else if (others.length > 0) countCommon(list, others, tally, accepts, budget);
      else countWith(list, broad, tally, accepts, budget);
    }
    if (lists.length === 0) countBroad(broad, tally, accepts, budget);
    else for (const doc of tally.docs()) addBroad(doc, broad, tally);
    const inOrder = terms.filter(({ isJoined }) => !isJoined);
    const asked = Buffer.concat(inOrder.flatMap(({ bytes }, at) => (at === 0 ? [bytes] : [SPACE, bytes])));
    const [from, to] = findNamed(asked, false);
    for (let doc = from; doc < Math.min(to, from + MAX_NAMED); doc++)
      if (accepts(doc)) tally.add(doc, 0, terms[0]?.weight ?? 0);
    return describeBest(terms, wanted, tally.takeBest(MAX_RANKED, MAX_TIES));
  }

  const isShort = ({ docs }: List, tally: Tally, budget: Budget) =>
    docs.length <= SHORT && docs.length <= budget.postings && !tally.isFull;

  function countAll({ term, weight, docs }: List, tally: Tally, accepts: Test, budget: Budget): void {
    budget.postings -= docs.length;
    for (const doc of docs) if (accepts(doc)) tally.add(doc, term, weight);
  }

  /** Counts the documents of a long list that are in a shorter one, too. */
  function countCommon(list: List, shorter: readonly List[], tally: Tally, accepts: Test, budget: Budget): void {
    for (const other of shorter) {
      const cost = LIST_COST + Math.min(other.docs.length * 16, other.docs.length + list.docs.length);
      if (cost > budget.postings) budget.bounded = true;
      else {
        budget.postings -= cost;
        for (const doc of intersectLists(other.docs, list.docs)) {
          if (!accepts(doc)) continue;
          tally.add(doc, other.term, other.weight);
          tally.add(doc, list.term, list.weight);
        }
      }
    }
    budget.bounded ||= tally.isFull;
  }

  /** If there is no shorter list, names with another frequent word come first, or else names with few other words. */
  function countWith(list: List, broad: readonly Broad[], tally: Tally, accepts: Test, budget: Budget): void {
    const { term, weight, docs } = list;
    const read = Math.min(docs.length, budget.postings);
    budget.bounded ||= read < docs.length;
    budget.postings -= read;
    for (let at = 0; at < read; at++) {
      const doc = docs[at] as number;
      const isWanted = broad.length > 0 ? broad.some(({ bitmap }) => has(bitmap, doc)) : isBrief(doc);
      if (isWanted && accepts(doc)) tally.add(doc, term, weight);
    }
    budget.bounded ||= tally.isFull;
  }

  const isBrief = (doc: number) => (wordsStarts[doc + 1] as number) - (wordsStarts[doc] as number) <= FEW_WORDS;

  /** If all words are too frequent to have a list: the documents that have all of them. */
  function countBroad(broad: readonly Broad[], tally: Tally, accepts: Test, budget: Budget): void {
    if (broad.length === 0) return;
    const bitmaps = broad.map(({ bitmap }) => bitmap.bits);
    const size = (bitmaps[0] as Uint32Array).length;
    for (let word = 0; word < size && !tally.isFull; word++) {
      for (let bits = commonBits(bitmaps, word); bits !== 0; bits &= bits - 1) {
        const doc = word * 32 + 31 - Math.clz32(bits & -bits);
        if ((broad.length > 1 || isBrief(doc)) && accepts(doc)) addBroad(doc, broad, tally);
      }
    }
    budget.bounded ||= tally.isFull;
  }

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
        const score = weights.reduce((sum, weight) => sum + weight, 0) - Math.min(others, MAX_OTHERS) * OTHER_COST;
        return {
          doc,
          score,
          isComplete: terms.every(({ weight, isJoined }, term) => isJoined || weights[term] === weight),
        };
      })
      .sort((a, b) => b.score - a.score || a.doc - b.doc);
  }

  function findNamed(folded: Uint8Array, whole: boolean): readonly [number, number] {
    const from = firstNotBelow(entities, (doc) => compareFolded(arrays, doc, folded) < 0);
    const isLike = (doc: number) => {
      const name = readKey(index, doc).folded;
      return (whole ? name.length : Math.min(name.length, folded.length)) === folded.length && startsWith(name, folded);
    };
    return [from, firstNotBelow(entities, isLike, from)];
  }

  return {
    words: finder,
    listOf,
    textOf,
    rank,
    findNamed,
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

interface List extends Wanted {
  readonly docs: Uint32Array;
}

/** A frequent word: the documents that contain it, also as a part of another word. */
interface Broad extends Wanted {
  readonly bitmap: Bitmap;
}

function addBroad(doc: number, broad: readonly Broad[], tally: Tally): void {
  for (const { term, weight, bitmap } of broad) if (has(bitmap, doc)) tally.add(doc, term, weight);
}

const NO_SET: Partial<DocSet> = {};
const SPACE = Buffer.from(' ');
/** Longer lists are only intersected. */
const SHORT = 2_000;
/** Intersecting two lists takes at least as long as reading this many documents. */
const LIST_COST = 16;
const FEW_WORDS = 3;
const MAX_NAMED = 40;
/** How many documents are compared word by word; more if they are equally good. */
const MAX_RANKED = 150;
const MAX_TIES = 2_000;
const MAX_NUMBERED = 20;
/** What words of the name that were not asked for cost. */
const OTHER_COST = 0.3;
const MAX_OTHERS = 8;

function startsWith(text: Uint8Array, start: Uint8Array): boolean {
  for (let at = 0; at < start.length; at++) if (text[at] !== start[at]) return false;
  return true;
}
