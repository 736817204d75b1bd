import type { SearchIndex } from './search-index.ts';

/**
 * What is searched: an immutable base and, if the data has changed since it was built, an overlay. The overlay hides the
 * documents of the base that changed and adds their new versions in small indexes, the segments. All documents have one
 * order, the order of results; each document of a segment knows its place in it.
 */
export interface IndexState {
  /** The version of the data that base and overlay show together. */
  readonly version: string;
  readonly base: SearchIndex;
  readonly overlay?: Overlay;
}

/** The state of an index to which nothing was added. */
export function withoutOverlay(base: SearchIndex): IndexState {
  return { version: base.version, base };
}

export interface Overlay {
  /** The documents of the base that are still current. */
  readonly live: LiveDocs;
  /** The oldest first. An entity is live in exactly one of the base and the segments. */
  readonly segments: readonly Segment[];
  /**
   * All documents of all segments, hidden ones included, are numbered in result order: their ranks. For each rank, how
   * many documents of the base, hidden ones included, precede it. Ascending.
   */
  readonly places: Uint32Array<SharedArrayBuffer>;
}

export interface Segment {
  readonly index: SearchIndex;
  readonly live: LiveDocs;
  /** The rank of each document, in ascending order. */
  readonly ranks: Uint32Array<SharedArrayBuffer>;
}

/** A bitmap of the documents that are not hidden: see `sets.ts`. */
export interface LiveDocs {
  readonly size: number;
  readonly bits: Uint32Array<SharedArrayBuffer>;
  readonly counts: Uint32Array<SharedArrayBuffer>;
}
