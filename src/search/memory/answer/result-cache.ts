/** A least-recently-used cache with a limit in bytes. Every engine, so every version of the data, has its own. */
export class ResultCache<T> {
  readonly #maxBytes: number;
  readonly #sizeOf: (value: T) => number;
  readonly #entries = new Map<string, Entry<T>>();
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
    return found.value;
  }

  /** `make` is not called if the cache is switched off. */
  offer(key: string, make: () => T): void {
    if (this.#maxBytes === 0) return;
    const value = make();
    const bytes = ENTRY_BYTES + key.length * 2 + this.#sizeOf(value);
    if (bytes > this.#maxBytes) return;
    // The same query may have run twice at the same time.
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    this.#dropOldest();
  }

  /** Counts memory that a value has taken since it was offered. */
  grow(key: string, value: T, bytes: number): void {
    const entry = this.#entries.get(key);
    if (entry?.value !== value) return;
    entry.bytes += bytes;
    this.#bytes += bytes;
    this.#dropOldest();
  }

  #dropOldest(): void {
    for (const [oldest, { bytes }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#entries.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}

interface Entry<T> {
  readonly value: T;
  bytes: number;
}

/** Roughly what a JavaScript object and a map entry take. */
const ENTRY_BYTES = 300;
