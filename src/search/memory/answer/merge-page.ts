import type { IndexState, Overlay, Segment } from '../overlay.ts';
import { type Hits, NO_HITS } from './hits.ts';
import { firstNotBelow } from './words.ts';

/**
 * The documents of a page. `parts` has the part of each document: 0 for the base, n for the n-th segment. A page from
 * `createPageMerger` is in scratch memory, so it is valid until the next page is found.
 */
export interface Page {
  readonly docs: Uint32Array;
  readonly parts: Uint8Array;
}

/** At most this many hits before the page are read and skipped instead of counted. */
const FEW = 128;

/**
 * Finds pages in the hits of the base and of each segment, without listing or sorting the hits before them.
 *
 * Every document has a position in the order of all documents, including hidden documents. A position is preceded by the first
 * documents of the base and by the first ranks, so the hits before a position can be counted in each index.
 */
export function createPageMerger({ base, overlay }: IndexState): TakePage {
  const providePage = createScratch();
  if (overlay === undefined) return ([hits], from, count) => readPage(hits as Hits, from, count, providePage);
  let inBase = new Uint32Array(FEW);
  const positions = base.entities + overlay.places.length;
  const cursors = overlay.segments.map(({ ranks }, at) => new SegmentCursor(at + 1, ranks));
  return (hits, from, count) => {
    const ofBase = hits[0] as Hits;
    let total = 0;
    for (const { size } of hits) total += size;
    if (total === ofBase.size || from >= total) return readPage(ofBase, from, count, providePage);
    const starts = from <= FEW ? undefined : findStarts(hits, overlay, positions, from, total);
    const skip = from - addUp(starts ?? []);
    const ofPage = Math.min(count, total - from);
    if (skip + ofPage > inBase.length) inBase = new Uint32Array(2 * (skip + ofPage));
    const found = ofBase.read(starts?.[0] ?? 0, inBase, skip + ofPage);
    const used = cursors.filter(({ part }) => (hits[part] as Hits).size > 0);
    for (const cursor of used) cursor.start(hits[cursor.part] as Hits, starts?.[cursor.part] ?? 0);
    return merge(inBase, found, used, overlay.places, skip, providePage(ofPage));
  };
}

/**
 * Walks through all hits once, from the first to the last: each call returns the next `count` hits. Needs hits from `keep`, because
 * other queries run between two calls.
 */
export function walkHits({ overlay }: IndexState, hits: readonly Hits[]): (count: number) => Page {
  const [ofBase = NO_HITS] = hits;
  const cursors = (overlay?.segments ?? []).flatMap(({ ranks }, at) => {
    const ofSegment = hits[at + 1] as Hits;
    if (ofSegment.size === 0) return [];
    const cursor = new SegmentCursor(at + 1, ranks);
    cursor.start(ofSegment, 0);
    return cursor;
  });
  let left = hits.reduce((sum, { size }) => sum + size, 0);
  let inBase = 0;
  return (count) => {
    const wanted = Math.min(count, left);
    left -= wanted;
    if (overlay === undefined || cursors.length === 0) {
      inBase += wanted;
      return readPage(ofBase, inBase - wanted, wanted, createPage);
    }
    const docs = new Uint32Array(wanted);
    const page = merge(docs, ofBase.read(inBase, docs), cursors, overlay.places, 0, createPage(wanted));
    for (const part of page.parts) if (part === 0) inBase++;
    return page;
  };
}

type TakePage = (hits: readonly Hits[], from: number, count: number) => Page;

type ProvidePage = (count: number) => Page;

const createPage: ProvidePage = (count) => ({ docs: new Uint32Array(count), parts: new Uint8Array(count) });

/** Reuses the memory of a page: most pages have one size, and allocating a page takes 3 % of the time of a short query. */
function createScratch(): ProvidePage {
  let page = createPage(0);
  return (count) => {
    if (page.docs.length !== count) page = createPage(count);
    return page;
  };
}

function readPage(hits: Hits, from: number, count: number, providePage: ProvidePage): Page {
  const page = providePage(Math.max(0, Math.min(count, hits.size - from)));
  hits.read(from, page.docs);
  page.parts.fill(0);
  return page;
}

/**
 * Finds a position with at most `FEW` hits between the position and the page, and returns the number of hits of each index before
 * the position. Hits of the base and of the segments are distributed alike, so a position is guessed by the share of the base in all
 * hits. Every third step halves the remaining positions, whatever the distribution.
 */
