import { sharedNumbers, sharedOffsets, shareNumbers } from '../shared-arrays.ts';
import { countUp, GrowingNumbers } from './growing-arrays.ts';
import { sortByKeys } from './sort-by-keys.ts';
import { decodeJson, ID_BYTES, startOfRow, type TextRows } from './texts.ts';

/**
 * The documents in result order: by folded name, then name, then id, each by code point. Words are numbered in
 * code-point order, and no character of a word sorts below the space between words (`fold` turns control characters
 * into spaces), so comparing two lists of word numbers gives the same result as comparing the two folded names.
 */
export interface Order {
  readonly rows: Uint32Array<SharedArrayBuffer>;
  /**
   * From, to, from, to …: ranges of documents with equal folded names. `sortEqualNames` sorts each range later. Everything
   * that depends only on the words can be built before this.
   */
  readonly equal: Uint32Array<SharedArrayBuffer>;
}

/** Sorts rows by their words. `starts` has the position where each row's words start and, at the end, where the last row's words end. */
export function sortByWords(count: number, words: Uint32Array, starts: Uint32Array): Order {
  const rows = shareNumbers(countUp(count));
  const equal = new GrowingNumbers();
  sortByKeys(
    rows,
    {
      /** The key after the last word is 0, so that a shorter name sorts first. */
      keyOf(row, position) {
        const at = (starts[row] as number) + position;
        return at < (starts[row + 1] as number) ? (words[at] as number) + 1 : 0;
      },
      isLast: (key) => key === 0,
    },
    (from, to) => {
      equal.push(from);
      equal.push(to);
    },
  );
  return { rows, equal: shareNumbers(equal.values.subarray(0, equal.length)) };
}

/** Sorts documents with equal folded names by name and id. */
export function sortEqualNames({ rows, equal }: Order, { records, bytes: { bytes } }: TextRows): void {
  /** The name is the first text. The byte order of UTF-8 is code-point order. */
  const readName = (start: number) => decodeJson(bytes.subarray(start, bytes.indexOf(0, start)));
  const compare = (a: number, b: number) => {
    const [startA, startB] = [startOfRow(records, a), startOfRow(records, b)];
    return (
      Buffer.compare(readName(startA + ID_BYTES), readName(startB + ID_BYTES)) ||
      Buffer.compare(bytes.subarray(startA, startA + ID_BYTES), bytes.subarray(startB, startB + ID_BYTES))
    );
  };
  for (let range = 0; range < equal.length; range += 2) {
    // Sorts a copy: the other thread reads the rows meanwhile, and must find a row of the range in each place.
    const sorted = rows.slice(equal[range], equal[range + 1]).sort(compare);
    rows.set(sorted, equal[range]);
  }
}

/** Copies the words of all rows into document order. */
export function reorderWords(words: Uint32Array, starts: Uint32Array, order: Uint32Array) {
  const groups = sharedNumbers(starts[order.length] as number);
  const orderedStarts = sharedOffsets(order.length + 1, groups.length);
  let at = 0;
  for (let doc = 0; doc < order.length; doc++) {
    const row = order[doc] as number;
    const end = starts[row + 1] as number;
    for (let from = starts[row] as number; from < end; from++) groups[at++] = words[from] as number;
    orderedStarts[doc + 1] = at;
  }
  return { groups, starts: orderedStarts };
}
