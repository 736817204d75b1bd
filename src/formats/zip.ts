import { basename } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { describeDamage } from './damage.ts';
import { FormatError } from './rows.ts';

/** A zip file opened through its central directory, so that any entry can be streamed. */
export interface ZipArchive {
  /** Files without folders, by their path in the archive, in directory order. */
  readonly entries: ReadonlyMap<string, Entry>;
  read(entry: Entry, onBytes?: (count: number) => void): AsyncIterable<Uint8Array>;
  close(): void;
}

export async function openZip(path: string): Promise<ZipArchive> {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(path, { autoClose: false });
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('/')) entries.set(entry.fileName, entry);
    }
    const opened = zip;
    return { entries, read: (entry, onBytes) => readEntry(path, opened, entry, onBytes), close: () => opened.close() };
  } catch (error) {
    zip?.close();
    throw describeDamage(path, error);
  }
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
    let sum = 0;
    let size = 0;
    for await (const chunk of entry.compressionMethod === STORED ? count(packed, onBytes) : inflate(packed, onBytes)) {
      sum = crc32(chunk, sum);
      size += chunk.length;
      yield chunk;
    }
    if (sum !== entry.crc32 || size !== entry.uncompressedSize) throw new Error('checksum or size differs');
  } catch (error) {
    throw describeDamage(path, error);
  }
}

function checkReadable(path: string, entry: Entry): void {
  const name = `${basename(path)}: ${entry.fileName}`;
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
