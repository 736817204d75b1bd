import type { Snapshot } from '../../../db/db.ts';
import { dumpEntities } from '../../store.ts';
import { indexChunks } from '../build/build.ts';
import { rowColumns } from '../build/chunk.ts';
import type { IndexState, LiveDocs } from '../overlay.ts';
import { readChangesSince } from './changes.ts';
import { type DocsOfParts, findDocuments, listIds } from './find-documents.ts';
import { findPlaces, layOutOverlay, type SegmentDocs, takeSegments } from './layout.ts';
import { hide, showAll } from './live-docs.ts';
import { planCompaction, planUpdate } from './merge-policy.ts';
import { RebuildNeeded } from './rebuild-needed.ts';

/**
 * Brings an index up to date by the journal. This folder owns the overlay (`../overlay.ts`): its layout and how it follows
 * the data. It does not own when that happens, nor the file. The steps, in order:
 *
 * 1. `changes.ts` reads from the journal which entities have changed, and what they were called before.
 * 2. `find-documents.ts` finds their documents by these names (`document-order.ts`), and `live-docs.ts` hides them.
 * 3. `merge-policy.ts` chooses the segments that are built again, so that there are always few.
 * 4. `../build/` builds a segment from the present rows of the changed entities and those of the chosen segments.
 * 5. `layout.ts` puts the documents of all segments in the order of results.
 *
 * All of this reads one snapshot, so the new state is exactly the data of its version. The old state does not change;
 * queries can be reading it. Throws `RebuildNeeded` if the index has to be rebuilt.
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

export interface UpdateOptions {
  /** Merges more segments, for which there is no time while an import waits to be served. */
  readonly compact?: boolean;
  /** Called with the number of entities that have changed. */
  readonly onChanges?: (entities: number) => void;
  /** For tests: which segments to keep. */
  readonly plan?: ((sizes: readonly number[], added: number) => number) | undefined;
  /** For tests: see `THRESHOLD`. */
  readonly threshold?: number;
}

/**
 * Fragments with fewer documents than this have no stored set in a segment: uniting their lists takes a microsecond. With 1,024 it took
 * ten in a segment of 2,300 documents, which is built as fast with 256; with 64, building takes a fifth longer.
 */
const THRESHOLD = 256;

/** Whether an update with `compact` would merge segments. */
export function needsCompaction({ overlay }: IndexState): boolean {
  const sizes = overlay?.segments.map(({ live }) => live.size) ?? [];
  return planCompaction(sizes) < sizes.length;
}

/** Beyond this, a new index takes hardly longer than an overlay. */
function limitChanges(entities: number): number {
  return Math.max(100_000, Math.floor(entities / 10));
}

/** The same object if nothing is hidden: a copy takes a bit per document of the base. */
function hideSome(live: LiveDocs, docs: readonly number[]): LiveDocs {
  return docs.length === 0 ? live : hide(live, docs);
}

/** Segments without live documents are dropped. */
function hideInSegments(segments: readonly SegmentDocs[], hidden: DocsOfParts): SegmentDocs[] {
  return segments
    .map((segment, at) => ({ ...segment, live: hideSome(segment.live, hidden[at] ?? []) }))
    .filter(({ live }) => live.size > 0);
}
