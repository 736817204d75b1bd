/**
 * xxHash64 with seed 0, the hash of Parquet's Bloom filters, in halves of 32 bits. With BigInt, as the library computes it, the two
 * filters took 13 of 110 µs per record.
 */
interface Hash64 {
  high: number;
  low: number;
}

type Constant = readonly [high: number, low: number];

const P1: Constant = [0x9e3779b1, 0x85ebca87];
const P2: Constant = [0xc2b2ae3d, 0x27d4eb4f];
const P3: Constant = [0x165667b1, 0x9e3779f9];
const P4: Constant = [0x85ebca77, 0xc2b2ae63];
const P5: Constant = [0x27d4eb2f, 0x165667c5];

const create = (): Hash64 => ({ high: 0, low: 0 });
const lanes = [create(), create(), create(), create()] as const;
const scratch = create();
const word = create();

function set(to: Hash64, high: number, low: number): void {
  to.high = high | 0;
  to.low = low | 0;
}

function add(to: Hash64, high: number, low: number): void {
  const sum = (to.low >>> 0) + (low >>> 0);
  to.high = (to.high + high + (sum > 0xffffffff ? 1 : 0)) | 0;
  to.low = sum | 0;
}

function xor(to: Hash64, high: number, low: number): void {
  to.high ^= high;
  to.low ^= low;
}

function multiply(to: Hash64, constant: Constant): void {
  const high = constant[0];
  const low = constant[1];
  const a = to.low >>> 16;
  const b = to.low & 0xffff;
  const c = low >>> 16;
  const d = low & 0xffff;
  const ad = a * d;
  const bc = b * c;
  const bd = b * d;
  const middle = (bd >>> 16) + (ad & 0xffff) + (bc & 0xffff);
  const carried = a * c + (ad >>> 16) + (bc >>> 16) + (middle >>> 16);
  to.high = (carried + Math.imul(to.high, low) + Math.imul(to.low, high)) | 0;
  to.low = (bd & 0xffff) | (middle << 16);
}

/** Rotates to the left, by 1 to 31 bits. */
function rotate(to: Hash64, bits: number): void {
  const { high, low } = to;
  to.high = (high << bits) | (low >>> (32 - bits));
  to.low = (low << bits) | (high >>> (32 - bits));
}

function shiftXor(to: Hash64, bits: number): void {
  const { high, low } = to;
  if (bits >= 32) to.low = low ^ (high >>> (bits - 32));
  else {
    to.low = low ^ ((low >>> bits) | (high << (32 - bits)));
    to.high = high ^ (high >>> bits);
  }
}

function round(lane: Hash64, high: number, low: number): void {
  set(scratch, high, low);
  multiply(scratch, P2);
  add(lane, scratch.high, scratch.low);
  rotate(lane, 31);
  multiply(lane, P1);
}

function addRotated(hash: Hash64, { high, low }: Hash64, bits: number): void {
  set(word, high, low);
  rotate(word, bits);
  add(hash, word.high, word.low);
}

function merge(hash: Hash64, { high, low }: Hash64): void {
  set(word, 0, 0);
  round(word, high, low);
  xor(hash, word.high, word.low);
  multiply(hash, P1);
  add(hash, P4[0], P4[1]);
}

/** Writes the hash of the first `length` bytes to `hash`. */
export function hashBytes(bytes: DataView, length: number, hash: Hash64): void {
  let at = 0;
  if (length >= 32) {
    const [first, second, third, fourth] = lanes;
    set(first, P1[0], P1[1]);
    add(first, P2[0], P2[1]);
    set(second, P2[0], P2[1]);
    set(third, 0, 0);
    set(fourth, ~P1[0], ~P1[1]);
    add(fourth, 0, 1);
    for (; at + 32 <= length; at += 32) {
      round(first, bytes.getInt32(at + 4, true), bytes.getInt32(at, true));
      round(second, bytes.getInt32(at + 12, true), bytes.getInt32(at + 8, true));
      round(third, bytes.getInt32(at + 20, true), bytes.getInt32(at + 16, true));
      round(fourth, bytes.getInt32(at + 28, true), bytes.getInt32(at + 24, true));
    }
    set(hash, 0, 0);
    addRotated(hash, first, 1);
    addRotated(hash, second, 7);
    addRotated(hash, third, 12);
    addRotated(hash, fourth, 18);
    merge(hash, first);
    merge(hash, second);
    merge(hash, third);
    merge(hash, fourth);
  } else set(hash, P5[0], P5[1]);
  add(hash, 0, length);
  for (; at + 8 <= length; at += 8) {
    set(word, 0, 0);
    round(word, bytes.getInt32(at + 4, true), bytes.getInt32(at, true));
    xor(hash, word.high, word.low);
    rotate(hash, 27);
    multiply(hash, P1);
    add(hash, P4[0], P4[1]);
  }
  if (at + 4 <= length) {
    set(scratch, 0, bytes.getInt32(at, true));
    multiply(scratch, P1);
    xor(hash, scratch.high, scratch.low);
    rotate(hash, 23);
    multiply(hash, P2);
    add(hash, P3[0], P3[1]);
    at += 4;
  }
  for (; at < length; at++) {
    set(scratch, 0, bytes.getUint8(at));
    multiply(scratch, P5);
    xor(hash, scratch.high, scratch.low);
    rotate(hash, 11);
    multiply(hash, P1);
  }
  shiftXor(hash, 33);
  multiply(hash, P2);
  shiftXor(hash, 29);
  multiply(hash, P3);
  shiftXor(hash, 32);
}

/** A Bloom filter of a column with texts, in blocks of eight words. */
export interface BloomFilter {
  /** Texts should be distinct: the size of the filter depends on their number. */
  add(text: string): void;
  /** Undefined if there are no texts, or if it would be longer than `maxBytes`. */
  finish(maxBytes: number): Uint32Array | undefined;
}

const SALT = [0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31] as const;
const FALSE_POSITIVES = 0.01;
const BLOCK_BYTES = 32;

export function createBloomFilter(): BloomFilter {
  let bytes = Buffer.alloc(256);
  let view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const hash: Hash64 = { high: 0, low: 0 };
  const hashes: number[] = [];
  return {
    add(text) {
      if (bytes.length < 3 * text.length) {
        bytes = Buffer.alloc(6 * text.length);
        view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      }
      hashBytes(view, bytes.write(text), hash);
      hashes.push(hash.high >>> 0, hash.low);
    },
    finish(maxBytes) {
      const size = chooseBytes(hashes.length / 2);
      if (hashes.length === 0 || size > maxBytes) return undefined;
      const words = new Uint32Array(size / 4);
      const blocks = words.length / 8;
      for (let at = 0; at < hashes.length; at += 2) {
        const high = hashes[at] as number;
        const low = hashes[at + 1] as number;
        const block = 8 * Math.floor((high * blocks) / 2 ** 32);
        for (let index = 0; index < 8; index++) {
          const bit = Math.imul(low, SALT[index] as number) >>> 27;
          words[block + index] = (words[block + index] as number) | (1 << bit);
        }
      }
      return words;
    },
  };
}

/** Whole blocks, and a power of two below 1 KiB, as `parquet-mr` chooses it. */
function chooseBytes(values: number): number {
  const bits = (-8 * values) / Math.log(1 - FALSE_POSITIVES ** (1 / 8));
  const bytes = BLOCK_BYTES * Math.ceil(bits / (8 * BLOCK_BYTES));
  return bytes < 1_024 ? 2 ** Math.ceil(Math.log2(bytes)) : bytes;
}
