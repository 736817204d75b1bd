/** Typed arrays that grow while an index is built. */

export class GrowingBytes {
  bytes = new Uint8Array(1 << 16);
  length = 0;

  /** Makes room for `count` more bytes. Call it before writing to `bytes`, which it may replace. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  /** Copies in a loop: for the few bytes of a name that is faster than `set` of a `subarray`. */
  append(from: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    const { bytes } = this;
    let at = this.length;
    for (let index = start; index < end; index++) bytes[at++] = from[index] as number;
    this.length = at;
  }

  push(byte: number): void {
    this.reserve(1);
    this.bytes[this.length++] = byte;
  }
}

export class GrowingNumbers {
  values = new Uint32Array(1 << 14);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Uint32Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }
}

/** 0, 1, 2 … In a loop, because `Uint32Array.from` calls a function per element. */
export function countUp(length: number): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(length);
  for (let index = 0; index < length; index++) numbers[index] = index;
  return numbers;
}
