import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tablesVersion } from '../../classifications/isic.ts';
import { type FileArray, readArrays, removeLeftovers, writeArrays } from './array-file.ts';
import { hide, type IndexState, type LiveDocs, type Overlay, showAll, withoutOverlay } from './overlay.ts';
import {
  arrayTypes,
  countBytes,
  createTexts,
  type IndexArrays,
  indexParts,
  type SearchIndex,
  type Strings,
  type TextsAs,
} from './search-index.ts';
import { has } from './sets.ts';
import { shareNumbers, TextList } from './shared-arrays.ts';
import { layOutOverlay, type SegmentDocs, takeSegments } from './update/layout.ts';

/**
 * The index as a file (`array-file.ts`), so that a restart loads it instead of building it.
 *
 * The format is derived from the names and types of all parts, so that a file with another set of columns is never
 * loaded; nor is one with codes of other tables of classifications. Raise the number when a part keeps its name and type but its content means something else.
 */
const FORMAT = describeFormat({ ...indexParts, classifications: tablesVersion }, 1);

export function describeFormat(parts: typeof indexParts, meaning: number): string {
  return `${meaning}-${hash('sha256', JSON.stringify(Object.entries(parts).sort())).slice(0, 16)}`;
}

interface Description {
  readonly version: string;
  readonly entities: number;
  readonly texts: TextsAs<Strings>;
}

export async function saveIndex(file: string, { version, entities, texts, arrays }: SearchIndex): Promise<void> {
  const named = Object.keys(arrayTypes).map((name) => [name, arrays[name as keyof IndexArrays]] as const);
  // As JSON, the texts are strings.
  const description = { version, entities, texts };
  await writeArrays(file, FORMAT, { description, arrays: Object.fromEntries(named) });
}

/** The index in the file, if it is complete and, if a version is given, was built from that version of the data. */
export async function loadIndex(file: string, version?: string): Promise<SearchIndex | undefined> {
  const isWanted = (found: Description) => version === undefined || found.version === version;
  const content = await readArrays<Description>(file, FORMAT, isWanted);
  if (content === undefined) return undefined;
  const arrays = content.arrays as unknown as IndexArrays;
  const texts = createTexts(content.description.texts, TextList.from);
  return { ...content.description, texts, arrays, bytes: countBytes(arrays) };
}

/**
 * The overlay as files, beside that of the base: one per segment, written once, and `search.overlay`, which names them
 * and is replaced after every update. It is written last and by renaming, so at any moment it describes complete files:
 * either all of an overlay is loaded or nothing. Without an overlay, the journal is read from the version of the base.
 */
const OVERLAY = 'search.overlay';
const SEGMENT = 'search.segment-';
/** Unfinished files with this prefix are removed. This includes those of a base, which may be as large as the index. */
const LEFTOVER = 'search.';

/** Raise the number when the meaning of the content changes, so that older files are not loaded. */
const OVERLAY_FORMAT = 'overlay-1';

interface OverlayDescription {
  readonly version: string;
  readonly base: IndexName;
  readonly segments: readonly (IndexName & { readonly file: string })[];
}

/** The documents of a version of the data have the same numbers in every index that is built from it. */
interface IndexName {
  readonly version: string;
  readonly entities: number;
}

/** Saves the overlay. `file` is the file of the base, which is saved separately. */
export async function saveOverlay(file: string, { version, base, overlay }: IndexState): Promise<void> {
  const folder = dirname(file);
  if (overlay === undefined) {
    await rm(join(folder, OVERLAY), { force: true });
    return removeSegments(folder, []);
  }
  const segments = overlay.segments.map(({ index }) => ({ ...nameOf(index), file: fileOf(index) }));
  for (const { index } of overlay.segments) {
    const path = join(folder, fileOf(index));
    if (!existsSync(path)) await saveIndex(path, index);
  }
  const description: OverlayDescription = { version, base: nameOf(base), segments };
  await writeArrays(join(folder, OVERLAY), OVERLAY_FORMAT, { description, arrays: listArrays(base, overlay) });
  const kept = segments.map((segment) => segment.file);
  await removeSegments(folder, kept);
}

/** The state that was saved last, as far as its files are complete; undefined without a base. */
export async function loadState(file: string): Promise<IndexState | undefined> {
  const base = await loadIndex(file);
  if (base === undefined) return undefined;
  return (await loadOverlay(dirname(file), base)) ?? withoutOverlay(base);
}

async function loadOverlay(folder: string, base: SearchIndex): Promise<IndexState | undefined> {
  const isWanted = (found: OverlayDescription) => isSame(found.base, base);
  const content = await readArrays<OverlayDescription>(join(folder, OVERLAY), OVERLAY_FORMAT, isWanted);
  if (content === undefined) return undefined;
  const { description } = content;
  const numbers = (name: string) => content.arrays[name] as Uint32Array;
  const segments: SegmentDocs[] = [];
  for (const [at, { file, ...name }] of description.segments.entries()) {
    const index = await loadIndex(join(folder, file), name.version);
    if (index === undefined || !isSame(name, index)) {
      // Otherwise the damaged file would be taken for one that need not be saved again.
      await rm(join(folder, file), { force: true });
      return undefined;
    }
    const live = hide(showAll(index.entities), numbers(`hidden.${at}`));
    segments.push({ index, live, places: numbers(`places.${at}`) });
  }
  const live = hide(showAll(base.entities), numbers('hidden'));
  return { version: description.version, base, overlay: layOutOverlay(live, segments) };
}

function listArrays(base: SearchIndex, overlay: Overlay): Record<string, FileArray> {
  const arrays: Record<string, FileArray> = { hidden: listHidden(base, overlay.live) };
  for (const [at, { index, live, places }] of takeSegments(overlay).entries()) {
    arrays[`hidden.${at}`] = listHidden(index, live);
    arrays[`places.${at}`] = shareNumbers(places);
  }
  return arrays;
}

function listHidden({ entities }: SearchIndex, live: LiveDocs): FileArray {
  const hidden = new Uint32Array(entities - live.size);
  for (let doc = 0, found = 0; found < hidden.length; doc++) if (!has(live, doc)) hidden[found++] = doc;
  return shareNumbers(hidden);
}

const nameOf = ({ version, entities }: SearchIndex): IndexName => ({ version, entities });

function isSame(name: IndexName, { version, entities }: SearchIndex): boolean {
  return name.version === version && name.entities === entities;
}

const files = new WeakMap<SearchIndex, string>();

/** The name of a segment's file. The version of the data and the ids of its entities determine what a segment contains. */
function fileOf(index: SearchIndex): string {
  return files.getOrInsertComputed(index, ({ version, arrays }) => {
    return `${SEGMENT}${version}-${hash('sha256', arrays['summary.id']).slice(0, 16)}`;
  });
}

async function removeSegments(folder: string, kept: readonly string[]): Promise<void> {
  for (const name of await readdir(folder)) {
    const isUnused = name.startsWith(SEGMENT) && !name.endsWith('.tmp') && !kept.includes(name);
    if (isUnused) await rm(join(folder, name), { force: true });
  }
  await removeLeftovers(folder, LEFTOVER);
}
