/** The bits of a bzip2 file and the Huffman codes they are written in. */
export class BitReader {
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #bits = 0;
  #count = 0;

  left(): number {
    return this.#bytes.length - this.#at + (this.#count >> 3);
  }

  append(chunks: readonly Uint8Array[]): void {
    this.#bytes = Buffer.concat([this.#bytes.subarray(this.#at), ...chunks]);
    this.#at = 0;
  }

  align(): void {
    this.#count -= this.#count % 8;
  }

  /** The next bits without taking them, at most 24; zeros after the end. */
  peek(count: number): number {
    while (this.#count < count) {
      this.#bits = (this.#bits << 8) | (this.#bytes[this.#at] ?? 0);
      this.#at += 1;
      this.#count += 8;
    }
    return (this.#bits >>> (this.#count - count)) & ((1 << count) - 1);
  }

  skip(count: number): void {
    this.#count -= count;
  }

  read(count: number): number {
    const value = this.peek(count);
    this.#count -= count;
    this.checkEnd();
    return value;
  }

  read32(): number {
    return this.read(16) * 0x1_0000 + this.read(16);
  }

  checkEnd(): void {
    if (this.left() < 0) throw new Error('bzip2: the file ends too early');
  }
}

const FAST_BITS = 11;
const MOST_BITS = 20;

/** A canonical Huffman code: short codes by table, the rare long ones by comparison. */
export interface Code {
  /** By the next 11 bits: symbol × 32 + length; 0 when the code is longer. */
  readonly fast: Uint16Array;
  /** By length: the first code that is longer, left-aligned to 20 bits; and what to subtract for the index in `symbols`. */
  readonly limits: Uint32Array;
  readonly offsets: Int32Array;
  readonly symbols: Uint16Array;
}

export function readCode(bits: BitReader, size: number): Code {
  let length = bits.read(5);
  const lengths = Uint8Array.from({ length: size }, () => {
    while (bits.read(1) === 1) length += bits.read(1) === 0 ? 1 : -1;
    if (length < 1 || length > MOST_BITS) throw new Error('bzip2: a code of impossible length');
    return length;
  });
  const fast = new Uint16Array(1 << FAST_BITS);
  const limits = new Uint32Array(MOST_BITS + 1);
  const offsets = new Int32Array(MOST_BITS + 1);
  const symbols = new Uint16Array(size);
  let code = 0;
  let index = 0;
  for (let bitsOfCode = 1; bitsOfCode <= MOST_BITS; bitsOfCode += 1) {
    offsets[bitsOfCode] = code - index;
    for (let symbol = 0; symbol < size; symbol += 1) {
      if (lengths[symbol] !== bitsOfCode) continue;
      symbols[index] = symbol;
      if (bitsOfCode <= FAST_BITS) {
        const spare = FAST_BITS - bitsOfCode;
        fast.fill(symbol * 32 + bitsOfCode, code << spare, (code + 1) << spare);
      }
      index += 1;
      code += 1;
    }
    limits[bitsOfCode] = code << (MOST_BITS - bitsOfCode);
    code <<= 1;
  }
  return { fast, limits, offsets, symbols };
}

export function readSymbol(bits: BitReader, code: Code): number {
  const peeked = bits.peek(MOST_BITS);
  const entry = code.fast[peeked >>> (MOST_BITS - FAST_BITS)] as number;
  if (entry !== 0) {
    bits.skip(entry & 31);
    return entry >>> 5;
  }
  for (let length = FAST_BITS + 1; length <= MOST_BITS; length += 1) {
    if (peeked >= (code.limits[length] as number)) continue;
    bits.skip(length);
    return code.symbols[(peeked >>> (MOST_BITS - length)) - (code.offsets[length] as number)] as number;
  }
  throw new Error('bzip2: a code that means nothing');
}
