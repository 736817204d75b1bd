import { gramAt } from '../answer/match-number.ts';
import type { MatchArrays } from '../search-index.ts';
import { sharedNumbers } from '../shared-arrays.ts';
import { GrowingNumbers, type OffsetArray } from './growing-arrays.ts';
import { addUp } from './postings.ts';

/**
 * The grams of registration numbers: every four consecutive bytes, and the last three, two and one bytes padded with
 * zeros, so that a fragment of any length up to four is the beginning of a gram wherever it occurs.
 * `answer/match-number.ts` looks them up. Numbers consist mostly of digits, so there are about ten thousand common
 * grams.
 */
export type GramArrays = Pick<MatchArrays, 'grams' | 'gramDocs' | 'gramDocsStarts'>;

/** Folded text contains no smaller byte. */
const SPACE = 0x20;
const NONE = 0xffffffff;

/**
 * Two passes over the numbers: the first counts the documents of each gram, the second lists them. Keeping the grams of
 * the first pass would save the look-ups of the second, but take four times the memory of the numbers.
 */
export function buildGrams(text: Uint8Array, starts: OffsetArray, docCount: number): GramArrays {
  const table = new NumberTable();
  const counts = new GrowingNumbers();
  const latest = new GrowingNumbers();
  forEachGram(text, starts, docCount, (gram, doc) => {
    const number = table.add(gram);
    if (number === counts.length) {
      counts.push(0);
      latest.push(NONE);
    }
    if (latest.values[number] === doc) return;
    latest.values[number] = doc;
    counts.values[number] = (counts.values[number] as number) + 1;
  });

  const values = table.values();
  const grams = sharedNumbers(values.length);
  grams.set(values.slice().sort());
  const lengths = new Uint32Array(grams.length);
  for (const [rank, gram] of grams.entries()) lengths[rank] = counts.values[table.add(gram)] as number;
  const listStarts = addUp(lengths);
  const docs = sharedNumbers(listStarts[grams.length] as number);
  // Indexed by the number of the gram in the table, like `latest`.
  const next = listStarts.slice(0, grams.length);
  for (const [rank, gram] of grams.entries()) next[table.add(gram)] = listStarts[rank] as number;
  latest.values.fill(NONE);
  forEachGram(text, starts, docCount, (gram, doc) => {
    const number = table.add(gram);
    if (latest.values[number] === doc) return;
    latest.values[number] = doc;
    const place = next[number] as number;
    next[number] = place + 1;
    docs[place] = doc;
  });
  return { grams, gramDocs: docs, gramDocsStarts: listStarts };
}

function forEachGram(
  text: Uint8Array,
  starts: OffsetArray,
  docCount: number,
  take: (gram: number, doc: number) => void,
): void {
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
      take(gramAt(text, at, lineEnd), doc);
    }
  }
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
