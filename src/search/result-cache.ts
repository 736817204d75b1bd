import type { DocSet } from './sets.ts';

/**
 * Results that took work, the least recently used dropped first, within a bound of bytes. It belongs to one engine and so to
 * one generation: a new index begins with an empty one.
 */
export class ResultCache {
  readonly #most: number;
  readonly #results = new Map<string, DocSet>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  get(key: string): DocSet | undefined {
    const found = this.#results.get(key);
    if (found === undefined) return undefined;
    // A Map keeps the order of insertion: the last one is the latest used.
    this.#results.delete(key);
    this.#results.set(key, found);
    return found;
  }

  /** `make` is called only if the result is to be kept. */
  offer(key: string, make: () => DocSet): void {
    if (this.#most === 0) return;
    const set = make();
    const bytes = sizeOf(key, set);
    if (bytes > this.#most) return;
    this.#results.set(key, set);
    this.#bytes += bytes;
    for (const [oldest, dropped] of this.#results) {
      if (this.#bytes <= this.#most) break;
      this.#results.delete(oldest);
      this.#bytes -= sizeOf(oldest, dropped);
    }
  }
}

/** What a JavaScript object and a map entry take, roughly. */
const ENTRY_BYTES = 300;

function sizeOf(key: string, { list, bitmap }: DocSet): number {
  const arrays =
    (list?.byteLength ?? 0) + (bitmap === undefined ? 0 : bitmap.bits.byteLength + bitmap.counts.byteLength);
  return ENTRY_BYTES + key.length * 2 + arrays;
}
