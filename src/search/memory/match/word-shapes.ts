import { popCount } from '../sets.ts';
import { type Offsets, sharedNumbers } from '../shared-arrays.ts';

/**
 * The shape of a word: which letters and digits it has, in 27 bits, and how many, in 5. Words that differ by a few edits have similar
 * shapes, so that most words of the vocabulary need not be compared letter by letter. Other characters do not count: `a.b.c.` has the
 * shape of `abc`.
 */
const LETTERS = 27;
const LETTER_MASK = 2 ** LETTERS - 1;
const MAX_LENGTH = 31;

export function shapeWords(text: Uint8Array, starts: Offsets): Uint32Array<SharedArrayBuffer> {
  const shapes = sharedNumbers(starts.length - 1);
  for (let word = 0; word < shapes.length; word++) {
    // A zero byte follows each word.
    shapes[word] = shapeOf(text, starts[word] as number, (starts[word + 1] as number) - 1);
  }
  return shapes;
}

/** The words with other characters than letters and digits, sorted by their letters and digits. */
export function sortMarkedWords(text: Uint8Array, starts: Offsets): Uint32Array<SharedArrayBuffer> {
  const marked: { readonly word: number; readonly letters: string }[] = [];
  const letters = new Uint8Array(text.length);
  for (let word = 0; word < starts.length - 1; word++) {
    const [from, to] = [starts[word] as number, (starts[word + 1] as number) - 1];
    let length = 0;
    for (let at = from; at < to; at++) if (isPartOfWord(text[at] as number)) letters[length++] = text[at] as number;
    if (length < to - from) marked.push({ word, letters: Buffer.from(letters.subarray(0, length)).toString('latin1') });
  }
  // Stable, so that equal ones stay in the order of the vocabulary.
  marked.sort((a, b) => (a.letters < b.letters ? -1 : a.letters > b.letters ? 1 : 0));
  const sorted = sharedNumbers(marked.length);
  for (const [at, { word }] of marked.entries()) sorted[at] = word;
  return sorted;
}

/** Compares the letters and digits of the word at `start`, or the first `length` bytes of them, with the bytes. */
export function compareLetters(
  text: Uint8Array,
  start: number,
  bytes: Uint8Array,
  length = Number.POSITIVE_INFINITY,
): number {
  let compared = 0;
  for (let at = start; text[at] !== 0 && compared < length; at++) {
    const byte = text[at] as number;
    if (!isPartOfWord(byte)) continue;
    if (compared === bytes.length) return 1;
    if (byte !== bytes[compared]) return byte - (bytes[compared] as number);
    compared++;
  }
  return compared - bytes.length;
}

export function shapeOf(text: Uint8Array, from: number, to: number): number {
  let letters = 0;
  let length = 0;
  for (let at = from; at < to; at++) {
    const byte = text[at] as number;
    if (!isPartOfWord(byte)) continue;
    letters |= 1 << ((byte & 31) % LETTERS);
    length++;
  }
  return (letters | (Math.min(length, MAX_LENGTH) << LETTERS)) >>> 0;
}

/** Whether words of these shapes can be equal after at most `edits` edits. A letter that is added or removed changes one bit, another two. */
export function isNear(a: number, b: number, edits: number): boolean {
  const difference = Math.abs((a >>> LETTERS) - (b >>> LETTERS));
  return difference <= edits && popCount((a ^ b) & LETTER_MASK) <= 2 * edits - difference;
}

/** Calls `use` with the position of each shape that is near. */
export function eachNear(shapes: Uint32Array, shape: number, edits: number, use: (at: number) => void): void {
  const [shortest, longest] = [(shape >>> LETTERS) - edits, (shape >>> LETTERS) + edits];
  for (let at = 0; at < shapes.length; at++) {
    const length = (shapes[at] as number) >>> LETTERS;
    // Most shapes are of another length. This test is faster than a call.
    if (length >= shortest && length <= longest && isNear(shapes[at] as number, shape, edits)) use(at);
  }
}

/** Whether the byte belongs to a letter or a digit, as far as bytes tell: all characters beyond ASCII count as letters. */
export function isPartOfWord(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte >= 0x80;
}

/** Counts the edits from a word to the letters and digits of `text` from `from` to `to`, as `countEdits` does. */
type EditCounter = (text: Uint8Array, from: number, to: number) => number;

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
