import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { isRunning } from '../../base/system/lock.ts';
import { tablesVersion } from '../../registers/classifications/isic.ts';
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
import { type Narrow, type Offsets, shareNumbers, TextList } from './shared-arrays.ts';
import { layOutOverlay, type SegmentDocs, takeSegments } from './update/layout.ts';

const endianness = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 'little' : 'big';

/**
 * The index as a file, so that a restart loads it instead of building it.
 *
 * The format is derived from the names and types of all parts and from the tables of classifications, so that a file with other columns or
 * codes is never loaded. Raise the number when a part keeps its name and type but its content means something else.
 */
const FORMAT = describeFormat({ ...indexParts, classifications: tablesVersion }, 1);

export function describeFormat(parts: typeof indexParts, meaning: number): string {
  return `${meaning}-${hash('sha256', JSON.stringify([endianness, ...Object.entries(parts).sort()])).slice(0, 16)}`;
}

interface Description {
  readonly version: string;
  readonly entities: number;
  readonly texts: TextsAs<Strings>;
}

export async function saveIndex(file: string, { version, entities, texts, arrays }: SearchIndex): Promise<void> {
  const named = Object.keys(arrayTypes).map((name) => [name, arrays[name as keyof IndexArrays]] as const);
  // In JSON, the texts become strings: see `TextList.toJSON`.
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
 * The overlay as files, beside the file of the base: one file per segment, written once, and `search.overlay`, which names these files
 * and is replaced after every update. `search.overlay` is written last and by renaming, so it always describes complete files: either
 * the whole overlay is loaded or nothing. Without an overlay, the journal is read from the version of the base.
 */
const OVERLAY = 'search.overlay';
const SEGMENT = 'search.segment-';
/** Unfinished files with this prefix are removed. They include files of a base, which may be as large as the index. */
const LEFTOVER = 'search.';

/** Raise the number when the meaning of the content changes, so that older files are not loaded. */
const OVERLAY_FORMAT = `overlay-2-${endianness}`;

interface OverlayDescription {
  readonly version: string;
  readonly base: string;
  readonly segments: readonly { readonly name: string; readonly file: string }[];
}

/** Two indexes with this name have equal document numbers: they are built from one version of the data and have equally many documents. */
const nameOf = ({ version, entities }: Pick<SearchIndex, 'version' | 'entities'>) => `${version} ${entities}`;

/** Saves the overlay. `file` is the file of the base, which is saved separately. */
export async function saveOverlay(file: string, { version, base, overlay }: IndexState): Promise<void> {
  const folder = dirname(file);
  if (overlay === undefined) {
    await rm(join(folder, OVERLAY), { force: true });
    return removeSegments(folder, []);
  }
  const segments = overlay.segments.map(({ index }) => ({ name: nameOf(index), file: fileOf(index) }));
  for (const { index } of overlay.segments) {
    const path = join(folder, fileOf(index));
    if (!existsSync(path)) await saveIndex(path, index);
  }
  const description: OverlayDescription = { version, base: nameOf(base), segments };
  await writeArrays(join(folder, OVERLAY), OVERLAY_FORMAT, { description, arrays: listArrays(base, overlay) });
  const kept = segments.map((segment) => segment.file);
  await removeSegments(folder, kept);
}

/** The state that was saved last; without the overlay if its files are incomplete, and undefined without a base. */
export async function loadState(file: string): Promise<IndexState | undefined> {
  const base = await loadIndex(file);
  if (base === undefined) return undefined;
  return (await loadOverlay(dirname(file), base)) ?? withoutOverlay(base);
}

async function loadOverlay(folder: string, base: SearchIndex): Promise<IndexState | undefined> {
  const isWanted = (found: OverlayDescription) => found.base === nameOf(base);
  const content = await readArrays<OverlayDescription>(join(folder, OVERLAY), OVERLAY_FORMAT, isWanted);
  if (content === undefined) return undefined;
  const { description } = content;
  const numbers = (name: string) => content.arrays[name] as Uint32Array;
  const segments: SegmentDocs[] = [];
  for (const [at, { file, name }] of description.segments.entries()) {
    const index = await loadIndex(join(folder, file));
    if (index === undefined || nameOf(index) !== name) {
      // Otherwise the next save would keep the damaged file, because a file with this name exists.
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

/** The name of a segment's file. The version of the data and the ids of its entities determine what a segment contains. */
function fileOf({ version, arrays }: SearchIndex): string {
  return `${SEGMENT}${version}-${hash('sha256', arrays['summary.id']).slice(0, 16)}`;
}

async function removeSegments(folder: string, kept: readonly string[]): Promise<void> {
  for (const name of await readdir(folder)) {
    const isUnused = name.startsWith(SEGMENT) && !name.endsWith('.tmp') && !kept.includes(name);
    if (isUnused) await rm(join(folder, name), { force: true });
  }
  await removeLeftovers(folder, LEFTOVER);
}

/**
 * Typed arrays as a file: a header that describes the arrays, then every array as it is in memory. Header and arrays have
 * checksums. A file is written beside the previous file and renamed, so that there is always a complete file. For a file that
 * is truncated, damaged or of another format, the caller gets undefined and makes the content again.
 */
type FileArray = Narrow | Offsets;

/** Named arrays, and a description that can be any JSON value. */
interface FileContent<Description> {
  readonly description: Description;
  readonly arrays: Readonly<Record<string, FileArray>>;
}

const MAGIC = 'FIRMARRY';

interface Header<Description> {
  readonly format: string;
  readonly description: Description;
  readonly arrays: readonly ArrayHeader[];
}

interface ArrayHeader {
  readonly name: string;
  readonly bytesEach: 1 | 2 | 4 | 8;
  readonly length: number;
  readonly checksum: number;
}

async function writeArrays<D>(file: string, format: string, { description, arrays }: FileContent<D>): Promise<void> {
  const parts = Object.entries(arrays).map(([name, array]) => {
    const bytes = new Uint8Array(array.buffer);
    const bytesEach = array.BYTES_PER_ELEMENT as ArrayHeader['bytesEach'];
    return { header: { name, bytesEach, length: array.length, checksum: computeChecksum(bytes) }, bytes };
  });
  const header: Header<D> = { format, description, arrays: parts.map((part) => part.header) };
  const text = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(16);
  start.write(MAGIC);
  start.writeUInt32LE(text.length, 8);
  start.writeUInt32LE(crc32(text), 12);

  await removeLeftovers(dirname(file), `${basename(file)}.`);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    {
      await using handle = await open(temporary, 'w', 0o600);
      for (const bytes of [start, text, ...parts.map((part) => part.bytes)]) await writeAll(handle, bytes);
      await handle.sync();
    }
    await rename(temporary, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes incomplete files whose names begin with `start` and whose processes were killed while saving. */
async function removeLeftovers(folder: string, start: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = (name.startsWith(start) && TEMPORARY.exec(name)) || [];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

const TEMPORARY = /\.(\d+)\.tmp$/;

/** The content of the file, if it is complete, has this format and `isWanted` accepts its description. */
async function readArrays<D>(
  file: string,
  format: string,
  isWanted: (description: D) => boolean = () => true,
): Promise<FileContent<D> | undefined> {
  try {
    await using handle = await open(file);
    const header = await readHeader<D>(handle, format);
    if (header === undefined || !isWanted(header.description)) return undefined;
    const arrays: Record<string, FileArray> = {};
    for (const { name, bytesEach, length, checksum } of header.arrays) {
      const bytes = new Uint8Array(new SharedArrayBuffer(length * bytesEach));
      if (!(await readAll(handle, bytes)) || computeChecksum(bytes) !== checksum) return undefined;
      arrays[name] = viewOf(bytes.buffer, bytesEach);
    }
    return { description: header.description, arrays };
  } catch {
    // No file, a disk error, or a folder with that name.
    return undefined;
  }
}

type Handle = Awaited<ReturnType<typeof open>>;

async function readHeader<D>(handle: Handle, format: string): Promise<Header<D> | undefined> {
  const start = new Uint8Array(16);
  if (!(await readAll(handle, start))) return undefined;
  const view = new DataView(start.buffer);
  if (Buffer.from(start).toString('latin1', 0, 8) !== MAGIC) return undefined;
  const length = view.getUint32(8, true);
  // If the length is damaged, no more memory than the size of the file must be allocated.
  if (length > (await handle.stat()).size) return undefined;
  const text = new Uint8Array(length);
  if (!(await readAll(handle, text)) || crc32(text) !== view.getUint32(12, true)) return undefined;
  const header: Header<D> = JSON.parse(Buffer.from(text).toString());
  return header.format === format ? header : undefined;
}

/** The maximum for one read or write call: Node transfers less than 2 GB per call. */
const MAX_TRANSFER = 1 << 30;

/** Computes the checksum in parts, because one call of `crc32` reads the length modulo 2^32 and would leave out most of a longer array. */
export function computeChecksum(bytes: Uint8Array): number {
  let checksum = 0;
  for (let done = 0; done < bytes.length; done += MAX_TRANSFER) {
    checksum = crc32(bytes.subarray(done, done + MAX_TRANSFER), checksum);
  }
  return checksum;
}

async function readAll(handle: Handle, bytes: Uint8Array): Promise<boolean> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, done, Math.min(MAX_TRANSFER, bytes.length - done));
    if (bytesRead === 0) return false;
    done += bytesRead;
  }
  return true;
}

async function writeAll(handle: Handle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await handle.write(bytes, done, Math.min(MAX_TRANSFER, bytes.length - done))).bytesWritten;
  }
}

function viewOf(buffer: SharedArrayBuffer, bytesEach: ArrayHeader['bytesEach']): FileArray {
  if (bytesEach === 1) return new Uint8Array(buffer);
  if (bytesEach === 2) return new Uint16Array(buffer);
  return bytesEach === 4 ? new Uint32Array(buffer) : new Float64Array(buffer);
}

async function syncFolder(folder: string): Promise<void> {
  // Some file systems cannot sync a folder. The file itself is synced already.
  const handle = await open(folder).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
