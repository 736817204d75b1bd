/**
 * Gives distinct values consecutive numbers: integers of up to 53 bits. An open-addressing hash table, because a `Map` would take most of
 * the time of a build and holds at most 16 million entries.
 */
export class NumberTable {
  count = 0;
  /** The values, by their numbers. */
  #values = new Float64Array(1 << 12);
  /** The number of the value plus one; 0 if the slot is empty. */
  #slots = new Uint32Array(1 << 14);

  /** Returns the number of the value; adds a new value. */
  add(value: number): number {
    const slot = this.#find(value);
    const known = this.#slots[slot] as number;
    if (known !== 0) return known - 1;
    if (this.count === this.#values.length) {
      this.#values = new Float64Array(this.#values.buffer.transfer(this.count * 2 * 8));
    }
    this.#values[this.count] = value;
    this.#slots[slot] = ++this.count;
    if (this.count * 2 > this.#slots.length) this.#fill(this.#slots.length * 4);
    return this.count - 1;
  }

  values(): Float64Array<ArrayBuffer> {
    return this.#values.slice(0, this.count);
  }

  /** Renumbers the values in ascending order, and returns the values in this order. */
  sort(): Float64Array {
    this.#values = this.values().sort();
    this.#fill(this.#slots.length);
    return this.#values;
  }

  #fill(slotCount: number): void {
    this.#slots = new Uint32Array(slotCount);
    for (let number = 0; number < this.count; number++) {
      this.#slots[this.#find(this.#values[number] as number)] = number + 1;
    }
  }

  /** The slot of the value, or the empty slot where a new value belongs. */
  #find(value: number): number {
    const mask = this.#slots.length - 1;
    // `|` takes the lower 32 bits. `%` of such large numbers is slow.
    let hash = Math.imul((value | 0) ^ ((value / 2 ** 32) | 0), 0x9e3779b1);
    hash ^= hash >>> 15;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] as number;
      if (number === 0 || this.#values[number - 1] === value) return slot;
    }
  }
}
