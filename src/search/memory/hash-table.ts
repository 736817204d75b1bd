import { firstNotBelow } from './answer/words.ts';
import { shareNumbers } from './shared-arrays.ts';

/** Makes a table that finds numbers by hashes of 28 bits (`hashName`), which are ascending. Several numbers may have an equal hash. */
export function createHashTable(count: number, listHashes: (number: number) => Iterable<number>) {
  const pairs: number[] = [];
  for (let number = 0; number < count; number++) {
    for (const hash of listHashes(number)) pairs.push(hash * MAX_NUMBERS + number);
  }
  const sorted = Float64Array.from(pairs).sort();
  return {
    hashes: shareNumbers(Uint32Array.from(sorted, (pair) => Math.floor(pair / MAX_NUMBERS))),
    numbers: shareNumbers(Uint32Array.from(sorted, (pair) => pair % MAX_NUMBERS)),
  };
}

/** The limit of numbers, because a hash of 28 bits and a number must fit into the 53 bits of a JavaScript number. */
const MAX_NUMBERS = 2 ** 25;

/** The numbers with this hash, ascending. */
export function findByHash(hashes: Uint32Array, numbers: Uint32Array, hash: number): Uint32Array {
  const from = firstNotBelow(hashes.length, (at) => (hashes[at] as number) < hash);
  return numbers.subarray(
    from,
    firstNotBelow(hashes.length, (at) => (hashes[at] as number) <= hash, from),
  );
}
