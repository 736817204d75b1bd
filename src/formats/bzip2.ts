import { BitReader, type Code, readCode, readSymbol } from './bzip2-bits.ts';

/**
 * bzip2, unpacked as a stream, several streams in a row included. What was weighed against it: docs/decisions/0006.
 */
export async function* unpackBzip2(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]();
  const bits = new BitReader();
  try {
    await refill(bits, source);
    while (startStream(bits)) {
      const block = new Block(bits.read(8) - 0x30);
      let streamSum = 0;
      for (;;) {
        await refill(bits, source);
        const magic = bits.read(24) * 0x100_0000 + bits.read(24);
        const sum = bits.read32();
        if (magic === END) {
          if (sum !== streamSum) throw new Error('bzip2: checksum of the file differs');
          break;
        }
        if (magic !== BLOCK) throw new Error('bzip2: no block where one should begin');
        block.decode(bits);
        yield* block.expand();
        if (block.sum !== sum) throw new Error('bzip2: checksum of a block differs');
        streamSum = (((streamSum << 1) | (streamSum >>> 31)) ^ sum) >>> 0;
      }
      bits.align();
      await refill(bits, source);
    }
  } finally {
    await source.return?.();
  }
}

const BLOCK = 0x314159265359;
const END = 0x177245385090;

/** No block is longer packed: 900 000 symbols of at most 20 bits, and its tables. */
const LONGEST_BLOCK = 2_400_000;

async function refill(bits: BitReader, source: AsyncIterator<Uint8Array>): Promise<void> {
  if (bits.left() >= LONGEST_BLOCK) return;
  const chunks: Uint8Array[] = [];
  for (let left = bits.left(); left < 2 * LONGEST_BLOCK; ) {
    const next = await source.next();
    if (next.done) break;
    chunks.push(next.value);
    left += next.value.length;
  }
  if (chunks.length > 0) bits.append(chunks);
}

/** Whether another stream begins; what follows the last one is not ours. */
function startStream(bits: BitReader): boolean {
  return bits.left() >= 4 && bits.read(24) === 0x425a68;
}

const GROUP = 50;

/** The buffers of one block, used again for the next. */
class Block {
  sum = 0;
  readonly #most: number;
  /** Low 8 bits: the byte; above: index of the one that follows it. */
  readonly #chain: Uint32Array;
  #length = 0;
  #first = 0;

  constructor(level: number) {
    if (!(level >= 1 && level <= 9)) throw new Error('bzip2: unknown level');
    this.#most = level * 100_000;
    this.#chain = new Uint32Array(this.#most);
  }

