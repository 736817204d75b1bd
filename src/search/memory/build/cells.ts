/**
 * Numbers the cells of a large table that are used, in ascending order. A table of 64 M cells takes 256 MB during the
 * build. With more cells than that most are empty, and a hash table is smaller.
 */
export interface Cells {
  add(cell: number): void;
  /** Numbers the cells that were added and returns them by number. */
  number(): Float64Array;
  of(cell: number): number;
}

const MAX_DENSE = 1 << 26;

/** `maxDense` is a parameter for tests. */
export function createCells(count: number, maxDense = MAX_DENSE): Cells {
  return count <= maxDense ? new DenseCells(count) : new SparseCells();
}

class DenseCells implements Cells {
  readonly #numbers: Uint32Array;

  constructor(count: number) {
    this.#numbers = new Uint32Array(count);
  }

  add(cell: number): void {
    this.#numbers[cell] = 1;
  }

  number(): Float64Array {
    let count = 0;
    for (let cell = 0; cell < this.#numbers.length; cell++) count += this.#numbers[cell] as number;
    const sorted = new Float64Array(count);
    let next = 0;
    for (let cell = 0; cell < this.#numbers.length; cell++) {
      if (this.#numbers[cell] === 0) continue;
      this.#numbers[cell] = next;
      sorted[next++] = cell;
    }
    return sorted;
  }

  of(cell: number): number {
    return this.#numbers[cell] as number;
  }
}

/** Open addressing. A `Map` holds at most 16 million entries. */
class SparseCells implements Cells {
  #count = 0;
  /** The cell plus one, 0 if the slot is empty. */
  #cells = new Float64Array(1 << 16);
  #numbers = new Uint32Array(0);

  add(cell: number): void {
    const slot = this.#find(cell);
    if (this.#cells[slot] !== 0) return;
    this.#cells[slot] = cell + 1;
    if (++this.#count * 2 > this.#cells.length) this.#grow();
  }

  number(): Float64Array {
    const sorted = this.#cells.filter((cell) => cell !== 0).sort();
    this.#numbers = new Uint32Array(this.#cells.length);
    for (let number = 0; number < sorted.length; number++) {
      const cell = (sorted[number] as number) - 1;
      sorted[number] = cell;
      this.#numbers[this.#find(cell)] = number;
    }
    return sorted;
  }

  of(cell: number): number {
    return this.#numbers[this.#find(cell)] as number;
  }

  /** The slot of the cell, or the empty one where it belongs. */
  #find(cell: number): number {
    const mask = this.#cells.length - 1;
    let hash = Math.imul((cell % 2 ** 32) ^ Math.floor(cell / 2 ** 32), 0x9e3779b1);
    hash ^= hash >>> 15;
    let slot = hash & mask;
    while (this.#cells[slot] !== 0 && this.#cells[slot] !== cell + 1) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const old = this.#cells;
    this.#cells = new Float64Array(old.length * 4);
    for (const cell of old) if (cell !== 0) this.#cells[this.#find(cell - 1)] = cell;
  }
}