function findStarts(
  hits: readonly Hits[],
  overlay: Overlay,
  positions: number,
  from: number,
  total: number,
): readonly number[] {
  const base = hits[0] as Hits;
  let starts: readonly number[] = hits.map(() => 0);
  let [low, high] = [0, positions];
  let [before, beforeHigh] = [0, total];
  let baseHigh = base.size;
  const found = new Uint32Array(1);
  for (let step = 1; from - before > FEW; step++) {
    const baseLow = starts[0] as number;
    const share = (from - FEW / 2 - before) / (beforeHigh - before);
    const guess = baseLow + Math.floor((baseHigh - baseLow) * share);
    const isGuessed = step % 3 !== 0 && base.read(guess, found) > 0;
    const doc = found[0] as number;
    const rank = isGuessed ? countRanks(overlay, doc) : findRank(overlay, (low + high) >>> 1);
    const middle = isGuessed ? doc + rank : (low + high) >>> 1;
    if (middle <= low || middle >= high) continue;
    const counts = countInSegments(hits, overlay, rank);
    counts[0] = isGuessed ? guess : base.countBefore(middle - rank);
    const count = addUp(counts);
    if (count <= from) [low, before, starts] = [middle, count, counts];
    else [high, beforeHigh, baseHigh] = [middle, count, counts[0] as number];
  }
  return starts;
}

/** The number of ranks that precede a document of the base. */
function countRanks({ places }: Overlay, doc: number): number {
  return firstNotBelow(places.length, (rank) => (places[rank] as number) <= doc);
}

/** The number of ranks that precede a position. */
function findRank({ places }: Overlay, position: number): number {
  return firstNotBelow(places.length, (rank) => (places[rank] as number) + rank < position);
}

/** The number of hits of each segment that precede a rank. */
function countInSegments(hits: readonly Hits[], { segments }: Overlay, rank: number): number[] {
  return hits.map((of, part) => {
    if (part === 0 || of.size === 0) return 0;
    const { ranks } = segments[part - 1] as Segment;
    return of.countBefore(firstNotBelow(ranks.length, (doc) => (ranks[doc] as number) < rank));
  });
}

function addUp(counts: readonly number[]): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}

/** Merges the first documents of the base with the documents of the cursors, and leaves out the first `skip` documents. */
function merge(
  base: Uint32Array,
  inBase: number,
  cursors: readonly SegmentCursor[],
  places: Uint32Array,
  skip: number,
  page: Page,
): Page {
  const count = page.docs.length;
  let nextInBase = 0;
  let first = findFirst(cursors);
  let place = placeOf(first, places);
  for (let at = -skip; at < count; at++) {
    // A rank precedes the documents of the base whose number is its place or higher.
    const isBase = nextInBase < inBase && (base[nextInBase] as number) < place;
    if (at >= 0) {
      page.docs[at] = isBase ? (base[nextInBase] as number) : (first as SegmentCursor).doc;
      page.parts[at] = isBase ? 0 : (first as SegmentCursor).part;
    }
    if (isBase) nextInBase++;
    else {
      first?.advance();
      first = findFirst(cursors);
      place = placeOf(first, places);
    }
  }
  return page;
}

function placeOf(cursor: SegmentCursor | undefined, places: Uint32Array): number {
  return cursor === undefined ? Number.POSITIVE_INFINITY : (places[cursor.rank] as number);
}

/** The cursor with the lowest rank. Undefined if all cursors have ended. */
function findFirst(cursors: readonly SegmentCursor[]): SegmentCursor | undefined {
  let first: SegmentCursor | undefined;
  for (const cursor of cursors) if (cursor.rank < (first?.rank ?? ENDED)) first = cursor;
  return first;
}

const ENDED = Number.POSITIVE_INFINITY;

/** Walks through the hits of a segment. Reads only a few hits at a time, because a page rarely needs more. */
class SegmentCursor {
  readonly part: number;
  doc = 0;
  rank = ENDED;
  readonly #ranks: Uint32Array;
  readonly #docs = new Uint32Array(8);
  #hits: Hits = NO_HITS;
  /** The number of hits before `#docs`; the number of hits in `#docs`; the position of the current hit in `#docs`. */
  #before = 0;
  #count = 0;
  #at = 0;

  constructor(part: number, ranks: Uint32Array) {
    this.part = part;
    this.#ranks = ranks;
  }

  start(hits: Hits, from: number): void {
    this.#hits = hits;
    this.#before = from;
    this.#count = hits.read(from, this.#docs);
    this.#at = -1;
    this.advance();
  }

  advance(): void {
    if (++this.#at === this.#count && this.#count > 0) {
      this.#before += this.#count;
      this.#count = this.#hits.read(this.#before, this.#docs);
      this.#at = 0;
    }
    if (this.#at >= this.#count) this.rank = ENDED;
    else {
      this.doc = this.#docs[this.#at] as number;
      this.rank = this.#ranks[this.doc] as number;
    }
  }
}
