import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** So many that a register of 50 million rows is read back in parts of some 200 000. */
const COUNT = 256;
/** Bytes of a part that are held before they are written out: 16 MB in all, and a small import never touches the disk. */
const HELD = 65_536;

interface Part {
  bytes: Buffer;
  length: number;
  /** Where in the file what was written out stands. */
  readonly extents: { readonly position: number; readonly length: number }[];
}

/**
 * Lines sorted into parts by a key, so that those of one key can be read together: what a join needs, at the cost of writing
 * and reading every line once, whatever the order of the files. The ends of all parts are in memory, and the part that is read;
 * the rest is in one temporary file that has no name any more, so that nothing is left of it even when the process is killed.
 */
export class Partitions {
  readonly #parts: Part[] = Array.from({ length: COUNT }, () => ({ bytes: Buffer.alloc(0), length: 0, extents: [] }));
  #file: number | null = null;
  #end = 0;

  /** A line must not hold a line end. */
  add(key: string, line: string): void {
    const part = this.#parts[hashKey(key)] as Part;
    const most = line.length * 3 + 1;
    if (part.length + most > part.bytes.length) this.#makeRoom(part, most);
    part.length += part.bytes.write(line, part.length);
    part.bytes[part.length++] = LF;
  }

  /** The text of one part after another, lines in the order they were added, each with its end. */
  *read(): Generator<string> {
    for (const part of this.#parts) {
      yield this.#readBack(part);
      part.bytes = Buffer.alloc(0);
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** Doubles the buffer up to its limit, then writes it out instead. A line is never cut. */
  #makeRoom(part: Part, needed: number): void {
    if (part.length + needed > HELD) this.#spill(part);
    if (part.length + needed <= part.bytes.length) return;
    const size = Math.max(part.length + needed, Math.min(HELD, part.bytes.length * 2));
    const larger = Buffer.allocUnsafeSlow(size);
    part.bytes.copy(larger, 0, 0, part.length);
    part.bytes = larger;
  }

  #spill(part: Part): void {
    if (part.length === 0) return;
    this.#file ??= openNameless();
    for (let at = 0; at < part.length; ) {
      at += writeSync(this.#file, part.bytes, at, part.length - at, this.#end + at);
    }
    part.extents.push({ position: this.#end, length: part.length });
    this.#end += part.length;
    part.length = 0;
  }

  #readBack({ bytes, length: held, extents }: Part): string {
    const written = extents.reduce((sum, { length }) => sum + length, 0);
    if (this.#file === null || written === 0) return bytes.toString('utf8', 0, held);
    const all = Buffer.allocUnsafeSlow(written + held);
    let filled = 0;
    for (const { position, length } of extents) {
      for (let at = 0; at < length; ) {
        const count = readSync(this.#file, all, filled + at, length - at, position + at);
        if (count === 0) throw new Error('the temporary file of the import was cut');
        at += count;
      }
      filled += length;
    }
    bytes.copy(all, filled, 0, held);
    return all.toString('utf8');
  }
}

const LF = 10;

function openNameless(): number {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-import-'));
  try {
    return openSync(join(folder, 'rows'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** FNV-1a: numbers of companies differ in few digits, all of which must count. */
function hashKey(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return ((hash >>> 24) ^ (hash >>> 8)) & (COUNT - 1);
}
