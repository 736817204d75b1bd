import { isPartOfWord } from './word-shapes.ts';

/** Counts the edits from a word to the letters and digits of `text` from `from` to `to`, as `countEdits` does. */
export type EditCounter = (text: Uint8Array, from: number, to: number) => number;

export function createEditCounter(word: Uint8Array, limit: number): EditCounter {
  return word.length <= MAX_BITS ? createBitCounter(word, limit) : createTableCounter(word, limit);
}

/**
 * A column of the table of edits in two integers (Myers 1999, with swapped neighbours as Hyyrö 2003): one bit per byte of the word says
 * whether the value grows or falls there. That is ten times as fast as computing the values.
 */
function createBitCounter(word: Uint8Array, limit: number): EditCounter {
  const positions = new Int32Array(256);
  for (let at = 0; at < word.length; at++)
    positions[word[at] as number] = (positions[word[at] as number] as number) | (1 << at);
  const last = 1 << (word.length - 1);
  return (text, from, to) => {
    let [grows, falls, same, before, edits] = [-1, 0, 0, 0, word.length];
    for (let at = from; at < to; at++) {
      const byte = text[at] as number;
      if (!isPartOfWord(byte)) continue;
      const equal = positions[byte] as number;
      const swapped = ((~same & equal) << 1) & before;
      same = ((((equal & grows) + grows) | 0) ^ grows) | equal | falls | swapped;
      let more = falls | ~(same | grows);
      let less = same & grows;
      if ((more & last) !== 0) edits++;
      else if ((less & last) !== 0) edits--;
      if (edits - (to - at - 1) > limit) return limit + 1;
      more = (more << 1) | 1;
      less <<= 1;
      grows = less | ~(same | more);
      falls = more & same;
      before = equal;
    }
    return Math.min(edits, limit + 1);
  };
}

const MAX_BITS = 32;

function createTableCounter(word: Uint8Array, limit: number): EditCounter {
  const letters = new Uint8Array(MAX_COMPARED + limit);
  return (text, from, to) => {
    let length = 0;
    for (let at = from; at < to && length < letters.length; at++)
      if (isPartOfWord(text[at] as number)) letters[length++] = text[at] as number;
    return countEdits(letters, length, word, limit);
  };
}

/**
 * The number of edits between two texts, or `limit` + 1 if there are more than `limit`: bytes that are added, removed or replaced, and
 * neighbours that are swapped. Computes only the cells of the table that are within the limit.
 */
function countEdits(a: Uint8Array, aLength: number, b: Uint8Array, limit: number): number {
  if (Math.abs(aLength - b.length) > limit) return limit + 1;
  let [older, above, row] = ROWS as [Uint8Array, Uint8Array, Uint8Array];
  const none = limit + 1;
  for (let column = 0; column <= b.length; column++) above[column] = Math.min(column, none);
  for (let at = 1; at <= aLength; at++) {
    const first = Math.max(1, at - limit);
    const last = Math.min(b.length, at + limit);
    row[first - 1] = first === 1 ? Math.min(at, none) : none;
    let best = row[first - 1] as number;
    for (let column = first; column <= last; column++) {
      const isSame = a[at - 1] === b[column - 1];
      let edits = (above[column - 1] as number) + (isSame ? 0 : 1);
      edits = Math.min(edits, (row[column - 1] as number) + 1);
      if (column < at + limit) edits = Math.min(edits, (above[column] as number) + 1);
      const isSwapped = at > 1 && column > 1 && a[at - 1] === b[column - 2] && a[at - 2] === b[column - 1];
      if (isSwapped) edits = Math.min(edits, (older[column - 2] as number) + 1);
      row[column] = edits;
      best = Math.min(best, edits);
    }
    if (best > limit) return none;
    [older, above, row] = [above, row, older];
  }
  return Math.min(above[b.length] as number, none);
}

/** Texts that are compared have at most this many bytes. */
export const MAX_COMPARED = 64;
const ROWS = [0, 1, 2].map(() => new Uint8Array(MAX_COMPARED + 4));
