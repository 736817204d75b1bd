import { basename } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { formatCount } from '../base/format-count.ts';
import { describeTooLarge, MAX_ENTRIES, maxUnpacked } from './limits.ts';
import { describeDamage, FormatError } from './rows.ts';

export type ZipArchive = Awaited<ReturnType<typeof openZip>>;

/** Opens a zip file through its central directory, so that any entry can be streamed. */
export async function openZip(path: string) {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(path, { autoClose: false });
    const entries = await listEntries(basename(path), zip);
    const opened = zip;
    return {
      /** Files without folders, by their path in the archive, in directory order. */
      entries,
      /** Bytes of the archive. */
      size: opened.fileSize,
      read: (entry: Entry, onBytes?: (count: number) => void) => readEntry(path, opened, entry, onBytes),
      close: () => opened.close(),
    };
  } catch (error) {
    zip?.close();
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
  onBytes: ((count: number) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  checkReadable(path, entry);
  try {
    const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false });
    const limit = maxUnpacked(entry.compressedSize);
    const name = `${shorten(entry.fileName)} in ${basename(path)}`;
    let sum = 0;
    let size = 0;
    for await (const chunk of entry.compressionMethod === STORED ? count(packed, onBytes) : inflate(packed, onBytes)) {
      sum = crc32(chunk, sum);
      size += chunk.length;
      if (size > limit) throw new FormatError(describeTooLarge(name, entry.compressedSize));
      // Readers trust the declared size, such as for what they hold in memory.
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

async function* inflate(packed: Readable, onBytes?: (count: number) => void): AsyncGenerator<Uint8Array> {
  const inflated = createInflateRaw({ chunkSize: 65_536 });
  pipeline(packed, inflated, ignore);
  for await (const chunk of inflated) {
    onBytes?.(inflated.bytesWritten);
    yield chunk;
  }
}

async function* count(packed: Readable, onBytes?: (count: number) => void): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of packed) {
    bytes += chunk.length;
    onBytes?.(bytes);
    yield chunk;
  }
}

/** The iteration of the last stream throws the pipeline's error. */
function ignore(): void {}
