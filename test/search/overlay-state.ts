import { hash } from 'node:crypto';
import { fold } from '../../src/base/fold.ts';
import { toStorable } from '../../src/base/storable.ts';
import { indexChunks } from '../../src/search/memory/build/build.ts';
import { rowColumns } from '../../src/search/memory/build/chunk.ts';
import { hide, type IndexState, type LiveDocs, showAll } from '../../src/search/memory/overlay.ts';
import type { SearchIndex } from '../../src/search/memory/search-index.ts';
import { findPlaces } from '../../src/search/memory/update/update.ts';

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
  const segments = (overlay?.segments ?? []).map((one) => ({ ...one, live: hideOutdated(one.index, one.live) }));
  const live = hideOutdated(base, overlay?.live ?? showAll(base.entities));
  const added = {
    index: segment,
    live: showAll(segment.entities),
    places: findPlaces({ index: base, live }, segment),
  };
  return { version: segment.version, base, overlay: { live, segments: [...segments, added] } };
}

function idsOf({ arrays, entities }: SearchIndex): string[] {
  const hex = Buffer.from(arrays['summary.id']).toString('hex');
  return Array.from({ length: entities }, (_, doc) => {
    const id = hex.slice(doc * 32, (doc + 1) * 32);
    return [id.slice(0, 8), id.slice(8, 12), id.slice(12, 16), id.slice(16, 20), id.slice(20)].join('-');
  });
}

/** An entity of which only the place in the order of results matters. */
export interface NamedRow {
  readonly name: string;
  readonly id: string;
}

/** The id depends on the seed alone, so that two rows can have the same one. */
export function nameRow(name: string, seed: number): NamedRow {
  const hex = hash('sha1', String(seed)).slice(0, 32);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return { name: toStorable(name), id: parts.join('-') };
}

/** An index of rows, without a store. */
export function indexNames(rows: readonly NamedRow[], version = '1-0', threshold?: number): Promise<SearchIndex> {
  return indexChunks(version, chunksOf(rows), threshold);
}

async function* chunksOf(rows: readonly NamedRow[]): AsyncGenerator<Uint8Array> {
  for (const { name, id } of rows) {
    const known: Record<string, string> = {
      id,
      canonical_name: name,
      name_key: toStorable(fold(name)),
      updated_at: '0',
    };
    yield Buffer.from(rowColumns.map((column) => `${known[column] ?? ''}\0`).join(''));
  }
}
