import { hash } from 'node:crypto';
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises';
import { endianness } from 'node:os';
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
  readonly type: keyof typeof ELEMENTS;
  readonly length: number;
  readonly checksum: number;
}

/** The types of the elements of arrays. */
const ELEMENTS = { Uint8Array, Uint16Array, Uint32Array, Float64Array };

const MAGIC = 'FIRMARRY';

/**
 * The format is derived from the names and types of all parts and from the tables of classifications, so that a file with other columns or
 * codes is never loaded. Raise the number when a part keeps its name and type but its content means something else.
 */
const FORMAT = describeFormat({ ...indexParts, classifications: tablesVersion }, 1);

export function describeFormat(parts: typeof indexParts, meaning: number): string {
  const described = JSON.stringify([endianness(), ...Object.entries(parts).sort()]);
  return `${meaning}-${hash('sha256', described).slice(0, 16)}`;
}

/** Another process that saves at the same time would damage the file, which its checksums show. */
export async function saveIndex(file: string, { version, entities, texts, arrays }: SearchIndex): Promise<void> {
  const parts = Object.keys(arrayTypes).map((name) => {
    const array = arrays[name as keyof IndexArrays];
    const bytes = new Uint8Array(array.buffer);
    const type = array.constructor.name;
    return { header: { name, type, length: array.length, checksum: computeChecksum(bytes) }, bytes };
  });
  // In JSON, the texts become strings: see `TextList.toJSON`.
  const header = { format: FORMAT, version, entities, texts, arrays: parts.map((part) => part.header) };
  const text = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(16);
  start.write(MAGIC);
  start.writeUInt32LE(text.length, 8);
  start.writeUInt32LE(crc32(text), 12);

  const temporary = `${file}.tmp`;
  try {
    await writeFile(temporary, [start, text, ...parts.map(({ bytes }) => bytes)], { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The index in the file, if the file is complete. */
export async function loadIndex(file: string): Promise<SearchIndex | undefined> {
  try {
    await using handle = await open(file);
    const header = await readHeader(handle);
    if (header === undefined) return undefined;
    const { version, entities } = header;
    const loaded: Record<string, Narrow | Offsets> = {};
    for (const { name, type, length, checksum } of header.arrays) {
      const Elements = ELEMENTS[type] as Uint8ArrayConstructor;
      const array: Narrow = new Elements(new SharedArrayBuffer(length * Elements.BYTES_PER_ELEMENT));
      const bytes = new Uint8Array(array.buffer);
      if (!(await readAll(handle, bytes)) || computeChecksum(bytes) !== checksum) return undefined;
      loaded[name] = array;
    }
    const arrays = loaded as unknown as IndexArrays;
    return { version, entities, texts: createTexts(header.texts, TextList.from), arrays, bytes: countBytes(arrays) };
  } catch {
    // No file, a disk error, or a folder with that name.
    return undefined;
  }
}

async function readHeader(handle: FileHandle): Promise<Header | undefined> {
  const start = Buffer.alloc(16);
  if (!(await readAll(handle, start)) || start.toString('latin1', 0, 8) !== MAGIC) return undefined;
  const length = start.readUInt32LE(8);
  // If the length is damaged, no more memory than the size of the file must be allocated.
  if (length > (await handle.stat()).size) return undefined;
  const text = Buffer.alloc(length);
  if (!(await readAll(handle, text)) || crc32(text) !== start.readUInt32LE(12)) return undefined;
  const header: Header = JSON.parse(text.toString());
  return header.format === FORMAT ? header : undefined;
}

/** The maximum for one call: Node reads less than 2 GB per call. */
const MAX_CALL = 1 << 30;

/** Computes the checksum in parts, because one call of `crc32` reads the length modulo 2^32 and would leave out most of a longer array. */
export function computeChecksum(bytes: Uint8Array): number {
  let checksum = 0;
  for (let done = 0; done < bytes.length; done += MAX_CALL) {
    checksum = crc32(bytes.subarray(done, done + MAX_CALL), checksum);
  }
  return checksum;
}

async function readAll(handle: FileHandle, bytes: Uint8Array): Promise<boolean> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, done, Math.min(MAX_CALL, bytes.length - done));
    if (bytesRead === 0) return false;
    done += bytesRead;
  }
  return true;
}
