/** Describes a file that cannot be read as rows, for error messages. Null when it looks like plain text. */
export function describeUnexpected(start: Uint8Array): string | null {
  const bytes = Buffer.from(start.buffer, start.byteOffset, Math.min(start.byteLength, 1024));
  const hex = bytes.toString('hex', 0, 16);
  const binary = MAGIC.find(([magic]) => hex.startsWith(magic));
  if (binary !== undefined) return binary[1];
  if (BZIP2.test(hex)) return 'a bzip2 archive (unpack it first)';
  if (hex.startsWith('52494646') && bytes.toString('latin1', 8, 12) === 'WEBP') return 'an image';
  const text = toText(bytes);
  return TEXTS.find(([pattern]) => pattern.test(text))?.[1] ?? (isBinary(text) ? 'a binary file' : null);
}

/** A text can have a stray control character. Of random bytes, every tenth is a control character. */
const MAX_CONTROL_SHARE = 0.02;

function isBinary(text: string): boolean {
  const controls = [...text].filter((character) => character < ' ' && !/\s/.test(character)).length;
  return text.includes('\0') || controls > text.length * MAX_CONTROL_SHARE;
}

/** `BZh`, the level, then the first block or the end of the stream: a text file may well start with "BZh". */
const BZIP2 = /^425a683[1-9](314159265359|177245385090)/;

const MAGIC: readonly (readonly [string, string])[] = [
  ['25504446', 'a PDF'],
  ['d0cf11e0a1b11ae1', 'an old .xls workbook (save it as .xlsx or CSV)'],
  ['89504e47', 'an image'],
  ['ffd8ff', 'an image'],
  ['47494638', 'an image'],
  ['50415231', 'a Parquet file'],
  ['377abcaf271c', 'a 7z archive (unpack it first)'],
  ['526172211a07', 'a rar archive (unpack it first)'],
  ['504b0304', 'a zip archive'],
  ['504b0506', 'an empty zip archive'],
  ['1f8b', 'a gzip archive'],
  ['fd377a585a00', 'an xz archive (unpack it first)'],
  ['28b52ffd', 'a zstd archive (unpack it first)'],
  ['53514c69746520666f726d6174', 'an SQLite database'],
];

/** Some servers answer with a page and status 200 instead of the file (LT does). Readers do not try to parse it. */
export const HTML_PAGE = 'an HTML page (a login or error page saved as data?)';

const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^\s*(<!--.*?-->\s*)*(<\?xml[^>]*>\s*)?(<!doctype html|<html|<head|<body)/is, HTML_PAGE],
  [/^\s*(<\?xml|<!--|<[a-z_][\w:.-]*(\s[^>]*)?\/?>)/i, 'an XML document'],
  [/^\s*(\{\s*("|\}|$)|\[\s*([[{"\]]|$))/, 'a JSON document'],
];

function toText(bytes: Buffer): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return new TextDecoder(isUtf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(bytes);
}
