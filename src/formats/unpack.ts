import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { crc32, createGunzip, createInflateRaw, type Gunzip, type InflateRaw } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { formatCount } from '../base/format-count.ts';
import { describeTooLarge, MAX_ENTRIES, maxUnpacked } from './limits.ts';
import { describeDamage, FormatError } from './rows.ts';

/** Gets the number of compressed bytes read so far. */
type OnBytes = (count: number) => void;

export interface PackedFile {
  readonly name: string;
  /** Compressed bytes, for progress display. */
  readonly size: number;
  /** The unpacked bytes. */
  open(onBytes?: OnBytes): AsyncIterable<Uint8Array>;
}

export interface Package {
  readonly kind: 'plain' | 'zip' | 'gzip' | 'xlsx';
  /** The files in an archive, or the file itself. `openWorkbook` reads the parts of a workbook. */
  readonly files: readonly PackedFile[];
  close(): Promise<void>;
}

/** Detects the packing by magic bytes: downloads are often renamed, so the file name proves little. */
export async function openPackage(path: string): Promise<Package> {
  const name = basename(path);
  const { size } = await stat(path);
  if (size === 0) throw new FormatError(`${name} is empty: download it again`);
  const magic = await readMagic(path);
  // A zip starts with its first entry or, when the zip is empty, with the end of its directory.
  if (magic === '504b0304' || magic === '504b0506') return packZip(path, await openZip(path));
  const isGzip = magic.startsWith('1f8b');
  const open = (onBytes?: OnBytes) => (isGzip ? readGzip(path, size, onBytes) : count(createReadStream(path), onBytes));
  const file = { name: isGzip ? name.replace(/\.gz(ip)?$/i, '') : name, size, open };
  return { kind: isGzip ? 'gzip' : 'plain', files: [file], close: async () => {} };
}

async function readMagic(path: string): Promise<string> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
  return buffer.toString('hex', 0, bytesRead);
}

function packZip(path: string, zip: ZipArchive): Package {
  const isWorkbook = zip.entries.has('[Content_Types].xml') && zip.entries.has('xl/workbook.xml');
  const files = [...zip.entries.values()]
    .filter((entry) => !entry.fileName.startsWith('__MACOSX/'))
    .map((entry) => ({
      name: entry.fileName,
      size: entry.compressedSize,
      open: (onBytes?: OnBytes) => zip.read(entry, onBytes),
    }));
  if (files.length > 0) return { kind: isWorkbook ? 'xlsx' : 'zip', files, close: async () => zip.close() };
  zip.close();
  throw new FormatError(`${basename(path)} is an archive without files: download it again`);
}

/** A gzip file may have several members; Node's gunzip reads them all. */
async function* readGzip(path: string, size: number, onBytes?: OnBytes): AsyncGenerator<Uint8Array> {
  try {
    yield* limitSize(inflate(createReadStream(path), createGunzip(CHUNKS), onBytes), basename(path), size);
  } catch (error) {
    throw describeDamage(path, error);
  }
}

const CHUNKS = { chunkSize: 65_536 };

async function* inflate(
  packed: Readable,
  inflated: Gunzip | InflateRaw,
  onBytes?: OnBytes,
): AsyncGenerator<Uint8Array> {
  pipeline(packed, inflated, () => {}); // The iteration below throws its error.
  for await (const chunk of inflated) {
    onBytes?.(inflated.bytesWritten);
    yield chunk;
  }
}

async function* count(packed: Readable, onBytes?: OnBytes): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of packed) {
    bytes += chunk.length;
    onBytes?.(bytes);
    yield chunk;
  }
}

/** Ends a file that unpacks to far more bytes than an official file of its packed size. */
async function* limitSize(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  packedBytes: number,
): AsyncGenerator<Uint8Array> {
  let left = maxUnpacked(packedBytes);
  for await (const chunk of chunks) {
    left -= chunk.length;
    if (left < 0) throw new FormatError(describeTooLarge(name, packedBytes));
    yield chunk;
  }
}

/** `sha256:<hex>` of the bytes on disk, before unpacking. */
export async function hashFile(path: string, onBytes?: OnBytes): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of count(createReadStream(path), onBytes)) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
}

export type ZipArchive = Awaited<ReturnType<typeof openZip>>;

/** Opens a zip file through its central directory, so that any entry can be streamed. */
export async function openZip(path: string) {
  let opened: ZipFile | undefined;
  try {
    const zip = await openPromise(path, { autoClose: false });
    opened = zip;
    return {
      /** Files without folders, by their path in the archive, in directory order. */
      entries: await listEntries(basename(path), zip),
      size: zip.fileSize,
      read: (entry: Entry, onBytes?: OnBytes) => readEntry(path, zip, entry, onBytes),
      close: () => zip.close(),
    };
  } catch (error) {
    opened?.close();
    throw describeDamage(path, error);
  }
}

/** Names are only names: nothing is written to disk, and a symbolic link is read as the text it consists of. */
async function listEntries(file: string, zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES) {
    const count = formatCount(zip.entryCount);
    throw new FormatError(`${file} has ${count} entries, more than ${formatCount(MAX_ENTRIES)}: unpack it first`);
  }
  const entries = new Map<string, Entry>();
  let packedBytes = 0;
  for await (const entry of zip.eachEntry()) {
    const { fileName } = entry;
    if (entries.has(fileName))
      throw new FormatError(`${file} has two entries named ${shorten(fileName)}: it is damaged`);
    packedBytes += entry.compressedSize;
    if (!fileName.endsWith('/')) entries.set(fileName, entry);
  }
  // Entries that share bytes let a small archive unpack to any size.
  if (packedBytes > zip.fileSize) throw new FormatError(`${file} has entries that overlap: it is damaged`);
  return entries;
}

function shorten(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}

const STORED = 0;
const DEFLATED = 8;

/** yauzl checks sizes but not checksums. In a stored entry only the checksum reveals a flipped bit. */
async function* readEntry(
  path: string,
  zip: ZipFile,
  entry: Entry,
  onBytes: OnBytes | undefined,
): AsyncGenerator<Uint8Array> {
  checkReadable(path, entry);
  try {
    const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false });
    const name = `${shorten(entry.fileName)} in ${basename(path)}`;
    const isStored = entry.compressionMethod === STORED;
    const chunks = isStored ? count(packed, onBytes) : inflate(packed, createInflateRaw(CHUNKS), onBytes);
    let sum = 0;
    let size = 0;
    for await (const chunk of limitSize(chunks, name, entry.compressedSize)) {
      sum = crc32(chunk, sum);
      size += chunk.length;
      // Readers trust the declared size, such as for the size of their buffers.
      if (size > entry.uncompressedSize) throw new Error('it is larger than declared');
      yield chunk;
    }
    if (sum !== entry.crc32 || size !== entry.uncompressedSize) throw new Error('checksum or size differs');
  } catch (error) {
    throw describeDamage(path, error);
  }
}

function checkReadable(path: string, entry: Entry): void {
  const name = `${basename(path)}: ${shorten(entry.fileName)}`;
  if (entry.isEncrypted()) throw new FormatError(`${name} is encrypted: unpack it first`);
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw new FormatError(
      `${name} uses compression method ${entry.compressionMethod}, which is not supported: unpack it first`,
    );
  }
}
