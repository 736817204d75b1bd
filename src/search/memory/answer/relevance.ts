import type { IndexState } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import type { DocSet } from '../sets.ts';
import { type AnyOf, hasAll, keepAny, leaveOut } from './combined-sets.ts';
import type { SortedHits } from './dates.ts';
import { type Hits, hitsOf, type LiveSets } from './hits.ts';
import type { createIndexReader } from './index-reader.ts';
import { createPageMerger, type Page } from './merge-page.ts';
import type { SetFinder } from './set-finder.ts';
import type { Steps } from './steps.ts';
import type { TermSets } from './term-sets.ts';
import type { Terms } from './terms.ts';

/**
 * The hits of words, the most relevant first. Nothing is sorted and no score is computed. A criterion says of each hit yes or no, and
 * those with yes come first; within both, the next criterion decides, and at last the order of names. So the hits before a page are
 * counted, and only the classes that the page is in are divided further.
 */

/** The base or a segment. */
interface RankedPart {
  readonly index: Pick<SearchIndex, 'entities'>;
  readonly reader: ReturnType<typeof createIndexReader>;
  readonly sets: SetFinder;
  readonly liveSets: LiveSets;
}

/** A document fulfils it if it is in one of the sets of every entry. */
type Criterion = readonly AnyOf[];

/** `hits` must be kept ones of these terms, which other queries do not overwrite. */
export function rankHits(
  state: IndexState,
  parts: readonly RankedPart[],
  hits: readonly Hits[],
  terms: Terms,
): SortedHits {
  const takePage = createPageMerger(state);
  const criteria = listCriteria(parts, terms);
  const known: (readonly Criterion[])[] = [];
  const all = hits.map(({ set }) => set as DocSet);
  const fulfil = (sets: readonly DocSet[], level: number) => {
    known[level] ??= parts.map((part) => (criteria[level] as (part: RankedPart) => Criterion)(part));
    const ofParts = known[level];
    return sets.map((set, part) =>
      (ofParts[part] as Criterion).reduce((left, any) => keepAny(left, any, entitiesOf(parts, part)), set),
    );
  };

  function* collect(sets: readonly DocSet[], from: number, count: number, level: number): Steps<readonly Page[]> {
    const total = countAll(sets);
    if (from >= total || count <= 0) return [];
    if (level === criteria.length || total === 1) return [copyPage(takePage(sets.map(hitsOf), from, count))];
    const first = fulfil(sets, level);
    const size = countAll(first);
    if (size === total) return yield* collect(sets, from, count, level + 1);
    const pages = [...(yield* collect(first, from, count, level + 1))];
    yield;
    const end = Math.min(from + count, total);
    if (end <= size) return pages;
    const others = sets.map((set, part) => leaveOut(set, first[part] as DocSet, entitiesOf(parts, part)));
    const start = Math.max(from, size);
    return [...pages, ...(yield* collect(others, start - size, end - start, level + 1))];
  }

  return {
    size: countAll(all),
    bytes: hits.reduce((sum, { bytes }) => sum + bytes, 0),
    *take(from, count) {
      return joinPages(yield* collect(all, from, count, 0));
    },
  };
}

/** What decides the order, the most important first. */
function listCriteria(parts: readonly RankedPart[], terms: Terms): ((part: RankedPart) => Criterion)[] {
  let rarest: readonly number[] | undefined;
  /** What all hits fulfil is left out: most words are in no former name. */
  const select = (
    { reader }: RankedPart,
    place: 'whole' | 'start' | 'current',
    words: readonly number[],
  ): Criterion => {
    const ofWords = reader.findWords(terms);
    return words.flatMap((word) => {
      const { found, [place]: find } = ofWords[word] as TermSets;
      return hasAll(find(), found()) ? [] : [find()];
    });
  };
  const all = [...terms.words.keys()];
  const wholeOfRarest = (count: number) => (part: RankedPart) => {
    rarest ??= sortByRarity(parts, terms);
    return select(part, 'whole', rarest.slice(0, count));
  };
  return [
    ({ reader }) => [[reader.findNamed(terms.asked)]],
    (part) => select(part, 'whole', all),
    (part) => select(part, 'start', all),
    (part) => select(part, 'current', all),
    ...terms.words
      .keys()
      .drop(1)
      .map((rank) => wholeOfRarest(terms.words.length - rank)),
    ({ sets }) => {
      const active = sets.findStatus('active');
      return [active === undefined ? [] : [active]];
    },
  ];
}

/** The positions of the words, that of the word that the fewest companies have first. */
function sortByRarity(parts: readonly RankedPart[], terms: Terms): number[] {
  const counts = terms.words.map((_, word) =>
    parts.reduce((sum, { reader, liveSets }) => sum + reader.countWord(terms, word, liveSets), 0),
  );
  return [...terms.words.keys()].sort((a, b) => (counts[a] as number) - (counts[b] as number) || a - b);
}

function entitiesOf(parts: readonly RankedPart[], part: number): number {
  return (parts[part] as RankedPart).index.entities;
}

function countAll(sets: readonly DocSet[]): number {
  return sets.reduce((sum, { size }) => sum + size, 0);
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
