import type { Snapshot } from '../../../base/db/db.ts';
import { fold } from '../../../base/fold.ts';
import { dumpEntities } from '../../store.ts';
import { indexChunks } from '../build/build.ts';
import { rowColumns } from '../build/chunk.ts';
import { countUp, GrowingBytes, GrowingNumbers } from '../build/growing-arrays.ts';
import { hide, type IndexState, type LiveDocs, listLive, showAll } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import { has } from '../sets.ts';
import { RebuildNeeded, readChangesSince } from './changes.ts';
import { compareWithKey, countBefore, type DocumentKey } from './document-order.ts';
import { findPlaces, layOutOverlay, type SegmentDocs, takeSegments } from './layout.ts';

/**
 * Brings an index up to date by the journal. This folder owns the overlay (`../overlay.ts`): its layout and how it follows
 * the data. It does not own the schedule of updates, nor the file. The steps, in order:
 *
 * 1. `changes.ts` reads from the journal which entities have changed, and their names before the change.
 * 2. Their documents are found by these names (`document-order.ts`) and hidden.
 * 3. `planUpdate` chooses the segments that are built again, so that there are always few segments.
 * 4. `../build/` builds a segment from the present rows of the changed entities and of the entities in the chosen segments.
 * 5. `layout.ts` puts the documents of all segments in the order of results.
 *
 * All steps read one snapshot, so the new state is exactly the data of its version. The old state does not change, because
 * queries may be reading it. Throws `RebuildNeeded` if the index has to be rebuilt.
 */
export async function updateOverlay(
  state: IndexState,
  view: Snapshot,
  {
    compact = false,
    plan = compact ? planCompaction : planUpdate,
    threshold = THRESHOLD,
    onChanges,
  }: UpdateOptions = {},
): Promise<IndexState> {
  const { base, overlay } = state;
  const { version, namesBefore } = await readChangesSince(view, state.version, limitChanges(base.entities));
  onChanges?.(namesBefore.size);
  if (namesBefore.size === 0 && !(compact && needsCompaction(state))) {
    return version === state.version ? state : { ...state, version };
  }
  const [hiddenInBase = [], ...hiddenInSegments] = findDocuments(state, namesBefore);
  const live = hideSome(overlay?.live ?? showAll(base.entities), hiddenInBase);
  const segments = hideInSegments(overlay === undefined ? [] : takeSegments(overlay), hiddenInSegments);

  const sizes = segments.map(({ live }) => live.size);
  const kept = plan(sizes, namesBefore.size);
  const ids = [...namesBefore.keys(), ...segments.slice(kept).flatMap(listIds)];
  const index = await indexChunks(version, dumpEntities(view, rowColumns, ids), threshold);
  if (index.entities !== ids.length) {
    throw new RebuildNeeded(`the store has ${index.entities} of ${ids.length} changed entities`);
  }
  const added = { index, live: showAll(index.entities), places: findPlaces(base, live, index) };
  return { version, base, overlay: layOutOverlay(live, [...segments.slice(0, kept), added]) };
}

interface UpdateOptions {
  /** Merges more segments than an update does, which must not delay the data of an import. */
  readonly compact?: boolean;
  /** Called with the number of changed entities. */
  readonly onChanges?: (entities: number) => void;
  /** For tests: which segments to keep. */
  readonly plan?: ((sizes: readonly number[], added: number) => number) | undefined;
  /** For tests: see `THRESHOLD`. */
  readonly threshold?: number;
}

/**
 * Fragments with fewer documents than this have no stored set in a segment: uniting their lists takes 1 µs. With a threshold of 1,024,
 * uniting took 10 µs in a segment of 2,300 documents, and building was not faster than with 256; with 64, building takes a fifth longer.
 */
const THRESHOLD = 256;

/** Whether an update with `compact` would merge segments. */
export function needsCompaction({ overlay }: IndexState): boolean {
  const sizes = overlay?.segments.map(({ live }) => live.size) ?? [];
  return planCompaction(sizes) < sizes.length;
}

/** For more changes than this, building a new index takes hardly longer than an overlay. */
function limitChanges(entities: number): number {
  return Math.max(100_000, Math.floor(entities / 10));
}

/** Hides documents. Returns the given object if there are none to hide, because a copy takes one bit per document of the base. */
function hideSome(live: LiveDocs, docs: readonly number[]): LiveDocs {
  return docs.length === 0 ? live : hide(live, docs);
}

/** Hides documents in segments, and drops segments without live documents. */
function hideInSegments(segments: readonly SegmentDocs[], hidden: DocsOfParts): SegmentDocs[] {
  return segments
    .map((segment, at) => ({ ...segment, live: hideSome(segment.live, hidden[at] ?? []) }))
    .filter(({ live }) => live.size > 0);
}

/** Documents of a state: one list for the base, then one for each segment. */
type DocsOfParts = readonly number[][];

