import type { Snapshot } from '../../../base/db/db.ts';
import { dumpEntities } from '../../store.ts';
import { indexChunks } from '../build/build.ts';
import { rowColumns } from '../build/chunk.ts';
import { countUp } from '../build/growing-arrays.ts';
import { hide, type IndexState, type LiveDocs, type Segment, showAll } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import { has } from '../sets.ts';
import { sharedNumbers } from '../shared-arrays.ts';
import { RebuildNeeded, readChangesSince } from './changes.ts';
import { compareWithKey, countBefore, createKey, type DocumentKey, formatId, readKey } from './document-order.ts';

/**
 * Brings an index up to date by the journal. This folder owns the overlay (`../overlay.ts`): its layout and how it follows
 * the data. It does not own the schedule of updates, nor the file. The steps, in order:
 *
 * 1. `changes.ts` reads from the journal which entities have changed, and their names before the change.
 * 2. Their documents are found by these names (`document-order.ts`) and hidden.
 * 3. `planUpdate` chooses the segments that are built again, so that there are always few segments.
 * 4. `../build/` builds a segment from the present rows of the changed entities and of the entities in the chosen segments.
 * 5. `findPlaces` puts the documents of the new segment in the order of results.
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
  const { base } = state;
  // For more changes than this, building a new index takes hardly longer than an overlay.
  const maxChanges = Math.max(100_000, Math.floor(base.entities / 10));
  const { version, namesBefore } = await readChangesSince(view, state.version, maxChanges);
  onChanges?.(namesBefore.size);
  if (namesBefore.size === 0 && !(compact && needsCompaction(state))) {
    return version === state.version ? state : { ...state, version };
  }
  const [shown, ...others] = hideDocuments(state, namesBefore);
  const live = shown?.live as LiveDocs;
  const segments = others.filter(({ live }) => live.size > 0);

  const sizes = segments.map(({ live }) => live.size);
  const count = plan(sizes, namesBefore.size);
  const [kept, merged] = [segments.slice(0, count), segments.slice(count)];
  const ids = [...namesBefore.keys(), ...merged.flatMap(listIds)];
  const index = await indexChunks(version, dumpEntities(view, rowColumns, ids), threshold);
  if (index.entities !== ids.length) {
    throw new RebuildNeeded(`the store has ${index.entities} of ${ids.length} changed entities`);
  }
  for (const segment of kept) findPlaces(segment, index);
  const added = { index, live: showAll(index.entities), places: findPlaces({ index: base, live }, index) };
  return { version, base, overlay: { live, segments: [...kept, added] } };
}

export interface UpdateOptions {
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

/**
 * Hides the documents of entities, which are found by their names and ids. There is no table of ids: documents are sorted by name, so a
 * name is found by binary search. Names are looked up in order, so that each name is near the previous one, which saves two thirds
 * of the comparisons. An entity is live in exactly one part; otherwise the journal does not belong to this state. Returns the base, then
 * the segments.
 */
function hideDocuments({ base, overlay }: IndexState, names: ReadonlyMap<string, string | null>): Segment[] {
  const ofBase = { index: base, live: overlay?.live ?? showAll(base.entities), places: sharedNumbers(0) };
  const parts = [ofBase, ...(overlay?.segments ?? [])].map((part) => ({ part, found: [] as number[], precede: 0 }));
  for (const key of sortKeys(names)) {
    let count = 0;
    for (const of of parts) {
      const { index, live } = of.part;
      const doc = countBefore(index, key, of.precede);
      of.precede = doc;
      if (doc === index.entities || compareWithKey(index, doc, key) !== 0 || !has(live, doc)) continue;
      of.found.push(doc);
      count++;
    }
    if (count !== 1) throw new RebuildNeeded(describeMismatch(key, count));
  }
  // A part without changes keeps its object, because a copy takes one bit per document.
  return parts.map(({ part, found }) => (found.length === 0 ? part : { ...part, live: hide(part.live, found) }));
}

/** The keys of the entities that had a name, in document order. */
function sortKeys(names: ReadonlyMap<string, string | null>): DocumentKey[] {
  const keys = Array.from(names, ([id, name]) => (name === null ? [] : createKey(name, parseId(id)))).flat();
  return keys.sort(
    (a, b) => Buffer.compare(a.folded, b.folded) || Buffer.compare(a.name, b.name) || Buffer.compare(a.id, b.id),
  );
}

function describeMismatch({ id, name }: DocumentKey, count: number): string {
  const [hex, text] = [Buffer.from(id).toString('hex'), Buffer.from(name).toString()];
  return `the index has ${count} versions of ${hex} named ${JSON.stringify(text)}`;
}

function parseId(id: string): Uint8Array {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** The ids of all live documents. */
function listIds({ index, live }: Pick<Segment, 'index' | 'live'>): string[] {
  return Array.from(
    countUp(index.entities).filter((doc) => has(live, doc)),
    (doc) => formatId(index.arrays, doc),
  );
}

/**
 * Finds, for each document of a new segment, the number of documents of the base or of an older segment that precede the document. Throws
 * `RebuildNeeded` if an entity is live in both.
 */
export function findPlaces(
  { index, live }: Pick<Segment, 'index' | 'live'>,
  added: SearchIndex,
): Uint32Array<SharedArrayBuffer> {
  const places = sharedNumbers(added.entities);
  let place = 0;
  for (let doc = 0; doc < places.length; doc++) {
    const key = readKey(added, doc);
    place = countBefore(index, key, place);
    places[doc] = place;
    const isSame = place < index.entities && compareWithKey(index, place, key) === 0;
    if (isSame && has(live, place)) throw new RebuildNeeded('the index has a live version of an added entity');
  }
  return places;
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
