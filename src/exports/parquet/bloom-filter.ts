import xxhash from 'xxhash-wasm';

const { h64 } = await xxhash();

/** A Bloom filter of a column with texts, in blocks of eight words. */
export interface BloomFilter {
  /** Texts should be distinct: the size of the filter depends on their number. */
  add(text: string): void;
  /** Undefined if there are no texts, or if the filter would be longer than `maxBytes`. */
  finish(maxBytes: number): Uint32Array | undefined;
}

const SALT = [0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31] as const;
const FALSE_POSITIVES = 0.01;
const BLOCK_BYTES = 32;

export function createBloomFilter(): BloomFilter {
  const hashes: bigint[] = [];
  return {
    add: (text) => void hashes.push(h64(text)),
    finish(maxBytes) {
      const size = chooseBytes(hashes.length);
      if (hashes.length === 0 || size > maxBytes) return undefined;
      const words = new Uint32Array(size / 4);
      const blocks = words.length / 8;
      for (const hash of hashes) {
        const high = Number(hash >> 32n);
        const low = Number(hash & 0xffffffffn);
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

/** The size of the filter: whole blocks, and below 1 KiB a power of two, as in `parquet-mr`. */
function chooseBytes(values: number): number {
  const bits = (-8 * values) / Math.log(1 - FALSE_POSITIVES ** (1 / 8));
  const bytes = BLOCK_BYTES * Math.ceil(bits / (8 * BLOCK_BYTES));
  return bytes < 1_024 ? 2 ** Math.ceil(Math.log2(bytes)) : bytes;
}
