import { detectBom } from './decode.ts';

/** The code pages that companies' names are usually written in. The order decides between code pages that fit equally. */
const CODE_PAGES = [
  ...['windows-1252', 'windows-1250', 'iso-8859-2', 'windows-1257', 'iso-8859-13', 'windows-1251', 'koi8-u'],
];
/** Encodings in which programs wrongly read a text in UTF-8 before they encode the text again. */
const READ_IN_BETWEEN = ['windows-1252', 'windows-1250', 'windows-1257', 'windows-1251'];

/** With so few letters, names of foreigners or names that the publisher has damaged could look like another encoding. */
const MIN_LETTERS = 3;
/** A longer sample must have at least one letter in this many bytes. */
const BYTES_PER_LETTER = 65_536;
/** How many letters of the language another encoding must find for each letter that it loses. */
const MIN_RATIO = 10;

/**
 * Describes the encoding of a text that is read in a wrong encoding: `in iso-8859-2`, or `in utf-8 twice, …`. Null if the sample does
 * not show a wrong encoding. `letters` matches the letters of the register's language beyond ASCII, which decide: the right encoding
 * shows many such letters, and a wrong encoding shows other characters. Without `letters` only undecodable text is noticed.
 */
export function findOtherEncoding(sample: Uint8Array, readAs: string, letters?: RegExp): string | null {
  const text = decode(sample, readAs);
  if (text === null) return isUtf8(readAs) ? findCodePage(sample, letters) : null;
  if (letters === undefined || readAs.startsWith('utf-16')) return null;
  const isClear = ({ found, lost }: Comparison) =>
    found >= Math.max(MIN_LETTERS, sample.length / BYTES_PER_LETTER) && found > MIN_RATIO * lost;
  if (isUtf8(readAs)) {
    const page = READ_IN_BETWEEN.find((between) => isClear(compareUtf8(encodeIn(between, text), letters)));
    return page === undefined ? null : `in utf-8 twice, read as ${page} in between`;
  }
  if (isClear(compareUtf8(sample, letters))) return 'in utf-8';
  const page = CODE_PAGES.find((other) => isClear(comparePages(sample, readAs, other, letters)));
  return page === undefined ? null : `in ${page}`;
}

/** Null if the bytes cannot be decoded, or if the encoding is unknown. Decodes as a stream, because a sample may end inside a character. */
function decode(sample: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: true });
  } catch {
    return null;
  }
}

/** UTF-16 by its byte order mark, or by the zeros in text that is mostly ASCII. Null for other text. */
export function findWide(start: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const bom = detectBom(start);
  if (bom !== null) return bom === 'utf-8' ? null : bom;
  const bytes = start.subarray(0, WIDE_SAMPLE);
  const count = (parity: number) => bytes.filter((byte, index) => byte === 0 && index % 2 === parity).length;
  const [even, odd] = [count(0), count(1)];
  if (Math.max(even, odd) <= bytes.length / 4 || Math.min(even, odd) > 0) return null;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

const WIDE_SAMPLE = 64;

const REPLACEMENT = '\ufffd';

function isUtf8(encoding: string): boolean {
  return encoding.toLowerCase() === 'utf-8';
}

/** Letters of the language that another encoding finds and loses. */
interface Comparison {
  readonly found: number;
  readonly lost: number;
}

/** In a text that is not in UTF-8, few characters beyond ASCII can be decoded as UTF-8. */
function compareUtf8(bytes: Uint8Array, letters: RegExp): Comparison {
  const text = new TextDecoder().decode(bytes, { stream: true });
  return { found: countLetters(text, letters), lost: text.split(REPLACEMENT).length - 1 };
}

/** Compares what two code pages make of the same bytes. */
function comparePages(sample: Uint8Array, one: string, other: string, letters: RegExp): Comparison {
  const listLetters = (page: string) => listCharacters(page).map((character) => letters.test(character));
  const [before, after] = [listLetters(one), listLetters(other)];
  let [found, lost] = [0, 0];
  for (const byte of sample) {
    if (byte < FIRST_BEYOND_ASCII || before[byte] === after[byte]) continue;
    if (after[byte]) found++;
    else lost++;
  }
  return { found, lost };
}

/** The code page in which text that is not UTF-8 has most letters of the language. Null if the text is damaged UTF-8. */
function findCodePage(sample: Uint8Array, letters = ANY_LETTER): string | null {
  const text = new TextDecoder().decode(sample);
  if (countLetters(text, ANY_LETTER) > text.split(REPLACEMENT).length - 1) return null;
  const pages = [...CODE_PAGES, 'shift_jis'];
  const counts = pages.map((page) => countLetters(new TextDecoder(page).decode(sample), letters));
  return `in ${pages[counts.indexOf(Math.max(...counts))]}`;
}

const ANY_LETTER = /\p{L}/u;
const FIRST_BEYOND_ASCII = 0x80;

/** Counts letters beyond ASCII. */
function countLetters(text: string, letters: RegExp): number {
  let count = 0;
  for (const [run] of text.matchAll(BEYOND_ASCII)) for (const character of run) if (letters.test(character)) count++;
  return count;
}

const BEYOND_ASCII = /[^\0-\x7f]+/g;

function listCharacters(encoding: string): readonly string[] {
  const decoder = new TextDecoder(encoding);
  return Array.from({ length: 256 }, (_, byte) => decoder.decode(Uint8Array.of(byte)));
}

/** The bytes of the characters beyond ASCII; characters that the page lacks become a byte that UTF-8 does not have. */
function encodeIn(page: string, text: string): Uint8Array {
  const bytes = new Map(listCharacters(page).map((character, byte) => [character, byte]));
  // Many programs read the bytes that windows-1252 has for quotes and dashes as control characters.
  if (page === 'windows-1252') for (let byte = 0x80; byte < 0xa0; byte++) bytes.set(String.fromCharCode(byte), byte);
  const runs = text.match(BEYOND_ASCII) ?? [];
  return Uint8Array.from(runs.join(' '), (character) => bytes.get(character) ?? 0xff);
}
