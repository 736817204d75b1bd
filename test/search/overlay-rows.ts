import { hash } from 'node:crypto';
import { fold } from '../../src/core/fold.ts';
import { toStorable } from '../../src/records/storable.ts';
import { indexChunks } from '../../src/search/memory/build/build.ts';
import { rowColumns } from '../../src/search/memory/build/chunk.ts';
import type { SearchIndex } from '../../src/search/memory/search-index.ts';

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
export function indexNames(rows: readonly NamedRow[], version = '1-0'): Promise<SearchIndex> {
  return indexChunks(version, chunksOf(rows));
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

/** The order of results, by definition: folded name, name and id, each by code point. */
export function compareNamed(a: NamedRow, b: NamedRow): number {
  const compare = (x: string, y: string) => Buffer.compare(Buffer.from(x), Buffer.from(y));
  return compare(fold(a.name), fold(b.name)) || compare(a.name, b.name) || compare(a.id, b.id);
}
