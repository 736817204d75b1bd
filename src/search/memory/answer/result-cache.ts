/**
 * Answers that took work, the least recently used dropped first, within a bound of bytes. It belongs to one engine and so to
 * one generation: a new index begins with an empty one.
 */
export class ResultCache<T> {
  readonly #most: number;
  readonly #sizeOf: (value: T) => number;
  readonly #kept = new Map<string, T>();
  #bytes = 0;

  constructor(mostBytes: number, sizeOf: (value: T) => number) {
    this.#most = mostBytes;
    this.#sizeOf = sizeOf;
  }

  get(key: string): T | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    // A Map keeps the order of insertion: the last one is the latest used.
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found;
  }

  /** `make` is called only if there is any room at all. */
  offer(key: string, make: () => T): void {
    if (this.#most === 0) return;
    const value = make();
    const bytes = this.#bytesOf(key, value);
    if (bytes > this.#most) return;
    this.#kept.set(key, value);
    this.#bytes += bytes;
    for (const [oldest, dropped] of this.#kept) {
      if (this.#bytes <= this.#most) break;
      this.#kept.delete(oldest);
      this.#bytes -= this.#bytesOf(oldest, dropped);
    }
  }

  #bytesOf(key: string, value: T): number {
    return ENTRY_BYTES + key.length * 2 + this.#sizeOf(value);
  }
}

/** What a JavaScript object and a map entry take, roughly. */
const ENTRY_BYTES = 300;
