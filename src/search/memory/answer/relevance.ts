import type { IndexState } from '../overlay.ts';
import { blocksFor, toListSet } from '../sets.ts';
import { type Condition, FEW_PER_BLOCK, listMeeting, onlySetOf, sizeOf } from './blocks.ts';
import type { SortedHits } from './dates.ts';
import { type Hits, ListHits } from './hits.ts';
import type { IndexPart } from './index-part.ts';
import type { TermSets } from './index-reader.ts';
import { uniteSorted } from './lists.ts';
import { createPage, type Page, takePage } from './merge-page.ts';
import type { Steps } from './steps.ts';
import type { Terms } from './terms.ts';

/**
 * The hits of a search by words, the most relevant first. No hit is sorted and no score is computed: the first criterion divides the hits
 * into two classes, and hits that meet the criterion come first. The next criterion divides both classes again, and so on; within a class,
 * hits are in the order of names. Only the classes up to the page are computed, and only as many documents are listed as the page needs.
 */

/** The documents of a class in one part: those that meet a condition, without the documents of better classes. */
interface ClassPart {
  readonly all: Condition;
  readonly without: Uint32Array;
  /** Conditions that all these documents are known to meet. */
  readonly known: Condition;
}
type Class = readonly ClassPart[];

/** Ranks the hits of these terms. Needs hits from `keep`, which other queries do not overwrite. */
export function rankHits(
  state: IndexState,
  parts: readonly IndexPart[],
  hits: readonly Hits[],
  terms: Terms,
): SortedHits {
  const criteria = listCriteria(parts, terms);
  const blocks = parts.map(({ index }) => blocksFor(index.entities));

  /** Lists `count` documents of a class after its first `skip` documents. `level` is the next criterion. */
  function* take(whole: Class, skip: number, count: number, level: number): Steps<readonly Page[]> {
    const limit = skip + count;
    const criterion = criteria[level];
    if (criterion === undefined || countListed(whole) < 2) {
      const lists = whole.map((part, at) => new ListHits(toListSet(listFirst(part, blocks[at] as number, limit))));
      return [takePage(state, lists, skip, count)];
    }
    const conditions = criterion(whole);
    // All documents of the class meet this criterion.
    if (conditions.every(({ length }) => length === 0)) return yield* take(whole, skip, count, level + 1);
    const divided = whole.map((part, at) => divide(part, conditions[at] as Condition, blocks[at] as number, limit));
    const better = divided.map((part) => part.better);
    const size = divided.reduce((sum, part) => sum + part.size, 0);
    // The better documents fill the page; the other documents come after the page.
    if (size >= limit) return yield* take(better, skip, count, level + 1);
    yield;
    const first = size > skip ? yield* take(better, skip, size - skip, level + 1) : [];
    const others = divided.map((part) => part.others);
    const rest = yield* take(others, Math.max(0, skip - size), limit - Math.max(skip, size), level + 1);
    return [...first, ...rest];
  }

  const size = hits.reduce((sum, of) => sum + of.size, 0);
  return {
    size,
    *take(from, count) {
      if (from >= size) return joinPages([]);
      const all = hits.map((of, part) => {
        // The conditions of few hits would be tested for all blocks again and again.
        const isFew = of.size <= FEW_PER_BLOCK * (blocks[part] as number);
        return { all: isFew ? listHits(of) : of.all, without: NONE, known: of.all };
      });
      return joinPages(yield* take(all, from, Math.min(count, size - from), 0));
    },
  };
}

const NONE = new Uint32Array(0);

function listHits(hits: Hits): Condition {
  const list = new Uint32Array(hits.size);
  hits.read(0, list);
  return [[toListSet(list)]];
}

