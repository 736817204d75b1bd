import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatCount } from '../../base/format-count.ts';
import { FormatError } from '../../formats/rows.ts';

/** A register of 50 million rows is then read back in partitions of about 200,000. */
const COUNT = 256;
/** Bytes buffered per partition before they are written to disk: 16 MB in total. A small import never uses the disk. */
const MAX_BUFFER = 65_536;

/** In bytes. A partition is one string; the largest official register has about 100 MB in each partition. */
const MAX_PARTITION = 384 * 1024 * 1024;

interface Partition {
  buffer: Buffer;
  length: number;
  /** The pieces of this partition in the temporary file. */
  readonly extents: { readonly position: number; readonly length: number }[];
}

/**
 * Lines partitioned by a key, so that all lines of one key can be read together. A join needs this; the cost is one write
 * and one read per line, whatever the order of the files. The tails of all partitions and the partition being read are
 * in memory. The rest is in one temporary file that is unlinked right after it is opened, so that nothing is left
 * behind even when the process is killed.
 */
export class Partitions {
  readonly #partitions: Partition[] = Array.from({ length: COUNT }, () => ({
    buffer: Buffer.alloc(0),
    length: 0,
    extents: [],
  }));
  #file: number | null = null;
  #end = 0;

  /** The line must not contain a line end. */
  add(key: string, line: string): void {
    const partition = this.#partitions[hashKey(key)] as Partition;
    // A UTF-16 unit takes at most three bytes in UTF-8; the line end takes one.
    const maxBytes = line.length * 3 + 1;
    if (partition.length + maxBytes > partition.buffer.length) this.#makeRoom(partition, maxBytes);
    partition.length += partition.buffer.write(line, partition.length);
    partition.buffer[partition.length++] = LF;
  }

  /** Yields the text of each partition: lines in the order they were added, each with its line end. Call it once. */
  *read(): Generator<string> {
    for (const partition of this.#partitions) {
      yield this.#readPartition(partition);
      partition.buffer = Buffer.alloc(0);
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** Writes the buffer to disk. A line is never split. */
  #makeRoom(partition: Partition, needed: number): void {
    this.#spill(partition);
    if (needed > partition.buffer.length) partition.buffer = Buffer.allocUnsafeSlow(Math.max(MAX_BUFFER, needed));
  }

  #spill(partition: Partition): void {
    if (partition.length === 0) return;
    this.#file ??= openUnlinkedFile();
    for (let at = 0; at < partition.length; ) {
      at += writeSync(this.#file, partition.buffer, at, partition.length - at, this.#end + at);
    }
    partition.extents.push({ position: this.#end, length: partition.length });
    this.#end += partition.length;
    partition.length = 0;
  }

  #readPartition({ buffer, length: buffered, extents }: Partition): string {
    const written = extents.reduce((sum, { length }) => sum + length, 0);
    if (written + buffered > MAX_PARTITION) {
      const limit = formatCount(MAX_PARTITION);
      throw new FormatError(`too many rows have the same company number (more than ${limit} bytes): a file is damaged`);
    }
    if (this.#file === null || written === 0) return buffer.toString('utf8', 0, buffered);
    const all = Buffer.allocUnsafeSlow(written + buffered);
    let filled = 0;
    for (const { position, length } of extents) {
      for (let at = 0; at < length; ) {
        const count = readSync(this.#file, all, filled + at, length - at, position + at);
        if (count === 0) throw new Error("the import's temporary file was truncated");
        at += count;
      }
      filled += length;
    }
    buffer.copy(all, filled, 0, buffered);
    return all.toString('utf8');
  }
}

const LF = 10;

function openUnlinkedFile(): number {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-import-'));
  try {
    return openSync(join(folder, 'rows'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** FNV-1a: company numbers differ in few digits, and every digit must affect the hash. */
function hashKey(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return ((hash >>> 24) ^ (hash >>> 8)) & (COUNT - 1);
}
