/**
 * Adds up weights per document: a hash table in a few hundred kilobytes, so that it stays in the processor's cache. It is allocated once
 * and reused for every query.
 */
export class Tally {
  /** The document plus one; 0 if the slot is empty. */
  readonly #docs = new Uint32Array(SLOTS);
  readonly #scores = new Float32Array(SLOTS);
  /** One bit per term that was counted for the document. */
  readonly #terms = new Uint32Array(SLOTS);
  readonly #used = new Uint32Array(MAX_DOCS);
  size = 0;

  clear(): void {
    for (let at = 0; at < this.size; at++) this.#docs[this.#used[at] as number] = 0;
    this.size = 0;
  }

  get isFull(): boolean {
    return this.size === MAX_DOCS;
  }

  /** Counts a term for the document once. A document that does not fit is left out. */
  add(doc: number, term: number, weight: number): void {
    let slot = (Math.imul(doc, 0x9e3779b1) >>> SHIFT) & (SLOTS - 1);
    while (this.#docs[slot] !== 0 && this.#docs[slot] !== doc + 1) slot = (slot + 1) & (SLOTS - 1);
    if (this.#docs[slot] === 0) {
      if (this.isFull) return;
      this.#docs[slot] = doc + 1;
      this.#scores[slot] = 0;
      this.#terms[slot] = 0;
      this.#used[this.size++] = slot;
    }
    const counted = this.#terms[slot] as number;
    if (((counted >>> term) & 1) === 1) return;
    this.#terms[slot] = counted | (1 << term);
    this.#scores[slot] = (this.#scores[slot] as number) + weight;
  }

  docs(): Uint32Array {
    const docs = new Uint32Array(this.size);
    for (let at = 0; at < docs.length; at++) docs[at] = (this.#docs[this.#used[at] as number] as number) - 1;
    return docs;
  }

  /** The `count` documents with the highest scores, or `maxTies` if so many score like the best one. */
  takeBest(count: number, maxTies: number): number[] {
    let highest = 0;
    for (let at = 0; at < this.size; at++) highest = Math.max(highest, this.#scoreAt(at));
    const counts = new Uint32Array(STEPS + 1);
    const stepOf = (at: number) => Math.round((this.#scoreAt(at) / highest) * STEPS);
    for (let at = 0; at < this.size; at++) {
      const step = stepOf(at);
      counts[step] = (counts[step] as number) + 1;
    }
    // All documents above the lowest step are taken, and as many of that step as there is room for.
    let lowest = STEPS;
    let above = 0;
    while (above + (counts[lowest] as number) < count && lowest > 0) above += counts[lowest--] as number;
    let room = above === 0 ? maxTies : count - above;
    const best: number[] = [];
    for (let at = 0; at < this.size; at++) {
      const step = stepOf(at);
      if (step > lowest || (step === lowest && room-- > 0))
        best.push((this.#docs[this.#used[at] as number] as number) - 1);
    }
    return best;
  }

  #scoreAt(at: number): number {
    return this.#scores[this.#used[at] as number] as number;
  }
}

const SLOT_BITS = 14;
const SLOTS = 1 << SLOT_BITS;
const SHIFT = 32 - SLOT_BITS;
const MAX_DOCS = 8_192;
const STEPS = 64;
/** Terms are numbered from 0. */
export const MAX_TERMS = 32;
