import type { MatchPart } from '../match/match-part.ts';
import type { IndexState } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import { blocksFor } from '../sets.ts';
import { type Condition, fulfils, listFirst, type Wanted } from './blocks.ts';
import type { SortedHits } from './dates.ts';
import { type Hits, ListHits, type LiveSets } from './hits.ts';
import type { createIndexReader, TermSets } from './index-reader.ts';
import { createPageMerger, type Page } from './merge-page.ts';
import type { SetFinder } from './set-finder.ts';
import type { Steps } from './steps.ts';
import type { Terms } from './terms.ts';

/**
 * The hits of a search by words, the most relevant first. No hit is sorted and no score is computed: the first criterion divides the hits
 * into two classes, and hits that meet the criterion come first. The next criterion divides both classes again, and so on; within a class,
 * hits are in the order of names. Only the classes up to the page are computed, and only as many documents are listed as the page needs.
 */

/** The base or a segment. */
interface RankedPart {
  readonly index: Pick<SearchIndex, 'entities'>;
  readonly reader: ReturnType<typeof createIndexReader>;
  readonly sets: SetFinder;
  readonly liveSets: LiveSets;
  readonly match: Pick<MatchPart, 'findNamed' | 'listOtherNames'>;
}

/** The documents of a class in one part, and conditions that all these documents are known to meet. */
interface ClassPart extends Wanted {
  readonly known: Condition;
}
type Class = readonly ClassPart[];

/** Ranks the hits of these terms. Needs hits from `keep`, which other queries do not overwrite. */
export function rankHits(
  state: IndexState,
  parts: readonly RankedPart[],
  hits: readonly Hits[],
  terms: Terms,
): SortedHits {
  const takePage = createPageMerger(state);
  const criteria = listCriteria(parts, terms);
  const blocks = parts.map(({ index }) => blocksFor(index.entities));

  /** Lists `count` documents of a class after its first `skip` documents. `level` is the next criterion. */
  function* take(whole: Class, skip: number, count: number, level: number): Steps<readonly Page[]> {
    const limit = skip + count;
    const criterion = criteria[level];
    if (criterion === undefined || countListed(whole) < 2) {
      const lists = whole.map((part, at) => listFirst(part, blocks[at] as number, limit));
      return [copyPage(takePage(lists.map(toHits), skip, count))];
    }
    const conditions = criterion(whole);
    // All documents of the class meet this criterion.
    if (conditions.every(({ length }) => length === 0)) return yield* take(whole, skip, count, level + 1);
    const divided = whole.map((part, at) => divide(part, conditions[at] as Condition, blocks[at] as number, limit));
    const size = divided.reduce((sum, { docs }) => sum + docs.length, 0);
    // The better documents fill the page; the other documents come after the page.
    if (size >= limit) {
      const better = divided.map((part) => part.better);
      return yield* take(better, skip, count, level + 1);
    }
    yield;
    const listed = divided.map(({ docs, better }) => ({ ...toList(docs), known: better.known }));
    const first = size > skip ? yield* take(listed, skip, size - skip, level + 1) : [];
    const others = divided.map((part) => part.others);
    const rest = yield* take(others, Math.max(0, skip - size), limit - Math.max(skip, size), level + 1);
    return [...first, ...rest];
  }

  const size = hits.reduce((sum, of) => sum + of.size, 0);
  return {
    size,
    bytes: hits.reduce((sum, { bytes }) => sum + bytes, 0),
    *take(from, count) {
      if (from >= size) return joinPages([]);
      const all = hits.map((of) => ({ all: of.all, none: [], known: of.all }));
      return joinPages(yield* take(all, from, Math.min(count, size - from), 0));
    },
  };
}

/** Divides a class into the documents that meet a condition and the others. Lists at least the first `limit` documents that meet it. */
function divide(part: ClassPart, condition: Condition, blocks: number, limit: number) {
  const { all, none, known } = part;
  const nowKnown = [...known, ...condition];
  const list = listOf(part);
  if (list === undefined || list.length > FEW) {
    const better = { all: [...all, ...condition], none, known: nowKnown };
    const docs = listFirst(better, blocks, limit);
    return { docs, better, others: { all, none: docs.length === 0 ? none : [...none, condition], known } };
  }
  const [docs, others] = [new Uint32Array(list.length), new Uint32Array(list.length)];
  let count = 0;
  for (let at = 0; at < list.length; at++) {
    const doc = list[at] as number;
    if (fulfils(condition, doc)) docs[count++] = doc;
    else others[at - count] = doc;
  }
  const better = toList(docs.subarray(0, count));
  const rest = toList(others.subarray(0, list.length - count));
  return { docs: docs.subarray(0, count), better: { ...better, known: nowKnown }, others: { ...rest, known } };
}

/** A list of at most this many documents is divided as a whole. For a longer list, finding only the first wanted documents is faster. */
const FEW = 256;

function listOf({ all, none }: Wanted): Uint32Array | undefined {
  const [[only, second] = [], ...others] = all;
  return second === undefined && others.length === 0 && none.length === 0 ? only?.list : undefined;
}

function toList(docs: Uint32Array): Wanted {
  return { all: [[{ size: docs.length, list: docs }]], none: [] };
}

/** The number of documents of a class; infinite unless the documents are listed. */
function countListed(whole: Class): number {
  return whole.reduce((sum, part) => sum + (listOf(part)?.length ?? Number.POSITIVE_INFINITY), 0);
}

const toHits = (docs: Uint32Array): Hits => new ListHits(docs);

/** By part: the condition that makes documents of a class better than the others, without entries that all documents of the class meet. */
type Criterion = (whole: Class) => readonly Condition[];

/** The criteria for the order of hits, the most important first. */
function listCriteria(parts: readonly RankedPart[], terms: Terms): readonly Criterion[] {
  const all = [...terms.words.keys()];
  const select =
    (place: 'whole' | 'start' | 'current', words: readonly number[]): Criterion =>
    (whole) =>
      parts.map(({ reader }, part) => {
        const { known } = whole[part] as ClassPart;
        return words.flatMap((word) => {
          const { found, whole: complete, [place]: find } = reader.findWords(terms)[word] as TermSets;
          const isKnown = known.includes(find()) || (place === 'start' && known.includes(complete()));
          // No former name has most words, so all hits of such a word have it in the current name.
          return isKnown || found().every((set) => find().includes(set)) ? [] : [find()];
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
function sortByRarity(parts: readonly RankedPart[], terms: Terms): number[] {
  const counts = terms.words.map((_, word) =>
    parts.reduce((sum, { reader, liveSets }) => sum + reader.countWord(terms, word, liveSets), 0),
  );
  return [...terms.words.keys()].sort((a, b) => (counts[a] as number) - (counts[b] as number) || a - b);
}

/** Copies a page, because it is in scratch memory. */
function copyPage({ docs, parts }: Page): Page {
  return { docs: docs.slice(), parts: parts.slice() };
}

function joinPages(pages: readonly Page[]): Page {
  const length = pages.reduce((sum, { docs }) => sum + docs.length, 0);
  const joined = { docs: new Uint32Array(length), parts: new Uint8Array(length) };
  let at = 0;
  for (const { docs, parts } of pages) {
    joined.docs.set(docs, at);
    joined.parts.set(parts, at);
    at += docs.length;
  }
  return joined;
}
