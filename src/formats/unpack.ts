import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { unpackBzip2 } from './bzip2.ts';
import { explainDamage } from './damage.ts';
import { FormatError } from './rows.ts';
import { openZip, type ZipArchive } from './zip.ts';

export interface PackedFile {
  readonly name: string;
  /** Compressed bytes, for progress. */
  readonly size: number;
  /** The unpacked bytes. `onBytes` is told the compressed bytes read so far. */
  open(onBytes?: (count: number) => void): AsyncIterable<Uint8Array>;
}

export interface Package {
  readonly kind: 'plain' | 'zip' | 'gzip' | 'bzip2' | 'xlsx';
  /** None for a workbook: `openWorkbook` reads it. */
  readonly files: readonly PackedFile[];
  close(): Promise<void>;
}

/** Told apart by magic bytes, not by name. */
export async function openPackage(path: string): Promise<Package> {
  const name = basename(path);
  const { size } = await stat(path);
  if (size === 0) throw new FormatError(`${name} is empty: download it again`);
  const start = await readStart(path);
  if (isZip(start)) return packZip(path, await openZip(path));
  if (start[0] === 0x1f && start[1] === 0x8b) {
    return packOne('gzip', name.replace(/\.gz(ip)?$/i, ''), size, (onBytes) => readGzip(path, onBytes));
  }
  if (start.toString('latin1', 0, 3) === 'BZh' && BZIP2_BLOCKS.includes(start.toString('hex', 4, 10))) {
    return packOne('bzip2', name.replace(/\.bz2$/i, ''), size, (onBytes) => readBzip2(path, onBytes));
  }
  return packOne('plain', name, size, (onBytes) => readPlain(path, onBytes));
}

/** What follows `BZh` and the level: a first block, or the end of an empty file. Text may well begin with BZh. */
const BZIP2_BLOCKS = ['314159265359', '177245385090'];

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Begins with an entry, or with the end of an empty directory. */
function isZip(start: Buffer): boolean {
  return ['504b0304', '504b0506'].includes(start.toString('hex', 0, 4));
}

type Reader = (onBytes?: (count: number) => void) => AsyncIterable<Uint8Array>;

function packOne(kind: 'plain' | 'gzip' | 'bzip2', name: string, size: number, read: Reader): Package {
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

/** Node's gunzip goes on with the next member of the file by itself. */
async function* readGzip(path: string, onBytes?: (count: number) => void): AsyncGenerator<Uint8Array> {
  const unpacked = createGunzip({ chunkSize: 65_536 });
  pipeline(createReadStream(path), unpacked, () => {}); // its error is thrown by the iteration
  try {
    for await (const chunk of unpacked) {
      onBytes?.(unpacked.bytesWritten);
      yield chunk;
    }
  } catch (error) {
    throw explainDamage(path, error);
  }
}

async function* readBzip2(path: string, onBytes?: (count: number) => void): AsyncGenerator<Uint8Array> {
  try {
    yield* unpackBzip2(readPlain(path, onBytes));
  } catch (error) {
    throw explainDamage(path, error);
  }
}

/** `sha256:<hex>` of the file as it is on disk. */
export async function hashFile(path: string, onBytes?: (count: number) => void): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readPlain(path, onBytes)) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
}
