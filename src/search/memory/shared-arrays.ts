/** Typed arrays on shared memory, which an index consists of: all serving threads read the same copy. */

/** An array with as few bytes per element as the greatest value needs. */
export type Narrow = Uint8Array<SharedArrayBuffer> | Uint16Array<SharedArrayBuffer> | Uint32Array<SharedArrayBuffer>;

export function sharedNarrow(length: number, greatest: number): Narrow {
  if (greatest < 1 << 8) return sharedBytes(length);
  if (greatest < 1 << 16) return sharedShorts(length);
  return sharedNumbers(length);
}

/** Positions in another array. A `Float64Array` holds every position that an array can have. */
export type Offsets = Uint32Array<SharedArrayBuffer> | Float64Array<SharedArrayBuffer>;

let greatestShort = 2 ** 32 - 1;

export function sharedOffsets(length: number, greatest: number): Offsets {
  return greatest > greatestShort ? new Float64Array(new SharedArrayBuffer(length * 8)) : sharedNumbers(length);
}

/** For tests: offsets above `greatest` take eight bytes from now on, so that a small index uses wide arrays. */
export function limitShortOffsets(greatest: number): void {
  greatestShort = greatest;
}

export function sharedBytes(length: number): Uint8Array<SharedArrayBuffer> {
  return new Uint8Array(new SharedArrayBuffer(length));
}

export function sharedShorts(length: number): Uint16Array<SharedArrayBuffer> {
  return new Uint16Array(new SharedArrayBuffer(length * 2));
}

export function sharedNumbers(length: number): Uint32Array<SharedArrayBuffer> {
  return new Uint32Array(new SharedArrayBuffer(length * 4));
}

export function shareNumbers(numbers: Uint32Array): Uint32Array<SharedArrayBuffer> {
  const shared = sharedNumbers(numbers.length);
  shared.set(numbers);
  return shared;
}
