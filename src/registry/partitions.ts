import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** So many that a register of 50 million rows is read back in parts of some 200 000. */
const COUNT = 256;
/** Characters held before they are written out; a smaller import never touches the disk. */
const HELD = 16 * 1024 * 1024;

interface Extent {
  readonly position: number;
  readonly length: number;
}

/**
 * Lines sorted into parts by a key, so that those of one key can be read together: what a join needs, at the cost of writing
 * and reading every line once, whatever the order of the files. At most `HELD` characters and one part are in memory; the rest
 * is in one temporary file that has no name any more, so that nothing is left of it even when the process is killed.
 */
export class Partitions {
  readonly #lines: string[][] = Array.from({ length: COUNT }, () => []);
  readonly #extents: Extent[][] = Array.from({ length: COUNT }, () => []);
  #held = 0;
  #file: number | null = null;
  #end = 0;

  /** A line must not hold a line end. */
  add(key: string, line: string): void {
    (this.#lines[hashKey(key)] as string[]).push(line);
    this.#held += line.length;
    if (this.#held >= HELD) this.#spill();
  }

  /** The lines of one part after another, each part in the order they were added. */
  *read(): Generator<string[]> {
    for (let index = 0; index < COUNT; index++) {
      const held = this.#lines[index] as string[];
      this.#lines[index] = [];
      yield [...this.#readBack(this.#extents[index] as Extent[]), ...held];
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #spill(): void {
    this.#file ??= openNameless();
    for (const [index, lines] of this.#lines.entries()) {
      if (lines.length === 0) continue;
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at, bytes.length - at, this.#end + at);
      this.#extents[index]?.push({ position: this.#end, length: bytes.length });
      this.#end += bytes.length;
      this.#lines[index] = [];
    }
    this.#held = 0;
  }

  #readBack(extents: readonly Extent[]): string[] {
    if (this.#file === null || extents.length === 0) return [];
    const bytes = Buffer.allocUnsafe(extents.reduce((sum, { length }) => sum + length, 0));
    let filled = 0;
    for (const { position, length } of extents) {
      for (let at = 0; at < length; ) {
        const count = readSync(this.#file, bytes, filled + at, length - at, position + at);
        if (count === 0) throw new Error('the temporary file of the import was cut');
        at += count;
      }
      filled += length;
    }
    const lines = bytes.toString('utf8').split('\n');
    lines.pop(); // behind the last line end
    return lines;
  }
}

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
