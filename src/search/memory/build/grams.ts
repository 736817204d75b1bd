import { gramAt } from '../answer/match-number.ts';
import { GrowingNumbers } from './growing-arrays.ts';
import { invert, type Postings } from './postings.ts';

/**
 * The grams of registration numbers: every four consecutive bytes, and the last three, two and one bytes padded with
 * zeros, so that a fragment of any length up to four is the beginning of a gram wherever it occurs.
 * `answer/match-number.ts` looks them up. Numbers consist mostly of digits, so there are about ten thousand common
 * grams.
 */
export interface Grams {
  /** Ascending. */
  readonly grams: Uint32Array;
  /** By gram. */
  readonly postings: Postings;
}

/** Folded text contains no smaller byte. */
const SPACE = 0x20;

export function buildGrams(text: Uint8Array, starts: Uint32Array, docCount: number): Grams {
  const numbers = new NumberTable();
  const found = new Uint32Array(text.length);
  const listStarts = new Uint32Array(docCount + 1);
  let count = 0;
  for (let doc = 0; doc < docCount; doc++) {
    const end = starts[doc + 1] as number;
    // A document has several numbers, separated by line breaks and tabs (`numberKeys`). A gram never spans two of them.
    let lineEnd = starts[doc] as number;
    for (let at = lineEnd; at < end; at++) {
      if ((text[at] as number) < SPACE) continue;
      if (at >= lineEnd) {
        lineEnd = at;
        while (lineEnd < end && (text[lineEnd] as number) >= SPACE) lineEnd++;
      }
      found[count++] = numbers.add(gramAt(text, at, lineEnd));
    }
    listStarts[doc + 1] = count;
  }
  const grams = numbers.values().sort();
  const ranks = new Uint32Array(grams.length);
  for (const [rank, gram] of grams.entries()) ranks[numbers.add(gram)] = rank;
  for (let index = 0; index < count; index++) found[index] = ranks[found[index] as number] as number;
  return { grams, postings: invert(found.subarray(0, count), listStarts, docCount, grams.length) };
}

/** Gives distinct values consecutive numbers. A `Map` would take most of the time of a build. */
class NumberTable {
  readonly #values = new GrowingNumbers();
  #slots = new Uint32Array(1 << 16);

  add(value: number): number {
    const mask = this.#slots.length - 1;
    let hash = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
    hash ^= hash >>> 15;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot] as number;
      if (found === 0) {
        this.#values.push(value);
        this.#slots[slot] = this.#values.length;
        if (this.#values.length * 2 > this.#slots.length) this.#grow();
        return this.#values.length - 1;
      }
      if (this.#values.values[found - 1] === value) return found - 1;
    }
  }

  #grow(): void {
    const known = this.values();
    this.#slots = new Uint32Array(this.#slots.length * 4);
    this.#values.length = 0;
    for (const value of known) this.add(value);
  }

  values(): Uint32Array {
    return this.#values.values.slice(0, this.#values.length);
  }
}
