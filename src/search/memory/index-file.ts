import { hash } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import {
  arrayTypes,
  countBytes,
  type IndexArrays,
  type IndexTexts,
  indexParts,
  type SearchIndex,
} from './search-index.ts';

/**
 * The index as a file, so that a restart loads it instead of building it: a header that describes what follows, then
 * every array as it is in memory. Header and arrays have checksums. The file is written next to the previous one and
 * renamed, so that there is always a complete one. A file with another format or other data, truncated or damaged, is
 * not loaded: the caller gets undefined and builds the index.
 */
const MAGIC = 'FIRMINDX';

/**
 * Derived from the names and types of all parts, so that a file with another set of columns is never loaded. Raise the
 * number when a part keeps its name and type but its content means something else.
 */
const FORMAT = describeFormat(indexParts, 1);

export function describeFormat(parts: typeof indexParts, meaning: number): string {
  return `${meaning}-${hash('sha256', JSON.stringify(Object.entries(parts).sort())).slice(0, 16)}`;
}

interface Header {
  readonly format: string;
  readonly endianness: string;
  readonly version: string;
  readonly entities: number;
  readonly texts: IndexTexts;
  readonly arrays: readonly ArrayHeader[];
}

interface ArrayHeader {
  readonly name: string;
  readonly bytesEach: 1 | 2 | 4;
  readonly length: number;
  readonly checksum: number;
}

export async function saveIndex(file: string, { version, entities, texts, arrays }: SearchIndex): Promise<void> {
  const parts = Object.keys(arrayTypes).map((name) => {
    const array = arrays[name as keyof IndexArrays];
    const bytes = new Uint8Array(array.buffer);
    const bytesEach = array.BYTES_PER_ELEMENT as ArrayHeader['bytesEach'];
    return { header: { name, bytesEach, length: array.length, checksum: crc32(bytes) }, bytes };
  });
  const header: Header = {
    format: FORMAT,
    endianness,
    version,
    entities,
    texts,
    arrays: parts.map((part) => part.header),
  };
  const text = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(16);
  start.write(MAGIC);
  start.writeUInt32LE(text.length, 8);
  start.writeUInt32LE(crc32(text), 12);

  await removeLeftovers(file);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const handle = await open(temporary, 'w', 0o600);
    try {
      for (const bytes of [start, text, ...parts.map((part) => part.bytes)]) await writeAll(handle, bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes the incomplete files of processes that were killed while saving. */
async function removeLeftovers(file: string): Promise<void> {
  for (const name of await readdir(dirname(file))) {
    const [, pid] = (name.startsWith(`${basename(file)}.`) && /\.(\d+)\.tmp$/.exec(name)) || [];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(dirname(file), name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The index in the file, if it is complete and was built from this version of the data. */
export async function loadIndex(file: string, version: string): Promise<SearchIndex | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    return await readIndex(handle, version);
  } catch {
    // A disk error, or a folder with that name. The index can be built instead.
    return undefined;
  } finally {
    await handle.close();
  }
}

async function readIndex(handle: Handle, version: string): Promise<SearchIndex | undefined> {
  const header = await readHeader(handle);
  if (header?.version !== version) return undefined;
  const arrays: Record<string, unknown> = {};
  for (const { name, bytesEach, length, checksum } of header.arrays) {
    const bytes = new Uint8Array(new SharedArrayBuffer(length * bytesEach));
    if (!(await readAll(handle, bytes)) || crc32(bytes) !== checksum) return undefined;
    arrays[name] = viewOf(bytes.buffer, bytesEach);
  }
  const { entities, texts } = header;
  const complete = arrays as unknown as IndexArrays;
  return { version, entities, texts, arrays: complete, bytes: countBytes(complete) };
}

type Handle = Awaited<ReturnType<typeof open>>;

const endianness = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 'little' : 'big';

async function readHeader(handle: Handle): Promise<Header | undefined> {
  const start = new Uint8Array(16);
  if (!(await readAll(handle, start))) return undefined;
  const view = new DataView(start.buffer);
  if (Buffer.from(start).toString('latin1', 0, 8) !== MAGIC) return undefined;
  const length = view.getUint32(8, true);
  // A damaged length must not allocate more memory than the file can fill.
  if (length > (await handle.stat()).size) return undefined;
  const text = new Uint8Array(length);
  if (!(await readAll(handle, text)) || crc32(text) !== view.getUint32(12, true)) return undefined;
  const header: Header = JSON.parse(Buffer.from(text).toString());
  return header.format === FORMAT && header.endianness === endianness ? header : undefined;
}

/** One read or write call transfers less than 2 GB. */
const MAX_TRANSFER = 1 << 30;

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

function viewOf(buffer: SharedArrayBuffer, bytesEach: ArrayHeader['bytesEach']): IndexArrays[keyof IndexArrays] {
  if (bytesEach === 1) return new Uint8Array(buffer);
  return bytesEach === 2 ? new Uint16Array(buffer) : new Uint32Array(buffer);
}

async function syncFolder(folder: string): Promise<void> {
  // Some file systems cannot sync a folder. The file itself is synced already.
  const handle = await open(folder).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
