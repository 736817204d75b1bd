import { hash } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { tablesVersion } from '../../registers/classifications/isic.ts';
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
import { type Narrow, type Offsets, TextList } from './shared-arrays.ts';

/**
 * The index as a file, so that a restart loads it instead of building it: a header that describes the index, then every array as it is in
 * memory. Header and arrays have checksums. A file is written beside the previous file and renamed, so that there is always a complete
 * file. For a file that is truncated, damaged or of another format, the caller gets undefined and builds the index.
 */
interface Header {
  readonly format: string;
  readonly version: string;
  readonly entities: number;
  readonly texts: TextsAs<Strings>;
  readonly arrays: readonly ArrayHeader[];
}

interface ArrayHeader {
  readonly name: string;
  readonly bytesEach: 1 | 2 | 4 | 8;
  readonly length: number;
  readonly checksum: number;
}

const MAGIC = 'FIRMARRY';

/**
 * The format is derived from the names and types of all parts and from the tables of classifications, so that a file with other columns or
 * codes is never loaded. Raise the number when a part keeps its name and type but its content means something else.
 */
const FORMAT = describeFormat({ ...indexParts, classifications: tablesVersion }, 1);

export function describeFormat(parts: typeof indexParts, meaning: number): string {
  const endianness = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 'little' : 'big';
  return `${meaning}-${hash('sha256', JSON.stringify([endianness, ...Object.entries(parts).sort()])).slice(0, 16)}`;
}

export async function saveIndex(file: string, { version, entities, texts, arrays }: SearchIndex): Promise<void> {
  const parts = Object.keys(arrayTypes).map((name) => {
    const array = arrays[name as keyof IndexArrays];
    const bytes = new Uint8Array(array.buffer);
    const bytesEach = array.BYTES_PER_ELEMENT as ArrayHeader['bytesEach'];
    return { header: { name, bytesEach, length: array.length, checksum: computeChecksum(bytes) }, bytes };
  });
  // In JSON, the texts become strings: see `TextList.toJSON`.
  const header = { format: FORMAT, version, entities, texts, arrays: parts.map((part) => part.header) };
  const text = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(16);
  start.write(MAGIC);
  start.writeUInt32LE(text.length, 8);
  start.writeUInt32LE(crc32(text), 12);

  await removeLeftovers(file);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    {
      await using handle = await open(temporary, 'w', 0o600);
      for (const bytes of [start, text, ...parts.map((part) => part.bytes)]) await writeAll(handle, bytes);
      await handle.sync();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes incomplete files whose processes were killed while saving. */
async function removeLeftovers(file: string): Promise<void> {
  for (const name of await readdir(dirname(file))) {
    const [, pid] = (name.startsWith(`${basename(file)}.`) && TEMPORARY.exec(name)) || [];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(dirname(file), name), { force: true });
  }
}

const TEMPORARY = /\.(\d+)\.tmp$/;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    return Reflect.get(Object(error), 'code') === 'EPERM';
  }
}

/** The index in the file, if it is complete and, if a version is given, was built from that version of the data. */
export async function loadIndex(file: string, wanted?: string): Promise<SearchIndex | undefined> {
  try {
    await using handle = await open(file);
    const header = await readHeader(handle);
    if (header === undefined || (wanted !== undefined && header.version !== wanted)) return undefined;
    const loaded: Record<string, Narrow | Offsets> = {};
    for (const { name, bytesEach, length, checksum } of header.arrays) {
      const bytes = new Uint8Array(new SharedArrayBuffer(length * bytesEach));
      if (!(await readAll(handle, bytes)) || computeChecksum(bytes) !== checksum) return undefined;
      loaded[name] = viewOf(bytes.buffer, bytesEach);
    }
    const arrays = loaded as unknown as IndexArrays;
    const { version, entities } = header;
    return { version, entities, texts: createTexts(header.texts, TextList.from), arrays, bytes: countBytes(arrays) };
  } catch {
    // No file, a disk error, or a folder with that name.
    return undefined;
  }
}

type Handle = Awaited<ReturnType<typeof open>>;

async function readHeader(handle: Handle): Promise<Header | undefined> {
  const start = new Uint8Array(16);
  if (!(await readAll(handle, start))) return undefined;
  const view = new DataView(start.buffer);
  if (Buffer.from(start).toString('latin1', 0, 8) !== MAGIC) return undefined;
  const length = view.getUint32(8, true);
  // If the length is damaged, no more memory than the size of the file must be allocated.
  if (length > (await handle.stat()).size) return undefined;
  const text = new Uint8Array(length);
  if (!(await readAll(handle, text)) || crc32(text) !== view.getUint32(12, true)) return undefined;
  const header: Header = JSON.parse(Buffer.from(text).toString());
  return header.format === FORMAT ? header : undefined;
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

function viewOf(buffer: SharedArrayBuffer, bytesEach: ArrayHeader['bytesEach']): Narrow | Offsets {
  if (bytesEach === 1) return new Uint8Array(buffer);
  if (bytesEach === 2) return new Uint16Array(buffer);
  return bytesEach === 4 ? new Uint32Array(buffer) : new Float64Array(buffer);
}