  decode(bits: BitReader): void {
    if (bits.read(1) === 1) throw new Error('bzip2: randomized blocks are not supported');
    this.#first = bits.read(24);
    const order = readUsedBytes(bits);
    const groups = bits.read(3);
    const selectors = readSelectors(bits, groups);
    const codes = Array.from({ length: groups }, () => readCode(bits, order.length + 2));
    this.#length = this.#readSymbols(bits, order, selectors, codes);
    if (this.#first >= this.#length && this.#length > 0) throw new Error('bzip2: a block points outside itself');
    this.#link();
  }

  /** Huffman codes → runs and move-to-front positions → bytes, in the order of the transform. */
  #readSymbols(bits: BitReader, order: Uint8Array, selectors: Uint8Array, codes: readonly Code[]): number {
    const chain = this.#chain;
    const end = order.length + 1;
    let length = 0;
    let run = 0;
    let weight = 1;
    for (const selector of selectors) {
      const code = codes[selector];
      if (code === undefined) throw new Error('bzip2: unknown code');
      for (let left = GROUP; left > 0; left -= 1) {
        const symbol = readSymbol(bits, code);
        if (symbol <= 1) {
          run += weight << symbol;
          weight <<= 1;
          if (run > this.#most) throw new Error('bzip2: a block is too long');
          continue;
        }
        if (run > 0) {
          if (length + run > this.#most) throw new Error('bzip2: a block is too long');
          chain.fill(order[0] as number, length, length + run);
          length += run;
          run = 0;
          weight = 1;
        }
        if (symbol === end) {
          bits.checkEnd();
          return length;
        }
        const byte = order[symbol - 1] as number;
        for (let index = symbol - 1; index > 0; index -= 1) order[index] = order[index - 1] as number;
        order[0] = byte;
        if (length >= this.#most) throw new Error('bzip2: a block is too long');
        chain[length] = byte;
        length += 1;
      }
      bits.checkEnd();
    }
    throw new Error('bzip2: a block has no end');
  }

  /** Undoes the Burrows-Wheeler transform: notes at each byte which one follows. */
  #link(): void {
    const chain = this.#chain;
    const starts = new Uint32Array(256);
    for (let index = 0; index < this.#length; index += 1) {
      const byte = (chain[index] as number) & 0xff;
      starts[byte] = (starts[byte] as number) + 1;
    }
    let sum = 0;
    for (let byte = 0; byte < 256; byte += 1) {
      const count = starts[byte] as number;
      starts[byte] = sum;
      sum += count;
    }
    for (let index = 0; index < this.#length; index += 1) {
      const byte = (chain[index] as number) & 0xff;
      const place = starts[byte] as number;
      starts[byte] = place + 1;
      chain[place] = (chain[place] as number) | (index << 8);
    }
  }

  /** The bytes; four alike are followed by a count of more. */
  *expand(): Generator<Uint8Array> {
    const chain = this.#chain;
    let out = Buffer.allocUnsafe(OUTPUT);
    let size = 0;
    let sum = 0xffff_ffff;
    let place = this.#length === 0 ? 0 : (chain[this.#first] as number) >>> 8;
    let previous = -1;
    let alike = 0;
    for (let left = this.#length; left > 0; left -= 1) {
      const link = chain[place] as number;
      const byte = link & 0xff;
      place = link >>> 8;
      let times = 1;
      let value = byte;
      if (alike === 4) {
        times = byte;
        value = previous;
        alike = 0;
        previous = -1;
      } else if (byte === previous) alike += 1;
      else {
        previous = byte;
        alike = 1;
      }
      for (; times > 0; times -= 1) {
        sum = (sum << 8) ^ (SUMS[(sum >>> 24) ^ value] as number);
        out[size] = value;
        size += 1;
      }
      if (size > OUTPUT - 256) {
        yield out.subarray(0, size);
        out = Buffer.allocUnsafe(OUTPUT);
        size = 0;
      }
    }
    if (size > 0) yield out.subarray(0, size);
    this.sum = ~sum >>> 0;
  }
}

const OUTPUT = 131_072;

/** CRC-32 of bzip2: the ordinary polynomial, most significant bit first. */
const SUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) sum = (sum << 1) ^ (sum & 0x8000_0000 ? 0x04c1_1db7 : 0);
  return sum >>> 0;
});

function readUsedBytes(bits: BitReader): Uint8Array {
  const used: number[] = [];
  const ranges = bits.read(16);
  for (let range = 0; range < 16; range += 1) {
    if (((ranges >>> (15 - range)) & 1) === 0) continue;
    const map = bits.read(16);
    for (let byte = 0; byte < 16; byte += 1) if ((map >>> (15 - byte)) & 1) used.push(range * 16 + byte);
  }
  if (used.length === 0) throw new Error('bzip2: a block without bytes');
  return Uint8Array.from(used);
}

function readSelectors(bits: BitReader, groups: number): Uint8Array {
  const order = Uint8Array.from({ length: groups }, (_, index) => index);
  return Uint8Array.from({ length: bits.read(15) }, () => {
    let position = 0;
    while (bits.read(1) === 1) position += 1;
    const selected = order[position];
    if (selected === undefined) throw new Error('bzip2: unknown code');
    order.copyWithin(1, 0, position);
    order[0] = selected;
    return selected;
  });
}
