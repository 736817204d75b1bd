/**
 * A least-recently-used cache with a limit in bytes. It belongs to one engine and therefore to one version of the data:
 * a new index starts with an empty cache.
 */
export class ResultCache<T> {
  readonly #maxBytes: number;
  readonly #sizeOf: (value: T) => number;
  readonly #entries = new Map<string, T>();
  #bytes = 0;

  constructor(maxBytes: number, sizeOf: (value: T) => number) {
    this.#maxBytes = maxBytes;
    this.#sizeOf = sizeOf;
  }

  get(key: string): T | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    if (this.#bytes > this.#maxBytes / 2) {
      // A Map iterates in the order of insertion: inserting again makes the entry the most recent. Nothing is dropped soon from a
      // cache that is half empty, so there the order does not matter.
      this.#entries.delete(key);
      this.#entries.set(key, found);
    }
    return found;
  }

  /** `make` is not called if the cache is switched off. */
  offer(key: string, make: () => T): void {
    if (this.#maxBytes === 0) return;
    const value = make();
    const bytes = this.#bytesOf(key, value);
    if (bytes > this.#maxBytes) return;
    this.#entries.set(key, value);
    this.#bytes += bytes;
    for (const [oldest, dropped] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#entries.delete(oldest);
      this.#bytes -= this.#bytesOf(oldest, dropped);
    }
  }

  #bytesOf(key: string, value: T): number {
    return ENTRY_BYTES + key.length * 2 + this.#sizeOf(value);
  }
}

/** Roughly what a JavaScript object and a map entry take. */
const ENTRY_BYTES = 300;
