/** Typed arrays that grow while an index is built, and the fixed ones on shared memory that it ends in. */

export class GrowingBytes {
  bytes = new Uint8Array(1 << 16);
  length = 0;

  /** Room for `count` more bytes; call it before writing to `bytes`. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  /** A loop, because for the few bytes of a name it is faster than `set` of a `subarray`. */
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

/** 0, 1, 2 … A loop, because `Uint32Array.from` calls a function for each. */
export function countUp(length: number): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(length);
  for (let index = 0; index < length; index++) numbers[index] = index;
  return numbers;
}

/** The narrowest unsigned array that holds values up to the greatest. */
export type Narrow = Uint8Array<SharedArrayBuffer> | Uint16Array<SharedArrayBuffer> | Uint32Array<SharedArrayBuffer>;

export function sharedNarrow(length: number, greatest: number): Narrow {
  if (greatest < 1 << 8) return sharedBytes(length);
  if (greatest < 1 << 16) return new Uint16Array(new SharedArrayBuffer(length * 2));
  return sharedNumbers(length);
}

export function sharedBytes(length: number): Uint8Array<SharedArrayBuffer> {
  return new Uint8Array(new SharedArrayBuffer(length));
}

export function sharedNumbers(length: number): Uint32Array<SharedArrayBuffer> {
  return new Uint32Array(new SharedArrayBuffer(length * 4));
}

export function shareNumbers(numbers: Uint32Array): Uint32Array<SharedArrayBuffer> {
  const shared = sharedNumbers(numbers.length);
  shared.set(numbers);
  return shared;
}
