import { popCount } from '../sets.ts';
import { type Offsets, sharedNumbers } from '../shared-arrays.ts';

/**
 * The shape of a word: 27 bits for the letters and digits that it contains, and 5 bits for their number. Words that differ by a few edits
 * have similar shapes, so that most words of the vocabulary need not be compared letter by letter. Other characters do not count: `a.b.c.`
 * has the shape of `abc`.
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

/**
 * Calls `use` with the position of each shape whose word may equal the word of the given shape after at most `edits` edits. An added or
 * removed letter changes one bit, a replaced letter two.
 */
export function eachNear(shapes: Uint32Array, shape: number, edits: number, use: (at: number) => void): void {
  const length = shape >>> LETTERS;
  for (let at = 0; at < shapes.length; at++) {
    const other = shapes[at] as number;
    const difference = Math.abs((other >>> LETTERS) - length);
    // Most words have another length.
    if (difference <= edits && popCount((other ^ shape) & LETTER_MASK) <= 2 * edits - difference) use(at);
  }
}

/** Whether the byte belongs to a letter or a digit. All characters beyond ASCII count as letters. */
export function isPartOfWord(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte >= 0x80;
}

/** Counts the edits to the letters and digits of `text` from `from` to `to`: bytes added, removed or replaced, and neighbours swapped. */
type EditCounter = (text: Uint8Array, from: number, to: number) => number;

/**
 * Counts up to `limit` edits; for more edits, returns `limit` + 1. A column of the table of edits is stored in two integers (Myers 1999,
 * with swapped neighbours as in Hyyrö 2003): one bit per byte of the word, at most `MAX_COMPARED`, is set if the value grows or falls at
 * this byte. This is ten times as fast as computing the values.
 */
export function createEditCounter(word: Uint8Array, limit: number): EditCounter {
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

/** The maximum number of bytes of a word, because each byte needs one bit of an integer. */
export const MAX_COMPARED = 32;
