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
