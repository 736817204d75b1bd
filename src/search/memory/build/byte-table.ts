import { NULL_BYTE } from '../shared-arrays.ts';
import type { Chunk } from './chunk.ts';
import { GrowingBytes, GrowingNumbers } from './growing-arrays.ts';

/** Lists of numbers; `starts` has the start of each list and, once all lists are complete, the end of the last list. */
export interface Lists {
  readonly values: GrowingNumbers;
  readonly starts: GrowingNumbers;
}

export function createLists(): Lists {
  return { values: new GrowingNumbers(), starts: new GrowingNumbers() };
}

/** The positions of the numbers in a slot. At position 0 is the number of the string plus one, or 0 if the slot is empty. */
const [HASH, START, LENGTH, SLOT] = [1, 2, 3, 4];
/** Positions in the text have 32 bits, and positions in the slots, too. There are two to eight slots per string. */
const MAX_BYTES = 2 ** 32;
const MAX_STRINGS = 2 ** 27;

/**
 * Numbers distinct byte strings in the order of their first occurrence: words of names, legal forms, activity codes. The table
 * is an open-addressing hash table over one buffer; a `Map` would need a JavaScript string of every word of every name.
 * Strings are hashed and compared in steps of four bytes.
 */
export class ByteTable {
  readonly text = new GrowingBytes();
  #view = new DataView(this.text.bytes.buffer);
  /** The position where each string starts in `text`; a string ends where the next string starts. */
  readonly #starts = new GrowingNumbers();
  /** Four numbers per slot, so that a look-up touches one cache line. */
  #slots = new Uint32Array(SLOT << 10);
  /** The position in the source where the string of the latest `add` ended. */
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
   * Returns the number of the string that starts at `start` and ends before a zero byte or the separator; adds a new string.
   * Sets `ended`, because one loop both hashes the string and finds its end.
   */
  add(chunk: Chunk, start: number, separator = 0): number {
    const { view } = chunk;
    const separators = separator * 0x01010101;
    let hash = 0;
    let at = start;
    for (;;) {
      const four = view.getInt32(at, true);
      const end = firstByteOf(four, separators);
      if (end < 4) {
        at += end;
        hash = mix(hash ^ firstBytes(four, end));
        break;
      }
      hash = mix(hash ^ four);
      at += 4;
    }
    this.ended = at;
    return this.#find(chunk, start, at, hash);
  }

  /** Adds the strings at `start` as a list: they are separated, and end before a zero byte. Returns where the next value starts. */
  addList({ values, starts }: Lists, chunk: Chunk, start: number, separator: number): number {
    starts.push(values.length);
    let at = start;
    while (chunk.bytes[at] !== 0) {
      values.push(this.add(chunk, at, separator));
      at = this.ended;
      if (chunk.bytes[at] === separator) at++;
    }
    return at + 1;
  }

  /** Like `add`, for a string whose end is known. */
  addRange(chunk: Chunk, start: number, end: number): number {
    let hash = 0;
    let at = start;
    for (; at + 4 <= end; at += 4) hash = mix(hash ^ chunk.view.getInt32(at, true));
    return this.#find(chunk, start, end, mix(hash ^ firstBytes(chunk.view.getInt32(at, true), end - at)));
  }

  #find(chunk: Chunk, start: number, end: number, content: number): number {
    const { view } = chunk;
    const length = end - start;
    const hash = mix(content ^ length) >>> 0;
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = (hash * SLOT) & mask; ; slot = (slot + SLOT) & mask) {
      const number = slots[slot] as number;
      if (number === 0) return this.#insert(chunk.bytes, start, end, hash, slot);
      if (slots[slot + HASH] !== hash || slots[slot + LENGTH] !== length) continue;
      if (this.#holds(slots[slot + START] as number, view, start, length)) return number - 1;
    }
  }

  #holds(own: number, view: DataView, start: number, length: number): boolean {
    const text = this.#view;
    let index = 0;
    for (; index + 4 <= length; index += 4) {
      if (text.getInt32(own + index, true) !== view.getInt32(start + index, true)) return false;
    }
    const difference = text.getInt32(own + index, true) ^ view.getInt32(start + index, true);
    return firstBytes(difference, length - index) === 0;
  }

  #insert(from: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const at = this.text.length;
    if (at + end - start >= MAX_BYTES || this.count === MAX_STRINGS) {
      throw new Error('a column has too many distinct words or values: more than 134 million, or 4 GiB');
    }
    this.#starts.push(at);
    this.text.append(from, start, end);
    if (this.text.bytes.buffer !== this.#view.buffer) this.#view = new DataView(this.text.bytes.buffer);
    this.#slots.set([this.count, hash, at, end - start], slot);
    if (this.count * 2 * SLOT > this.#slots.length) this.#grow();
    return this.count - 1;
  }

  #grow(): void {
    const old = this.#slots;
    const slots = new Uint32Array(old.length * 4);
    const mask = slots.length - 1;
    for (let from = 0; from < old.length; from += SLOT) {
      if (old[from] === 0) continue;
      let slot = ((old[from + HASH] as number) * SLOT) & mask;
      while (slots[slot] !== 0) slot = (slot + SLOT) & mask;
      for (let index = 0; index < SLOT; index++) slots[slot + index] = old[from + index] as number;
    }
    this.#slots = slots;
  }

  /** The strings, decoded, in the order of their numbers. */
  values(): (string | null)[] {
    const decoder = new TextDecoder();
    return Array.from({ length: this.count }, (_, id) => {
      const bytes = this.text.bytes.subarray(this.start(id), this.end(id));
      return bytes[0] === NULL_BYTE ? null : decoder.decode(bytes);
    });
  }
}

/**
 * The position of the first of four bytes, from the lowest on, that is zero or the separator; 4 if there is none. Subtracting
 * one from a zero byte sets its highest bit; borrowing may set a wrong bit in a higher byte, but the lowest bit found is right.
 */
function firstByteOf(four: number, separators: number): number {
  const other = four ^ separators;
  const ends = (((four - 0x01010101) & ~four) | ((other - 0x01010101) & ~other)) & 0x80808080;
  return ends === 0 ? 4 : (31 - Math.clz32(ends & -ends)) >>> 3;
}

/** The lowest `count` of four bytes, at most three. */
function firstBytes(four: number, count: number): number {
  return four & ((1 << (count * 8)) - 1);
}

function mix(hash: number): number {
  const mixed = Math.imul(hash, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
