/**
 * Typed arrays that grow while an index is built. Memory that the arrays no longer need is freed at once (`transfer`): otherwise an
 * update of 50,000 documents would leave some 30 MB until V8 collects garbage.
 */

/** This many bytes after the last byte may be read, so that a value can be read in steps of four bytes. */
export const PADDING = 4;

export class GrowingBytes {
  bytes = new Uint8Array(1 << 16);
  length = 0;

  /** Makes room for `count` more bytes. Call before writing to `bytes`, because `reserve` may replace this array. */
  reserve(count: number): void {
    const needed = this.length + count + PADDING;
    if (needed <= this.bytes.length) return;
    this.bytes = new Uint8Array(this.bytes.buffer.transfer(Math.max(this.bytes.length * 2, needed)));
  }

  /** Copies in a loop, because for the few bytes of a name a loop is faster than `set` of a `subarray`. */
  append(from: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    const { bytes } = this;
    let at = this.length;
    for (let index = start; index < end; index++) bytes[at++] = from[index] as number;
    this.length = at;
  }

  /** Gives up the memory. */
  release(): void {
    this.bytes = new Uint8Array(this.bytes.buffer.transfer(0));
    this.length = 0;
  }
}

export class GrowingNumbers {
  values = new Uint32Array(1 << 14);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) this.reserve(1);
    this.values[this.length++] = value;
  }

  /** Makes room for `count` more numbers. Call before writing to `values`, because `reserve` may replace this array. */
  reserve(count: number): void {
    if (this.length + count <= this.values.length) return;
    // Positions in a list have 32 bits.
    if (this.length + count > MAX_LENGTH) throw new Error('the entities have more than 4 billion words or activities');
    const length = Math.max(this.values.length * 2, this.length + count);
    this.values = new Uint32Array(this.values.buffer.transfer(length * 4));
  }

  /** Gives up the memory. */
  release(): void {
    this.values = new Uint32Array(this.values.buffer.transfer(0));
    this.length = 0;
  }
}

const MAX_LENGTH = 2 ** 32 - 1;

/** Returns the numbers 0, 1, 2 … Filled in a loop, because `Uint32Array.from` calls a function per element. */
export function countUp(length: number): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(length);
  for (let index = 0; index < length; index++) numbers[index] = index;
  return numbers;
}
