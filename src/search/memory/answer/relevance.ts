import type { IndexState } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import { blocksFor } from '../sets.ts';
import { type AnyOf, type Condition, listFirst, type Wanted } from './blocks.ts';
import type { SortedHits } from './dates.ts';
import { type Hits, ListHits, type LiveSets } from './hits.ts';
import type { createIndexReader } from './index-reader.ts';
import { createPageMerger, type Page } from './merge-page.ts';
import type { SetFinder } from './set-finder.ts';
import type { Steps } from './steps.ts';
import type { TermSets } from './term-sets.ts';
import type { Terms } from './terms.ts';

/**
 * The hits of words, the most relevant first. Nothing is sorted and no score is computed. A criterion says of each hit yes or no, and
 * those with yes come first; within both, the next criterion decides, and at last the order of names. So hits are divided into classes.
 * Of a class, only so many documents are listed as the page and those before it have, and only the classes up to the page.
 */

/** The base or a segment. */
interface RankedPart {
  readonly index: Pick<SearchIndex, 'entities'>;
  readonly reader: ReturnType<typeof createIndexReader>;
  readonly sets: SetFinder;
  readonly liveSets: LiveSets;
}

/** The documents of a class, by part. */
type Class = readonly Wanted[];

/** `hits` must be kept ones of these terms, which other queries do not overwrite. */
export function rankHits(
  state: IndexState,
  parts: readonly RankedPart[],
  hits: readonly Hits[],
  terms: Terms,
): SortedHits {
  const takePage = createPageMerger(state);
  const criteria = listCriteria(parts, terms);
  const list = (wanted: Class, count: number) =>
    wanted.map((of, part) => listFirst(of, blocksFor((parts[part] as RankedPart).index.entities), count));

  /** The documents of a class after its first `skip`. */
  function* take(wanted: Class, skip: number, count: number, level: number): Steps<readonly Page[]> {
    const limit = skip + count;
    const criterion = criteria[level];
    if (criterion === undefined) return [copyPage(takePage(list(wanted, limit).map(toHits), skip, count))];
    const conditions = criterion(wanted);
    // Nothing that a document of the class does not fulfil.
    if (conditions.every(({ length }) => length === 0)) return yield* take(wanted, skip, count, level + 1);
    const better = wanted.map(({ all, none }, part) => ({ all: [...all, ...(conditions[part] as Condition)], none }));
    const lists = list(better, limit);
    const size = lists.reduce((sum, { length }) => sum + length, 0);
    // There are enough of them: the others come after the page.
    if (size >= limit) return yield* take(better, skip, count, level + 1);
    yield;
    if (size === 0) return yield* take(wanted, skip, count, level + 1);
    const listed = better.map(({ all, none }, part) => ({ all: [listOf(lists[part] as Uint32Array), ...all], none }));
    const first = size > skip ? yield* take(listed, skip, size - skip, level + 1) : [];
    const others = wanted.map(({ all, none }, part) => ({ all, none: [...none, conditions[part] as Condition] }));
    const rest = yield* take(others, Math.max(0, skip - size), limit - Math.max(skip, size), level + 1);
    return [...first, ...rest];
  }

  const size = hits.reduce((sum, of) => sum + of.size, 0);
  return {
    size,
    bytes: hits.reduce((sum, { bytes }) => sum + bytes, 0),
    *take(from, count) {
      if (from >= size) return joinPages([]);
      const all = hits.map((of) => ({ all: of.all, none: [] }));
      return joinPages(yield* take(all, from, Math.min(count, size - from), 0));
    },
  };
}

const listOf = (docs: Uint32Array): AnyOf => [{ size: docs.length, list: docs }];
const toHits = (docs: Uint32Array): Hits => new ListHits(docs);

/** By part: what the documents of a class must fulfil to be better than the others, without what all of them fulfil. */
type Criterion = (wanted: Class) => readonly Condition[];

/** What decides the order, the most important first. */
function listCriteria(parts: readonly RankedPart[], terms: Terms): readonly Criterion[] {
  const all = [...terms.words.keys()];
  const select =
    (place: 'whole' | 'start' | 'current', words: readonly number[]): Criterion =>
    (wanted) =>
      parts.map(({ reader }, part) => {
        const known = (wanted[part] as Wanted).all;
        return words.flatMap((word) => {
          const { found, whole, [place]: find } = reader.findWords(terms)[word] as TermSets;
          const isKnown = known.includes(find()) || (place === 'start' && known.includes(whole()));
          // Most words are in no former name, so that all hits have them in the current one.
          return isKnown || found().every((set) => find().includes(set)) ? [] : [find()];
        });
      });
  let rarest: readonly number[] | undefined;
  const selectRarest =
    (count: number): Criterion =>
    (wanted) => {
      // If all words are whole, it does not matter which are rare.
      if (select('whole', all)(wanted).every(({ length }) => length === 0)) return parts.map(() => []);
      rarest ??= sortByRarity(parts, terms);
      return select('whole', rarest.slice(0, count))(wanted);
    };
  return [
    () => parts.map(({ reader }) => [[reader.findNamed(terms.asked)]]),
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

/** The positions of the words, that of the word that the fewest companies have first. */
function sortByRarity(parts: readonly RankedPart[], terms: Terms): number[] {
  const counts = terms.words.map((_, word) =>
    parts.reduce((sum, { reader, liveSets }) => sum + reader.countWord(terms, word, liveSets), 0),
  );
  return [...terms.words.keys()].sort((a, b) => (counts[a] as number) - (counts[b] as number) || a - b);
}

/** The page is in scratch memory. */
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
