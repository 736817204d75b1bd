import type { LiveDocs, Overlay } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import { has } from '../sets.ts';
import { sharedNumbers } from '../shared-arrays.ts';
import { RebuildNeeded } from './changes.ts';
import { compareWithKey, countBefore, readKey } from './document-order.ts';

/** A segment that is not part of an overlay yet. */
export interface SegmentDocs {
  readonly index: SearchIndex;
  readonly live: LiveDocs;
  /** For each document, the number of documents of the base that precede the document. */
  readonly places: Uint32Array;
}

/** Finds, for each document of a new segment, the number of documents of the base that precede the document. */
export function findPlaces(base: SearchIndex, live: LiveDocs, segment: SearchIndex): Uint32Array {
  const places = new Uint32Array(segment.entities);
  let place = 0;
  for (let doc = 0; doc < places.length; doc++) {
    const key = readKey(segment, doc);
    place = countBefore(base, key, place);
    places[doc] = place;
    const isSame = place < base.entities && compareWithKey(base, place, key) === 0;
    if (isSame && has(live, place)) throw new RebuildNeeded('the base has a live version of an added entity');
  }
  return places;
}

/** Converts the segments of an overlay back to segments that are not part of an overlay. */
export function takeSegments({ segments, places }: Overlay): SegmentDocs[] {
  return segments.map(({ index, live, ranks }) => {
    const own = new Uint32Array(ranks.length);
    for (let doc = 0; doc < own.length; doc++) own[doc] = places[ranks[doc] as number] as number;
    return { index, live, places: own };
  });
}

/**
 * Numbers the documents of all segments in result order by merging the segments, whose documents are in order already. Names
 * are compared only where documents of two segments belong between the same two documents of the base. Throws
 * `RebuildNeeded` if an entity is live in two segments.
 */
export function layOutOverlay(live: LiveDocs, segments: readonly SegmentDocs[]): Overlay {
  const count = segments.reduce((sum, { places }) => sum + places.length, 0);
  const places = sharedNumbers(count);
  const laidOut = segments.map(({ index, live, places }) => ({ index, live, ranks: sharedNumbers(places.length) }));
  const next = segments.map(() => 0);
  for (let rank = 0; rank < count; rank++) {
    const first = findFirst(segments, next);
    const doc = next[first] as number;
    next[first] = doc + 1;
    (laidOut[first] as (typeof laidOut)[0]).ranks[doc] = rank;
    places[rank] = (segments[first] as SegmentDocs).places[doc] as number;
  }
  return { live, segments: laidOut, places };
}

/** The segment whose next document is the first in result order. If two segments have a version of this document, the older segment. */
function findFirst(segments: readonly SegmentDocs[], next: readonly number[]): number {
  let first = -1;
  let firstPlace = Number.POSITIVE_INFINITY;
  for (let at = 0; at < segments.length; at++) {
    const { places } = segments[at] as SegmentDocs;
    const doc = next[at] as number;
    if (doc === places.length) continue;
    const place = places[doc] as number;
    if (place > firstPlace) continue;
    if (place === firstPlace && !precedes(segments, next, at, first)) continue;
    first = at;
    firstPlace = place;
  }
  return first;
}

function precedes(segments: readonly SegmentDocs[], next: readonly number[], a: number, b: number): boolean {
  const [ours, theirs] = [segments[a] as SegmentDocs, segments[b] as SegmentDocs];
  const [doc, other] = [next[a] as number, next[b] as number];
  const order = compareWithKey(ours.index, doc, readKey(theirs.index, other));
  if (order === 0 && has(ours.live, doc) && has(theirs.live, other)) {
    throw new RebuildNeeded('two segments have a live version of the same entity');
  }
  return order < 0;
}
