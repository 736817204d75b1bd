import type { IndexState, LiveDocs } from '../../src/search/memory/overlay.ts';
import type { SearchIndex } from '../../src/search/memory/search-index.ts';
import { findPlaces, layOutOverlay, takeSegments } from '../../src/search/memory/update/layout.ts';
import { hide, showAll } from '../../src/search/memory/update/live-docs.ts';

/**
 * The state after a change: `segment` has the new versions of the entities that changed, and the entities in `removed`
 * are gone. Looks entities up by walking through all ids, which is too slow for anything but tests.
 */
export function applyChange(state: IndexState, segment: SearchIndex, removed: readonly string[]): IndexState {
  const { base, overlay } = state;
  const outdated = new Set([...idsOf(segment), ...removed]);
  const hideOutdated = (index: SearchIndex, live: LiveDocs) =>
    hide(
      live,
      idsOf(index).flatMap((id, doc) => (outdated.has(id) ? doc : [])),
    );
  const older = overlay === undefined ? [] : takeSegments(overlay);
  const segments = older.map((one) => ({ ...one, live: hideOutdated(one.index, one.live) }));
  const live = hideOutdated(base, overlay?.live ?? showAll(base.entities));
  const added = { index: segment, live: showAll(segment.entities), places: findPlaces(base, live, segment) };
  return { version: segment.version, base, overlay: layOutOverlay(live, [...segments, added]) };
}

function idsOf({ arrays, entities }: SearchIndex): string[] {
  const hex = Buffer.from(arrays['summary.id']).toString('hex');
  return Array.from({ length: entities }, (_, doc) => {
    const id = hex.slice(doc * 32, (doc + 1) * 32);
    return [id.slice(0, 8), id.slice(8, 12), id.slice(12, 16), id.slice(16, 20), id.slice(20)].join('-');
  });
}
