import type { SearchIndex } from '../search-index.ts';
import type { Match, Test } from '../sets.ts';
import { type Bitmap, type DocSet, has, Marks } from '../sets.ts';
import { BitmapHits, countCommon, type Hits, ListHits, type LiveSets, NO_HITS } from './hits.ts';
import { both, intersectLists, ListUnion } from './lists.ts';
import { createMatcher } from './matcher.ts';
import type { SetFinder } from './set-finder.ts';
import type { Terms } from './terms.ts';

/**
 * Finds the documents of one index. It holds what depends only on the index, so it is created once and used for every
 * version of the data that the index is a part of. Which documents are hidden is given with each query.
 */
export function createIndexReader(index: SearchIndex, sets: SetFinder) {
  const { arrays, texts, entities } = index;
  const matcher = createMatcher(arrays, texts);
  // Scratch memory, reused by every query. Queries are synchronous, so only one uses it at a time.
  const marks = new Marks(entities);
  const filterMarks = new Marks(entities);
  const counts = new Uint32Array(marks.counts.length);
  const lists = new ListUnion(entities);

  /** Null if a filter or the fragment occurs nowhere. */
  function plan(terms: Terms): Plan | null {
    const required = sets.findFilters(terms);
    if (required === undefined) return null;
    if (terms.folded === '') return { required };
    const { stored, matches } = matchFragment(terms);
    if (matches.some(({ cost }) => cost > 0)) return { required, fragment: { stored, matches } };
    return stored === undefined ? null : { required: [...required, stored] };
  }

  function matchFragment(terms: Terms): Fragment {
    const byVat = matchVat(terms);
    const stored = sets.findBroad(terms.folded);
    if (stored !== undefined) return { stored, matches: byVat };
    const byNumber = sets.findBroadNumber(terms.number.text);
    const matches =
      byNumber === undefined ? matcher.match(terms.folded, terms.number) : matcher.matchName(terms.folded);
    return { stored: byNumber, matches: [...matches, ...byVat] };
  }

  /** Finds the companies of a country by a VAT number that contains their national number. */
  function matchVat({ vat }: Terms): Match[] {
    const country = vat === undefined ? -1 : texts.columns.countryCode.indexOf(vat.country);
    return vat === undefined || country === -1 ? [] : [matcher.matchWholeNumber(vat.number, country)];
  }

  /** Intersects the lists first: their result is short, and testing it against the bitmaps is cheap. */
  function intersect({ list, bitmaps }: Required): Hits {
    if (list !== undefined) return asHits(lists.keep(list, bitmaps));
    const size = countCommon(bitmaps, counts);
    const bits = bitmaps.map((bitmap) => bitmap.bits);
    return new BitmapHits(size, bits, counts, { isScratch: true });
  }

  function unite({ matches, stored }: Fragment, required: Required): Hits {
    const filter = filterOf(required);
    const list = stored === undefined ? lists.unite(matches, filter) : undefined;
    if (list === undefined) {
      // Marking all documents and then applying the filters is faster than testing each. Matches with a check come
      // last: the check is expensive, so documents that the filters exclude are not checked.
      marks.clear();
      if (stored !== undefined) marks.addSet(stored);
      for (const match of matches) if (match.check === undefined) marks.addMatch(match);
      if (filter.length > 0) marks.retain(filter);
      const passes = filter.length > 0 ? testOf(filter) : undefined;
      for (const match of matches)
        if (match.check !== undefined) marks.addMatch({ ...match, check: both(passes, match.check) });
    }
    filterMarks.clear();
    return list === undefined ? new MarkedHits(marks) : asHits(list);
  }

  function filterOf({ list, bitmaps }: Required): readonly Bitmap[] {
    if (list === undefined) return bitmaps;
    // Marking the whole list once is faster than a binary search in it for every document.
    filterMarks.addRange(list, 0, list.length);
    return [filterMarks, ...bitmaps];
  }

  return {
    /** The result is valid until the next query. */
    find(terms: Terms, liveSets: LiveSets): Hits {
      const planned = plan(terms);
      if (planned === null) return NO_HITS;
      const { required, fragment } = planned;
      const [first] = required;
      if (fragment === undefined) {
        if (first === undefined) return liveSets.all;
        if (required.length === 1) return liveSets.of(first);
      }
      const combined = combine(required, liveSets.live);
      return fragment === undefined ? intersect(combined) : unite(fragment, combined);
    },
  };
}

/** What a document must satisfy: it is in all required sets, and matches the fragment if that is not one of them. */
interface Plan {
  readonly required: readonly DocSet[];
  readonly fragment?: Fragment;
}

/** A document matches the fragment if it is in any of these. */
interface Fragment {
  readonly matches: readonly Match[];
  readonly stored: DocSet | undefined;
}

/** A document must be in the list, if there is one, and in all bitmaps. */
interface Required {
  readonly list: Uint32Array | undefined;
  readonly bitmaps: readonly Bitmap[];
}

/** Hits in marks, which the next query overwrites. */
export class MarkedHits extends BitmapHits {
  readonly #marks: Marks;

  constructor(marks: Marks) {
    super(marks.size, [marks.bits], marks.counts);
    this.#marks = marks;
  }

  override keep(): Hits {
    const { size, list, bitmap } = this.#marks.toSet();
    if (list !== undefined) return new ListHits(list, { bytes: list.byteLength });
    const { bits, counts } = bitmap as Bitmap;
    return new BitmapHits(size, [bits], counts, { bytes: bits.byteLength + counts.byteLength });
  }
}

/** The list may be in scratch memory. */
function asHits(list: Uint32Array): Hits {
  return new ListHits(list, { isScratch: true });
}

function combine(required: readonly DocSet[], live: Bitmap | undefined): Required {
  const lists = required.flatMap(({ list }) => list ?? []).sort((a, b) => a.length - b.length);
  const [shortest, ...others] = lists;
  const bitmaps = required.flatMap(({ bitmap }) => bitmap ?? []);
  if (live !== undefined) bitmaps.push(live);
  return { list: shortest && others.reduce(intersectLists, shortest), bitmaps };
}

function testOf(bitmaps: readonly Bitmap[]): Test {
  const [first, second, third, ...others] = bitmaps as [Bitmap, ...Bitmap[]];
  if (second === undefined) return (doc) => has(first, doc);
  if (third === undefined) return (doc) => has(first, doc) && has(second, doc);
  if (others.length === 0) return (doc) => has(first, doc) && has(second, doc) && has(third, doc);
  return (doc) => bitmaps.every((bitmap) => has(bitmap, doc));
}
