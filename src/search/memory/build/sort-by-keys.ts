import { GrowingNumbers } from './growing-arrays.ts';

/**
 * Sorts items, each of which has a sequence of 32-bit keys: names by the numbers of their words, words by their bytes, four
 * at a time. Items with equal first keys are a range, which is sorted by the second key, and so on. Ranges are sorted one
 * after the other, so that most of the work happens in the processor's cache; and only as many keys are read as are needed
 * to distinguish two items. The items must be in ascending order; items with equal keys keep this order.
 */
export interface Keys {
  /** The key of an item at a position of its sequence; `depth` counts from 0. */
  keyOf(item: number, depth: number): number;
  isLast(key: number): boolean;
}

/** For at most this many items, an insertion sort is fastest. */
const FEW = 24;
const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 1 : 0;

/** Calls `onEqual` for each range of several items whose keys are all equal. */
export function sortByKeys(
  items: Uint32Array,
  { keyOf, isLast }: Keys,
  onEqual: (from: number, to: number) => void = () => undefined,
): void {
  // Each key and its item are one number of 64 bits, because the native sort of numbers is the fastest.
  const pairs = new BigUint64Array(items.length);
  const halves = new Uint32Array(pairs.buffer);
  const [keyAt, itemAt] = [LITTLE_ENDIAN, 1 - LITTLE_ENDIAN];
  const ranges = new GrowingNumbers();
  const later = (from: number, to: number, depth: number) => {
    ranges.push(from);
    ranges.push(to);
    ranges.push(depth);
  };
  if (items.length > 1) later(0, items.length, 0);
  while (ranges.length > 0) {
    ranges.length -= 3;
    const from = ranges.values[ranges.length] as number;
    const to = ranges.values[ranges.length + 1] as number;
    const depth = ranges.values[ranges.length + 2] as number;
    const count = to - from;
    for (let index = 0; index < count; index++) {
      const item = items[from + index] as number;
      halves[2 * index + keyAt] = keyOf(item, depth);
      halves[2 * index + itemAt] = item;
    }
    if (count <= FEW) sortFew(halves, count, keyAt, itemAt);
    else pairs.subarray(0, count).sort();
    for (let index = 0; index < count; index++) items[from + index] = halves[2 * index + itemAt] as number;
    for (let start = 0; start < count; ) {
      const key = halves[2 * start + keyAt] as number;
      let end = start + 1;
      while (end < count && halves[2 * end + keyAt] === key) end++;
      if (end - start > 1) {
        if (isLast(key)) onEqual(from + start, from + end);
        else later(from + start, from + end, depth + 1);
      }
      start = end;
    }
  }
}

/** Sorts pairs of a key and an item by their keys. */
function sortFew(pairs: Uint32Array, count: number, keyAt: number, itemAt: number): void {
  for (let index = 2; index < 2 * count; index += 2) {
    const key = pairs[index + keyAt] as number;
    const item = pairs[index + itemAt] as number;
    let at = index;
    for (; at > 0 && (pairs[at - 2 + keyAt] as number) > key; at -= 2) {
      pairs[at + keyAt] = pairs[at - 2 + keyAt] as number;
      pairs[at + itemAt] = pairs[at - 2 + itemAt] as number;
    }
    pairs[at + keyAt] = key;
    pairs[at + itemAt] = item;
  }
}
