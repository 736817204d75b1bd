import { keepCompressed } from '../../../core/compression.ts';
import { fold } from '../../../core/fold.ts';
import { type ActivityType, findActivityKeys, readNumberFragment } from '../../../core/search-keys.ts';
import { readVatNumber } from '../../../registers/vat-numbers.ts';
import { renderMeta, type SearchQuery, type SearchReply } from '../../search.ts';
import { Marks } from '../marks.ts';
import type { SearchIndex } from '../search-index.ts';
import { type Bitmap, type DocSet, has, readSets, takeDocs } from '../sets.ts';
import { both, intersectLists, ListUnion, type Match, type Test } from './lists.ts';
import { createMatcher } from './matcher.ts';
import { createPageWriter } from './page-writer.ts';
import { ResultCache } from './result-cache.ts';

/**
 * Answers queries from an index, exactly and on the calling thread. This folder owns the way from a query to the bytes
 * of a reply; it changes nothing in the index. The parts, in the order of a query:
 *
 * 1. `engine.ts` plans: every filter is a stored set, and so is a broad fragment, such as `a` or `ltd`.
 * 2. Any other fragment goes to `matcher.ts`, which returns posting lists: inside a word by `words.ts`, across words by
 *    `match-phrase.ts`, in a registration number by `match-number.ts`.
 * 3. `lists.ts` unites short lists; longer ones are marked in a bitmap (`../marks.ts`), less what the filters exclude.
 * 4. `page-writer.ts` writes the page, and `result-cache.ts` keeps results and replies.
 * `count-choices.ts` counts the values of the filters.
 *
 * The work of a query is bounded: each filter costs at most one pass over a bitmap, and a fragment at most as many
 * documents as the threshold from which fragments are stored (`build/broad.ts`).
 */
export interface Engine {
  find(query: SearchQuery): SearchReply;
  /** How many documents match, and the documents of the page. */
  select(query: SearchQuery): { total: number; docs: Uint32Array };
}

/**
 * Memory for results that took work to find, so that their other pages are free. A quarter as much is used for complete
 * replies to repeated queries. Serving threads divide it among them.
 */
export const CACHE_BYTES = 64 * 1024 * 1024;

