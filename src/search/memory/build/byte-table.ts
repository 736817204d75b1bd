import { NULL_BYTE } from '../search-index.ts';
import { GrowingBytes, GrowingNumbers } from './growing-arrays.ts';

/**
 * Numbers distinct byte strings in the order of their first occurrence: words of names, legal forms, activity codes. It
 * is an open-addressing hash table over one buffer; a `Map` would need a JavaScript string of every word of every name.
 */
export class ByteTable {
  readonly text = new GrowingBytes();
  /** Where each string starts in `text`; it ends where the next one starts. */
  readonly #starts = new GrowingNumbers();
  /**
   * Four numbers per slot, so that a look-up touches one cache line: number plus one (0 if empty), hash, start, end.
   */
  #slots = new Uint32Array(4 << 10);
  #latest = 0;
  /** Where the string of the latest `add` ended in its source. */
  ended = 0;

  get count(): number {
    return this.#starts.length;
  }

  start(id: number): number {
    return this.#starts.values[id] as number;
  }

  end(id: number): number {
    return id + 1 < this.count ? (this.#starts.values[id + 1] as number) : this.text.length;
  }

  /**
   * Returns the number of the string that starts at `start` and ends before a zero byte or the separator, adding it if
   * it is new. Sets `ended`, because hashing and looking for the end are one loop. Neighbouring rows often have the
   * same value, so the latest string is compared first.
   */
  add(from: Uint8Array, start: number, separator = 0): number {
    if (!this.#holds(this.#latest, from, start, separator)) this.#latest = this.#find(from, start, separator);
    return (this.#slots[this.#latest] as number) - 1;
  }

  #find(from: Uint8Array, start: number, separator: number): number {
    let hash = 0x811c9dc5;
    let end = start;
    for (let byte = from[end] as number; byte !== 0 && byte !== separator; byte = from[++end] as number) {
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    // FNV-1a mixes its low bits badly, and the slot comes from the low bits: mix again.
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash = (hash ^ (hash >>> 13)) >>> 0;
    this.ended = end;
    const mask = this.#slots.length - 1;
    for (let slot = (hash << 2) & mask; ; slot = (slot + 4) & mask) {
      if (this.#slots[slot] === 0) return this.#insert(from, start, end, hash, slot);
      if (this.#slots[slot + 1] === hash && this.#holds(slot, from, start, separator)) return slot;
    }
  }

  #holds(slot: number, from: Uint8Array, start: number, separator: number): boolean {
    if (this.#slots[slot] === 0) return false;
    const { bytes } = this.text;
    const stop = this.#slots[slot + 3] as number;
    let index = start;
    for (let at = this.#slots[slot + 2] as number; at < stop; at++) if (bytes[at] !== from[index++]) return false;
    const after = from[index];
    if (after !== 0 && after !== separator) return false;
    this.ended = index;
    return true;
  }

  #insert(from: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const at = this.text.length;
    this.#starts.push(at);
    this.text.append(from, start, end);
    this.#fill(slot, this.count, hash, at, this.text.length);
    return this.count * 8 > this.#slots.length ? this.#grow(hash) : slot;
  }

  #fill(slot: number, number: number, hash: number, start: number, end: number): void {
    this.#slots[slot] = number;
    this.#slots[slot + 1] = hash;
    this.#slots[slot + 2] = start;
    this.#slots[slot + 3] = end;
  }

  /** Quadruples the table and returns the new slot of the latest string. */
  #grow(latestHash: number): number {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 4);
    const mask = this.#slots.length - 1;
    let latest = 0;
    for (let from = 0; from < old.length; from += 4) {
      const number = old[from] as number;
      if (number === 0) continue;
      const hash = old[from + 1] as number;
      let slot = (hash << 2) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 4) & mask;
      this.#fill(slot, number, hash, old[from + 2] as number, old[from + 3] as number);
      if (number === this.count && hash === latestHash) latest = slot;
    }
    return latest;
  }

  /** The strings as text, in the order of their numbers. */
  *texts(): Generator<string> {
    const decoder = new TextDecoder();
    for (let id = 0; id < this.count; id++)
      yield decoder.decode(this.text.bytes.subarray(this.start(id), this.end(id)));
  }

  /** The same for a column that may hold nulls. */
  values(): (string | null)[] {
    const isNull = (id: number) => this.text.bytes[this.start(id)] === NULL_BYTE && this.end(id) > this.start(id);
    return [...this.texts()].map((text, id) => (isNull(id) ? null : text));
  }
}
