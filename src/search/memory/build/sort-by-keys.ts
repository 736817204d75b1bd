import { GrowingNumbers } from './growing-arrays.ts';

/**
 * Sorts items, each of which has a sequence of 32-bit keys: names by the numbers of their words, words by their bytes, four
 * at a time. Items with equal first keys are a range, which is sorted by the second key, and so on. Ranges are sorted one
 * after the other, so that most of the work happens in the processor's cache; and only as many keys are read as are needed
 * to distinguish two items. Items with equal keys keep their order.
 */
export interface Keys {
  /** The key of an item at a position of its sequence; `depth` counts from 0. */
  keyOf(item: number, depth: number): number;
  isLast(key: number): boolean;
}

/** For at most this many items, an insertion sort is fastest. */
const FEW = 24;
/** For at most this many items, a key and the position of its item fit into the 53 bits of a number. */
const MAX_PACKED = 2 ** 20;

/** Calls `onEqual` for each range of several items whose keys are all equal. `maxPacked` is a parameter for tests. */
export function sortByKeys(
  items: Uint32Array,
  { keyOf, isLast }: Keys,
  onEqual: (from: number, to: number) => void = () => undefined,
  maxPacked = MAX_PACKED,
): void {
  const sorter = createSorter(items, maxPacked);
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
    const keys = sorter.keysFor(count);
    for (let index = 0; index < count; index++) keys[index] = keyOf(items[from + index] as number, depth);
    sorter.sort(keys, from, count);
    for (let start = 0; start < count; ) {
      const key = keys[start] as number;
      let end = start + 1;
      while (end < count && keys[end] === key) end++;
      if (end - start > 1) {
        if (isLast(key)) onEqual(from + start, from + end);
        else later(from + start, from + end, depth + 1);
      }
      start = end;
    }
  }
}

function createSorter(items: Uint32Array, maxPacked: number) {
  const room = Math.min(items.length, maxPacked);
  const packed = new Float64Array(room);
  const moved = new Uint32Array(room);
  const someKeys = new Uint32Array(room);

  function sortFew(keys: Uint32Array, from: number, count: number): void {
    for (let index = 1; index < count; index++) {
      const key = keys[index] as number;
      const item = items[from + index] as number;
      let at = index;
      for (; at > 0 && (keys[at - 1] as number) > key; at--) {
        keys[at] = keys[at - 1] as number;
        items[from + at] = items[from + at - 1] as number;
      }
      keys[at] = key;
      items[from + at] = item;
    }
  }

  /** Packs each key and position into one number and sorts these numbers, because the native sort of numbers is the fastest. */
  function sortPacked(keys: Uint32Array, from: number, count: number): void {
    for (let index = 0; index < count; index++) {
      packed[index] = (keys[index] as number) * MAX_PACKED + index;
      moved[index] = items[from + index] as number;
    }
    packed.subarray(0, count).sort();
    for (let index = 0; index < count; index++) {
      const both = packed[index] as number;
      const key = Math.floor(both / MAX_PACKED);
      keys[index] = key;
      items[from + index] = moved[both - key * MAX_PACKED] as number;
    }
  }

  return {
    keysFor: (count: number) => (count <= room ? someKeys : new Uint32Array(count)),
    sort(keys: Uint32Array, from: number, count: number): void {
      if (count <= FEW) sortFew(keys, from, count);
      else if (count <= room) sortPacked(keys, from, count);
      else sortMany(keys, items.subarray(from, from + count));
    },
  };
}

/** A radix sort: by the lower 16 bits, then by the higher 16 bits. */
function sortMany(keys: Uint32Array, items: Uint32Array): void {
  const otherKeys = new Uint32Array(keys.length);
  const otherItems = new Uint32Array(keys.length);
  distribute(keys, items, otherKeys, otherItems, 0);
  distribute(otherKeys, otherItems, keys, items, 16);
}

function distribute(
  keys: Uint32Array,
  items: Uint32Array,
  toKeys: Uint32Array,
  toItems: Uint32Array,
  shift: number,
): void {
  const next = new Uint32Array(0x10001);
  for (let index = 0; index < keys.length; index++) {
    const digit = (((keys[index] as number) >>> shift) & 0xffff) + 1;
    next[digit] = (next[digit] as number) + 1;
  }
  for (let digit = 1; digit < next.length; digit++) {
    next[digit] = (next[digit] as number) + (next[digit - 1] as number);
  }
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as number;
    const digit = (key >>> shift) & 0xffff;
    const at = next[digit] as number;
    next[digit] = at + 1;
    toKeys[at] = key;
    toItems[at] = items[index] as number;
  }
}
