import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { isRunning } from '../../system/lock.ts';
import type { Narrow, Offsets } from './shared-arrays.ts';

/**
 * Typed arrays as a file: a header that describes what follows, then every array as it is in memory. Header and arrays
 * have checksums. A file is written beside the previous one and renamed, so that there is always a complete one. A file
 * with another format, truncated or damaged is not read: the caller gets undefined and makes the content again.
 */
export type FileArray = Narrow | Offsets;

/** Named arrays, and a description that can be any JSON value. */
export interface FileContent<Description> {
  readonly description: Description;
  readonly arrays: Readonly<Record<string, FileArray>>;
}

const MAGIC = 'FIRMARRY';
const endianness = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 'little' : 'big';

interface Header<Description> {
  readonly format: string;
  readonly endianness: string;
  readonly description: Description;
  readonly arrays: readonly ArrayHeader[];
}

interface ArrayHeader {
  readonly name: string;
  readonly bytesEach: 1 | 2 | 4 | 8;
  readonly length: number;
  readonly checksum: number;
}

export async function writeArrays<D>(
  file: string,
  format: string,
  { description, arrays }: FileContent<D>,
): Promise<void> {
  const parts = Object.entries(arrays).map(([name, array]) => {
    const bytes = new Uint8Array(array.buffer);
    const bytesEach = array.BYTES_PER_ELEMENT as ArrayHeader['bytesEach'];
    return { header: { name, bytesEach, length: array.length, checksum: computeChecksum(bytes) }, bytes };
  });
  const header: Header<D> = { format, endianness, description, arrays: parts.map((part) => part.header) };
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

/** Removes the incomplete files of processes that were killed while saving, if their names start like this. */
export async function removeLeftovers(folder: string, start: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = (name.startsWith(start) && TEMPORARY.exec(name)) || [];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

const TEMPORARY = /\.(\d+)\.tmp$/;

/** The content of the file, if it is complete, has this format and `isWanted` accepts its description. */
export async function readArrays<D>(
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
  // A damaged length must not allocate more memory than the file can fill.
  if (length > (await handle.stat()).size) return undefined;
  const text = new Uint8Array(length);
  if (!(await readAll(handle, text)) || crc32(text) !== view.getUint32(12, true)) return undefined;
  const header: Header<D> = JSON.parse(Buffer.from(text).toString());
  return header.format === format && header.endianness === endianness ? header : undefined;
}

/** One read or write call transfers less than 2 GB. */
const MAX_TRANSFER = 1 << 30;

/** In parts, because one call of `crc32` reads the length modulo 2^32 and would leave out most of a longer array. */
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
