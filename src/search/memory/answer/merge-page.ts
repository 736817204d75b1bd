import type { IndexState, Overlay, Segment } from '../overlay.ts';
import { compareWithKey, readKey } from '../update/document-order.ts';
import { type Hits, NO_HITS } from './hits.ts';
import { firstNotBelow } from './words.ts';

/** The documents of a page. `parts` has the part of each document: 0 for the base, n for the n-th segment. */
export interface Page {
  readonly docs: Uint32Array;
  readonly parts: Uint8Array;
}

/** At most this many hits before the page are read and skipped instead of counted. */
const FEW = 128;

/**
 * Finds pages in the hits of the base and of each segment, without listing or sorting the hits before them: a document of the base
 * shortly before the page is found by counting the hits of each index that precede it.
 */
export function takePage(state: IndexState, hits: readonly Hits[], from: number, count: number): Page {
  const ofBase = hits[0] as Hits;
  let total = 0;
  for (const { size } of hits) total += size;
  if (total === ofBase.size || from >= total) {
    const page = createPage(Math.max(0, Math.min(count, total - from)));
    ofBase.read(from, page.docs);
    return page;
  }
  const starts = from <= FEW ? hits.map(() => 0) : findStarts(state, hits, from);
  const takeNext = walkHits(state, hits, starts);
  takeNext(from - starts.reduce((sum, before) => sum + before, 0));
  return takeNext(count);
}

/**
 * Walks through all hits once, from the first to the last: each call returns the next `count` hits. `starts` has the number of hits of each
 * index that come before. Needs hits from `keep` if other queries run between two calls.
 */
export function walkHits(
  { overlay }: IndexState,
  hits: readonly Hits[],
  starts: readonly number[] = [],
): (count: number) => Page {
  const [ofBase = NO_HITS] = hits;
  const cursors = (overlay?.segments ?? []).flatMap((segment, at) => {
    const ofSegment = hits[at + 1] as Hits;
    return ofSegment.size === 0 ? [] : new SegmentCursor(at + 1, segment, ofSegment, starts[at + 1] ?? 0);
  });
  let inBase = starts[0] ?? 0;
  let left = hits.reduce((sum, { size }) => sum + size, 0) - starts.reduce((sum, before) => sum + before, 0);
  return (count) => {
    const page = createPage(Math.min(count, left));
    left -= page.docs.length;
    const read = ofBase.read(inBase, page.docs);
    if (cursors.length > 0) merge(page.docs.slice(0, read), cursors, page);
    for (const part of page.parts) if (part === 0) inBase++;
    return page;
  };
}

export function createPage(count: number): Page {
  return { docs: new Uint32Array(count), parts: new Uint8Array(count) };
}

/** Finds the last document of the base that at most `from` hits precede, and returns the number of these hits in each index. */
function findStarts({ base, overlay }: IndexState, hits: readonly Hits[], from: number): number[] {
  const countBefore = (doc: number) =>
    hits.map((of, part) => {
      if (part === 0 || of.size === 0) return of.countBefore(doc);
      const { places } = (overlay as Overlay).segments[part - 1] as Segment;
      return of.countBefore(firstNotBelow(places.length, (own) => (places[own] as number) <= doc));
    });
  const isBefore = (doc: number) => countBefore(doc).reduce((sum, count) => sum + count, 0) <= from;
  const next = firstNotBelow(base.entities, isBefore);
  return next === 0 ? hits.map(() => 0) : countBefore(next - 1);
}

/** Merges the first documents of the base with the documents of the cursors. */
function merge(base: Uint32Array, cursors: readonly SegmentCursor[], { docs, parts }: Page): void {
  let nextInBase = 0;
  let first = findFirst(cursors);
  for (let at = 0; at < docs.length; at++) {
    // A document of a segment precedes the documents of the base whose number is its place or higher.
    const isBase = nextInBase < base.length && (base[nextInBase] as number) < first.place;
    docs[at] = isBase ? (base[nextInBase++] as number) : first.doc;
    parts[at] = isBase ? 0 : first.part;
    if (isBase) continue;
    first.advance();
    first = findFirst(cursors);
  }
}

/** The cursor whose document comes first. Names are compared only where documents belong between the same two documents of the base. */
function findFirst(cursors: readonly SegmentCursor[]): SegmentCursor {
  let first = cursors[0] as SegmentCursor;
  for (const cursor of cursors) {
    if (cursor.place < first.place || (cursor.place === first.place && cursor.precedes(first))) first = cursor;
  }
  return first;
}

const ENDED = Number.POSITIVE_INFINITY;

/** Walks through the hits of a segment. Reads only a few hits at a time, because a page rarely needs more. */
class SegmentCursor {
  readonly part: number;
  /** The current document and its place; the place is `ENDED` after the last document. */
  doc = 0;
  place = ENDED;
  readonly #segment: Segment;
  readonly #hits: Hits;
  readonly #docs = new Uint32Array(8);
  /** The number of hits before `#docs`; the number of hits in `#docs`; the position of the current hit in `#docs`. */
  #before: number;
  #count = 0;
  #at = -1;

  constructor(part: number, segment: Segment, hits: Hits, from: number) {
    this.part = part;
    this.#segment = segment;
    this.#hits = hits;
    this.#before = from;
    this.advance();
  }

  advance(): void {
    if (++this.#at === this.#count) {
      this.#before += this.#count;
      this.#count = this.#hits.read(this.#before, this.#docs);
      this.#at = 0;
    }
    if (this.#count === 0) this.place = ENDED;
    else {
      this.doc = this.#docs[this.#at] as number;
      this.place = this.#segment.places[this.doc] as number;
    }
  }

  precedes(other: SegmentCursor): boolean {
    if (this.place === ENDED || this === other) return false;
    return compareWithKey(this.#segment.index, this.doc, readKey(other.#segment.index, other.doc)) < 0;
  }
}
