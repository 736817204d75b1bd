import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { describeTooLarge, maxUnpacked } from './limits.ts';
import { describeDamage, FormatError } from './rows.ts';
import { openZip, type ZipArchive } from './zip.ts';

export interface PackedFile {
  readonly name: string;
  /** Compressed bytes, for progress display. */
  readonly size: number;
  /** The unpacked bytes. `onBytes` gets the number of compressed bytes read so far. */
  open(onBytes?: (count: number) => void): AsyncIterable<Uint8Array>;
}

export interface Package {
  readonly kind: 'plain' | 'zip' | 'gzip' | 'xlsx';
  /** Empty for a workbook: `openWorkbook` reads it. */
  readonly files: readonly PackedFile[];
  close(): Promise<void>;
}

/** Detects the packing by magic bytes: downloads are often renamed, so the file name says little. */
export async function openPackage(path: string): Promise<Package> {
  const name = basename(path);
  const { size } = await stat(path);
  if (size === 0) throw new FormatError(`${name} is empty: download it again`);
  const start = await readStart(path);
  if (isZip(start)) return packZip(path, await openZip(path));
  if (start[0] === 0x1f && start[1] === 0x8b) {
    return packOne('gzip', name.replace(/\.gz(ip)?$/i, ''), size, (onBytes) => readGzip(path, size, onBytes));
  }
  return packOne('plain', name, size, (onBytes) => readPlain(path, onBytes));
}

export async function readStart(path: string, bytes = 16): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}

/** A zip starts with its first entry or, when it is empty, with the end of its directory. */
function isZip(start: Buffer): boolean {
  return ['504b0304', '504b0506'].includes(start.toString('hex', 0, 4));
}

type Reader = (onBytes?: (count: number) => void) => AsyncIterable<Uint8Array>;

function packOne(kind: 'plain' | 'gzip', name: string, size: number, read: Reader): Package {
  return { kind, files: [{ name, size, open: read }], close: async () => {} };
}

function packZip(path: string, zip: ZipArchive): Package {
  const close = async () => zip.close();
  if (zip.entries.has('[Content_Types].xml') && zip.entries.has('xl/workbook.xml')) {
    return { kind: 'xlsx', files: [], close };
  }
  const files = [...zip.entries.values()]
    .filter((entry) => !entry.fileName.startsWith('__MACOSX/'))
    .map((entry) => ({
      name: entry.fileName,
      size: entry.compressedSize,
      open: (onBytes?: (count: number) => void) => zip.read(entry, onBytes),
    }));
  if (files.length > 0) return { kind: 'zip', files, close };
  zip.close();
  throw new FormatError(`${basename(path)} is an archive without files: download it again`);
}

async function* readPlain(path: string, onBytes?: (count: number) => void): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of createReadStream(path)) {
    count += chunk.length;
    onBytes?.(count);
    yield chunk;
  }
}

/** A gzip file may have several members; Node's gunzip reads them all. */
async function* readGzip(
  path: string,
  packedBytes: number,
  onBytes?: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  const limit = maxUnpacked(packedBytes);
  let size = 0;
  const unpacked = createGunzip({ chunkSize: 65_536 });
  pipeline(createReadStream(path), unpacked, () => {}); // The iteration below throws its error.
  try {
    for await (const chunk of unpacked) {
      onBytes?.(unpacked.bytesWritten);
      size += chunk.length;
      if (size > limit) throw new FormatError(describeTooLarge(basename(path), packedBytes));
      yield chunk;
    }
  } catch (error) {
    throw describeDamage(path, error);
  }
}

/** `sha256:<hex>` of the bytes on disk, before unpacking. */
export async function hashFile(path: string, onBytes?: (count: number) => void): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readPlain(path, onBytes)) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
}