export function createEngine(index: SearchIndex, { cacheBytes = CACHE_BYTES } = {}): Engine {
  const { arrays, texts, entities, version } = index;
  const sets = readSets(arrays, entities);
  const matcher = createMatcher(arrays, texts);
  const writer = createPageWriter(index);
  const cache = new ResultCache(cacheBytes, bytesOfSet);
  const replies = new ResultCache<SearchReply>(cacheBytes / 4, ({ body }) => body.byteLength);
  const setsOf = (keys: readonly (string | null)[], numbers: Uint32Array) =>
    new Map(keys.map((key, at) => [key, sets[numbers[at] as number] as DocSet]));
  const broad = setsOf(texts.broad, arrays.broadSet);
  const broadNumbers = setsOf(texts.broadNumbers, arrays.broadNumberSet);
  const countries = setsOf(texts.columns.countryCode, arrays.countrySet);
  const registers = setsOf(texts.columns.register, arrays.registerSet);
  const statuses = setsOf(texts.columns.status, arrays.statusSet);
  const legalForms = setsOf([...texts.columns.legalForm, ...texts.formCodes], arrays.legalFormSet);
  const activities = setsOf(texts.activities, arrays.activitySet);
  // Scratch memory, reused by every query. Queries are synchronous, so only one uses it at a time; it leaves the marks
  // empty.
  const marks = new Marks(entities);
  const filterMarks = new Marks(entities);
  const lists = new ListUnion(entities);

  /** Null if a filter or the fragment occurs nowhere. */
  function plan(query: SearchQuery, folded: string): Plan | null {
    const { country, register, status, legalForm, activity, activityType } = query;
    const required: DocSet[] = [];
    const require = (set: DocSet | undefined) => set !== undefined && required.push(set) > 0;
    if (country !== undefined && !require(countries.get(country))) return null;
    if (register !== undefined && !require(registers.get(register))) return null;
    if (status !== undefined && !require(statuses.get(status))) return null;
    if (legalForm !== undefined && !require(legalForms.get(legalForm))) return null;
    if (activity !== undefined && !require(findActivity(activityType, activity))) return null;
    if (folded === '') return { required };
    const { stored, matches } = matchFragment(folded);
    if (matches.every(({ cost }) => cost === 0)) return require(stored) ? { required } : null;
    return { required, fragment: { matches, stored } };
  }

  function matchFragment(folded: string): Fragment {
    const byVat = matchVat(folded);
    const stored = broad.get(folded);
    if (stored !== undefined) return { stored, matches: byVat };
    const byNumber = broadNumbers.get(readNumberFragment(folded).text);
    const matches = byNumber === undefined ? matcher.match(folded) : matcher.matchName(folded);
    return { stored: byNumber, matches: [...matches, ...byVat] };
  }

  /** An activity has a set for its codes and labels, and one for values as written. Few have two that differ. */
  function findActivity(type: ActivityType, value: string): DocSet | undefined {
    const [first, second] = new Set(findActivityKeys(type, value).flatMap((key) => activities.get(key) ?? []));
    if (first === undefined || second === undefined) return first;
    const either = new Marks(entities);
    either.addSet(first);
    either.addSet(second);
    return either.toSet();
  }

  /** Finds the companies of a country by a VAT number that contains their national number. */
  function matchVat(folded: string): Match[] {
    const vat = readVatNumber(folded);
    const country = vat === undefined ? -1 : texts.columns.countryCode.indexOf(vat.country);
    return vat === undefined || country === -1 ? [] : [matcher.matchWholeNumber(vat.number, country)];
  }

  function select(query: SearchQuery): { total: number; docs: Uint32Array } {
    const { page, pageSize, country, register, status, legalForm, activity, activityType } = query;
    const folded = fold(query.q.toWellFormed());
    const from = (page - 1) * pageSize;
    const key = JSON.stringify([folded, country, register, status, legalForm, activity, activityType]);
    const known = cache.get(key);
    if (known !== undefined) return { total: known.size, docs: takeDocs(known, from, pageSize) };

    const planned = plan(query, folded);
    if (planned === null) return { total: 0, docs: NO_DOCS };
    const { required, fragment } = planned;
    const [first] = required;
    if (fragment === undefined) {
      if (first === undefined) return { total: entities, docs: takeAll(from, pageSize) };
      if (required.length === 1) return { total: first.size, docs: takeDocs(first, from, pageSize) };
    }
    const result = fragment === undefined ? intersect(required) : unite(fragment, required);
    const answer = { total: result.size, docs: takeDocs(result, from, pageSize) };
    // The result may be in scratch memory, which the next query overwrites: cache a copy.
    cache.offer(key, () => (result.bitmap === marks ? marks.toSet() : asSet((result.list ?? NO_DOCS).slice())));
    if (result.bitmap === marks) marks.clear();
    return answer;
  }

  function takeAll(from: number, count: number): Uint32Array {
    const docs = new Uint32Array(Math.max(0, Math.min(count, entities - from)));
    for (let index = 0; index < docs.length; index++) docs[index] = from + index;
    return docs;
  }

  /** Intersects the lists first: their result is short, and testing it against the bitmaps is cheap. */
  function intersect(required: readonly DocSet[]): DocSet {
    const { list, bitmaps } = combine(required);
    if (list !== undefined) return asSet(bitmaps.length === 0 ? list : lists.keep(list, testOf(bitmaps)));
    const [first, ...others] = bitmaps as [Bitmap, ...Bitmap[]];
    let common = first;
    for (const bitmap of others) {
      marks.intersect(common, bitmap);
      common = marks;
    }
    return marks.asSet();
  }

  function unite({ matches, stored }: Fragment, required: readonly DocSet[]): DocSet {
    const filter = filterOf(required);
    const list = stored === undefined ? lists.unite(matches, filter?.test) : undefined;
    if (list === undefined) {
      // Marking all documents and then applying the filters is faster than testing each. Matches with a check come
      // last: the check is expensive, so documents that the filters exclude are not checked.
      if (stored !== undefined) marks.addSet(stored);
      for (const { ranges, docs, check } of matches) if (check === undefined) addRanges(ranges, docs);
      if (filter !== undefined) for (const bitmap of filter.bitmaps) marks.intersect(marks, bitmap);
      for (const { ranges, docs, check } of matches)
        if (check !== undefined) addRanges(ranges, docs, both(filter?.test, check));
    }
    filterMarks.clear();
    return list === undefined ? marks.asSet() : asSet(list);
  }

  function addRanges(ranges: readonly number[], docs: Uint32Array, test?: Test): void {
    for (let range = 0; range < ranges.length; range += 2) {
      const from = ranges[range] as number;
      const to = ranges[range + 1] as number;
      if (test === undefined) marks.addRange(docs, from, to);
      else for (let at = from; at < to; at++) if (test(docs[at] as number)) marks.add(docs[at] as number);
    }
  }

  function filterOf(required: readonly DocSet[]): Filter | undefined {
    if (required.length === 0) return undefined;
    const { list, bitmaps } = combine(required);
    // Marking the whole list once is faster than a binary search in it for every document.
    if (list !== undefined) {
      filterMarks.addRange(list, 0, list.length);
      bitmaps.push(filterMarks);
    }
    return { bitmaps, test: testOf(bitmaps) };
  }

  /** The reply to keep. Its compressed forms count as part of it. */
  function copyReply(key: string, page: Uint8Array): SearchReply {
    // A copy, because the page is a view of a larger buffer.
    const copy = Buffer.from(new Uint8Array(page).buffer);
    const reply: SearchReply = { version, body: keepCompressed(copy, (bytes) => replies.grow(key, reply, bytes)) };
    return reply;
  }

  return {
    select,
    find(query) {
      const key = JSON.stringify(query);
      const known = replies.get(key);
      if (known !== undefined) return known;
      const { total, docs } = select(query);
      const reply = { version, body: writer.write(docs, renderMeta(query, total)) };
      replies.offer(key, () => copyReply(key, reply.body));
      return reply;
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

interface Filter {
  readonly bitmaps: readonly Bitmap[];
  readonly test: Test;
}

const NO_DOCS = new Uint32Array(0);

function bytesOfSet({ list, bitmap }: DocSet): number {
  return (list?.byteLength ?? 0) + (bitmap === undefined ? 0 : bitmap.bits.byteLength + bitmap.counts.byteLength);
}

function asSet(list: Uint32Array): DocSet {
  return { size: list.length, list };
}

/** The intersection of all lists, if there are any, and the bitmaps. */
function combine(required: readonly DocSet[]): { list: Uint32Array | undefined; bitmaps: Bitmap[] } {
  const lists = required.flatMap(({ list }) => list ?? []).sort((a, b) => a.length - b.length);
  const [shortest, ...others] = lists;
  return {
    list: shortest && others.reduce(intersectLists, shortest),
    bitmaps: required.flatMap(({ bitmap }) => bitmap ?? []),
  };
}

function testOf(bitmaps: readonly Bitmap[]): Test {
  const [first, second, ...others] = bitmaps as [Bitmap, ...Bitmap[]];
  if (second === undefined) return (doc) => has(first, doc);
  return (doc) => has(first, doc) && has(second, doc) && others.every((bitmap) => has(bitmap, doc));
}
