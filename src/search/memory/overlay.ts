import { createTexts, type SearchIndex } from './search-index.ts';
import { BLOCK_SHIFT, BLOCK_WORDS, blocksFor, has } from './sets.ts';
import { sharedNumbers, TextList } from './shared-arrays.ts';

/**
 * What is searched: an immutable base and, if the data has changed since it was built, an overlay. The overlay hides the
 * documents of the base that changed and adds their new versions in small indexes, the segments.
 */
export type IndexState = StateOf<SearchIndex>;
export type Overlay = OverlayOf<SearchIndex>;
export type Segment = Overlay['segments'][number];

interface StateOf<Index> {
  /** The version of the data that base and overlay show together. */
  readonly version: string;
  readonly base: Index;
  readonly overlay?: OverlayOf<Index>;
}

interface OverlayOf<Index> {
  /** The documents of the base that are still current. */
  readonly live: LiveDocs;
  /** The oldest first. An entity is live in exactly one of the base and the segments. */
  readonly segments: readonly {
    readonly index: Index;
    readonly live: LiveDocs;
    /**
     * The place of each document in the order of results: the number of documents of the base, including hidden documents, that precede it.
     * Ascending.
     */
    readonly places: Uint32Array<SharedArrayBuffer>;
  }[];
}

/** The state of an index to which nothing was added. */
export function withoutOverlay(base: SearchIndex): IndexState {
  return { version: base.version, base };
}

/** The base and the segments, all of which every query searches. `live` is undefined if no document is hidden. */
export function listLive({ base, overlay }: IndexState) {
  const all = [{ index: base, live: overlay?.live }, ...(overlay?.segments ?? [])];
  return all.map(({ index, live }) => ({ index, live: live?.size === index.entities ? undefined : live }));
}

/** A bitmap of the documents that are not hidden: see `sets.ts`. */
export interface LiveDocs {
  readonly size: number;
  readonly bits: Uint32Array<SharedArrayBuffer>;
  readonly counts: Uint32Array<SharedArrayBuffer>;
}

/** All documents of an index. */
export function showAll(docCount: number): LiveDocs {
  const counts = sharedNumbers(blocksFor(docCount));
  const bits = sharedNumbers(counts.length * BLOCK_WORDS);
  bits.fill(0xffffffff, 0, docCount >>> 5);
  // A shift by 32 would be a shift by 0, so the last, incomplete word is written only if there is one.
  if ((docCount & 31) !== 0) bits[docCount >>> 5] = (1 << (docCount & 31)) - 1;
  counts.fill(1 << BLOCK_SHIFT);
  const full = docCount >>> BLOCK_SHIFT;
  if (full < counts.length) counts[full] = docCount - full * (1 << BLOCK_SHIFT);
  return { size: docCount, bits, counts };
}

/** Returns a copy in which these documents are hidden, too. The original does not change, because queries may be reading it. */
export function hide(live: LiveDocs, docs: Iterable<number>): LiveDocs {
  const bits = sharedNumbers(live.bits.length);
  const counts = sharedNumbers(live.counts.length);
  bits.set(live.bits);
  counts.set(live.counts);
  let { size } = live;
  for (const doc of docs) {
    if (!has({ bits, counts }, doc)) continue;
    bits[doc >>> 5] = (bits[doc >>> 5] as number) & ~(1 << (doc & 31));
    const block = doc >>> BLOCK_SHIFT;
    counts[block] = (counts[block] as number) - 1;
    size--;
  }
  return { size, bits, counts };
}

/** The entities that the state shows. */
export function countEntities(state: IndexState): number {
  return listLive(state).reduce((sum, { index, live }) => sum + (live?.size ?? index.entities), 0);
}

/** The size of an overlay: the number of documents that it adds or hides. This size decides when a new base is built. */
export function countOverlayDocs({ base, overlay }: IndexState): number {
  if (overlay === undefined) return 0;
  const added = overlay.segments.reduce((sum, { index }) => sum + index.entities, 0);
  return Math.max(added, base.entities - overlay.live.size);
}

/** The bytes of a state that the next state, if there is one, does not share. */
export function countDroppedBytes(state: IndexState, next?: IndexState): number {
  const kept = next === undefined ? undefined : listMemory(next);
  let sum = 0;
  for (const [part, bytes] of listMemory(state)) if (!kept?.has(part)) sum += bytes;
  return sum;
}

/** The bytes of each index and array of a state. */
function listMemory({ base, overlay }: IndexState): Map<object, number> {
  const memory = new Map<object, number>([[base, base.bytes]]);
  const arrays = overlay === undefined ? [] : [overlay.live.bits, overlay.live.counts];
  for (const { index, live, places } of overlay?.segments ?? []) {
    memory.set(index, index.bytes);
    arrays.push(live.bits, live.counts, places);
  }
  for (const { buffer, byteLength } of arrays) memory.set(buffer, byteLength);
  return memory;
}

/**
 * A state as a message to another thread. All memory of the state is shared. An index that the receiver already has, as part of the
 * previous state, is sent as its position in that state: 0 is the base. So every thread keeps its objects for the base and the segments
 * while the overlay changes, and whatever a thread has prepared for these objects stays valid.
 */
export type StateMessage = StateOf<SearchIndex | number>;

/** `previous` is the state that the receiver already has. Indexes that it contains are not sent again. */
export function encodeState(state: IndexState, previous?: IndexState): StateMessage {
  const known = listIndexes(previous);
  return mapIndexes(state, (index) => {
    const position = known.indexOf(index);
    return position === -1 ? index : position;
  });
}

export function decodeState(message: StateMessage, previous?: IndexState): IndexState {
  const known = listIndexes(previous);
  return mapIndexes(message, (index) => {
    // A message has the fields of a list, but not its methods.
    if (typeof index !== 'number') return { ...index, texts: createTexts(index.texts, (list) => new TextList(list)) };
    const found = known[index];
    if (found === undefined) throw new Error(`there is no index ${index} in the state before`);
    return found;
  });
}

function listIndexes(state: IndexState | undefined): SearchIndex[] {
  return state === undefined ? [] : listLive(state).map(({ index }) => index);
}

function mapIndexes<From, To>({ version, base: from, overlay }: StateOf<From>, map: (index: From) => To): StateOf<To> {
  const base = map(from);
  if (overlay === undefined) return { version, base };
  const segments = overlay.segments.map((segment) => ({ ...segment, index: map(segment.index) }));
  return { version, base, overlay: { ...overlay, segments } };
}