/**
 * Finds the documents of entities by their names and ids. There is no table of ids: documents are sorted by name, so a
 * name is found by binary search. Names are looked up in order, so that each name is near the previous one, which saves two thirds
 * of the comparisons. An entity is live in exactly one part; otherwise the journal does not belong to this state.
 */
function findDocuments(state: IndexState, names: ReadonlyMap<string, string | null>): DocsOfParts {
  const parts = listLive(state);
  const found: number[][] = parts.map(() => []);
  const precede = parts.map(() => 0);
  for (const key of sortKeys(names)) {
    let count = 0;
    for (const [at, { index, live }] of parts.entries()) {
      const doc = countBefore(index, key, precede[at]);
      precede[at] = doc;
      if (doc === index.entities || compareWithKey(index, doc, key) !== 0) continue;
      if (live !== undefined && !has(live, doc)) continue;
      found[at]?.push(doc);
      count++;
    }
    if (count !== 1) throw new RebuildNeeded(describeMismatch(key, count));
  }
  return found;
}

/** The keys of the entities that had a name, in document order. All keys as objects at once would take five times the memory. */
function* sortKeys(names: ReadonlyMap<string, string | null>): Generator<DocumentKey> {
  const text = new GrowingBytes();
  /** The positions where the folded name, the name and the id of each key start and, at the end, where the last id ends. */
  const starts = new GrowingNumbers();
  for (const [id, name] of names) {
    if (name === null) continue;
    for (const part of [Buffer.from(fold(name)), Buffer.from(name), readId(id)]) {
      starts.push(text.length);
      text.append(part, 0, part.length);
    }
  }
  starts.push(text.length);
  const { bytes } = text;
  const partAt = (at: number) => bytes.subarray(starts.values[at], starts.values[at + 1]);
  const compare = (a: number, b: number) => Buffer.compare(partAt(a), partAt(b));
  const order = countUp((starts.length - 1) / PARTS).sort((a, b) => {
    const [first, second] = [a * PARTS, b * PARTS];
    return compare(first, second) || compare(first + 1, second + 1) || compare(first + 2, second + 2);
  });
  for (const key of order) {
    const [folded, name, id] = [partAt(key * PARTS), partAt(key * PARTS + 1), partAt(key * PARTS + 2)];
    yield { folded, name, id };
  }
}

/** The number of parts of a key: the folded name, the name and the id. */
const PARTS = 3;

function describeMismatch({ id, name }: DocumentKey, count: number): string {
  const [hex, text] = [Buffer.from(id).toString('hex'), Buffer.from(name).toString()];
  return `the index has ${count} versions of ${hex} named ${JSON.stringify(text)}`;
}

function readId(id: string): Uint8Array {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** The ids of all live documents. */
function listIds({ index, live }: { readonly index: SearchIndex; readonly live: LiveDocs }): string[] {
  const hex = Buffer.from(index.arrays['summary.id'].buffer).toString('hex');
  const ids: string[] = [];
  for (let doc = 0; doc < index.entities; doc++) {
    if (!has(live, doc)) continue;
    const at = doc * 32;
    const parts = [hex.slice(at, at + 8), hex.slice(at + 8, at + 12), hex.slice(at + 12, at + 16)];
    ids.push([...parts, hex.slice(at + 16, at + 20), hex.slice(at + 20, at + 32)].join('-'));
  }
  return ids;
}

/**
 * Plans which segments are built again together with new documents. Every query searches every segment, so there should be few
 * segments; and every merge builds documents again, so an update should merge little. `sizes` are the sizes of the segments, the
 * oldest first; the result is the number of segments, from the oldest on, that are kept as they are.
 */

/** Fewer documents than this are built within a tenth of a second, so they are always merged. */
const SMALL = 4_096;
/** A segment is built again when the newer segments together reach one eighth of its size. */
const GROWTH = 8;
const MAX_SEGMENTS = 8;

/** For an update that must be served soon: merges at most as many documents as it adds. */
export function planUpdate(sizes: readonly number[], added: number): number {
  if (sizes.length >= MAX_SEGMENTS) return planCompaction(sizes, added);
  let budget = Math.max(added, SMALL);
  let kept = sizes.length;
  while (kept > 0 && (sizes[kept - 1] as number) <= budget) budget -= sizes[--kept] as number;
  return kept;
}

/**
 * Plans the merges after an update: each segment stays more than eight times as large as all newer segments, unless the newer ones
 * have few documents. With 5 million entities, an overlay of 5 % then has three segments at most, and a document is built about
 * eight times until it reaches the largest segment.
 */
export function planCompaction(sizes: readonly number[], added = 0): number {
  let after = added;
  let kept = sizes.length;
  for (let at = sizes.length - 1; at >= 0; at--) {
    if (after >= Math.max(SMALL, (sizes[at] as number) / GROWTH)) kept = at;
    after += sizes[at] as number;
  }
  return kept;
}