/** Divides a class into the documents that meet a condition and the others. `size` counts at least the first `limit` that meet it. */
function divide(part: ClassPart, condition: Condition, blocks: number, limit: number) {
  const known = [...part.known, ...condition];
  const most = countListed([part]) <= FEW ? FEW + 1 : limit;
  const met = { ...part, all: [...part.all, ...condition], known };
  const docs = listFirst(met, blocks, most);
  // A list of few documents is divided as a whole. In other classes, finding only the first wanted documents is faster.
  const better = docs.length < most ? { all: [[toListSet(docs)]], without: NONE, known } : met;
  return { size: docs.length, better, others: { ...part, without: uniteSorted([part.without, docs]) } };
}

const FEW = 256;

/** The number of documents of a class; infinite unless the documents are listed. */
function countListed(whole: Class): number {
  return whole.reduce((sum, { all, without }) => {
    const only = onlySetOf(all);
    const isListed = only !== undefined && only.bitmap === undefined;
    return sum + (isListed ? only.size : Number.POSITIVE_INFINITY) - without.length;
  }, 0);
}

/** The first `count` documents of a class of all `blocks`. */
function listFirst({ all, without }: ClassPart, blocks: number, count: number): Uint32Array {
  const docs = listMeeting(all, blocks, count + without.length);
  let [end, next] = [0, 0];
  for (let at = 0; at < docs.length && end < count; at++) {
    const doc = docs[at] as number;
    while ((without[next] as number) < doc) next++;
    if (without[next] !== doc) docs[end++] = doc;
  }
  return docs.subarray(0, end);
}

/** By part: the condition that makes documents of a class better than the others, without entries that all documents of the class meet. */
type Criterion = (whole: Class) => readonly Condition[];

/** The criteria for the order of hits, the most important first. */
function listCriteria(parts: readonly IndexPart[], terms: Terms): readonly Criterion[] {
  const all = [...terms.words.keys()];
  const select =
    (place: 'whole' | 'start' | 'current', words: readonly number[]): Criterion =>
    (whole) =>
      parts.map(({ reader }, part) => {
        const { known } = whole[part] as ClassPart;
        return words.flatMap((word) => {
          const { found, whole: complete, [place]: find } = reader.findWords(terms)[word] as TermSets;
          if (place === 'start' && known.includes(complete())) return [];
          // No former name has most words, so all hits of such a word have it in the current name.
          return known.includes(find()) || sizeOf(find()) === sizeOf(found()) ? [] : [find()];
        });
      });
  let rarest: readonly number[] | undefined;
  const selectRarest =
    (count: number): Criterion =>
    (whole) => {
      // If all hits of the class contain all words as whole words, it does not matter which words are rare.
      if (select('whole', all)(whole).every(({ length }) => length === 0)) return parts.map(() => []);
      rarest ??= sortByRarity(parts, terms);
      return select('whole', rarest.slice(0, count))(whole);
    };
  return [
    () => parts.map(({ reader, match }) => [reader.findNamed(terms.asked, match)]),
    select('whole', all),
    select('start', all),
    select('current', all),
    ...all.slice(1).map((_, rank) => selectRarest(all.length - 1 - rank)),
    () =>
      parts.map(({ sets }) => {
        const active = sets.findStatus('active');
        return [active === undefined ? [] : [active]];
      }),
  ];
}

/** The positions of the words in `terms`, sorted by the number of companies that have the word: the rarest word first. */
function sortByRarity(parts: readonly IndexPart[], terms: Terms): number[] {
  const counts = terms.words.map((_, word) =>
    parts.reduce((sum, { reader, liveSets }) => sum + reader.countWord(terms, word, liveSets), 0),
  );
  return [...terms.words.keys()].sort((a, b) => (counts[a] as number) - (counts[b] as number) || a - b);
}

function joinPages(pages: readonly Page[]): Page {
  const joined = createPage(pages.reduce((sum, { docs }) => sum + docs.length, 0));
  let at = 0;
  for (const { docs, parts } of pages) {
    joined.docs.set(docs, at);
    joined.parts.set(parts, at);
    at += docs.length;
  }
  return joined;
}
