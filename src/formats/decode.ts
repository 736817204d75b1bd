import { formatCount } from '../base/format-count.ts';
import { FormatError } from './rows.ts';

/**
 * Decodes the bytes piece by piece and drops the byte order mark. A byte order mark overrides the declared encoding,
 * because declarations are often wrong.
 */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>, declared: string): AsyncGenerator<string> {
  const { start, all } = await peekBytes(bytes, 3);
  const decoder = makeDecoder(detectBom(start) ?? declared);
  const { encoding } = decoder;
  let position = 0;
  const decode = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      const place = `after the first ${formatCount(position)}`;
      throw new FormatError(`bytes that are not ${encoding} ${place}: the file was saved in another encoding`);
    }
  };
  let isWide = false;
  for await (const chunk of all) {
    const size = isWide ? PIECE : chunk.length;
    isWide = false;
    for (let at = 0, end = 0; at < chunk.length; at = end) {
      end = findPieceEnd(chunk, at, size);
      const text = decode(chunk.subarray(at, end));
      position += end - at;
      isWide ||= encoding === 'utf-8' && WIDE.test(text);
      if (text !== '') yield text;
    }
  }
  decode();
}

/**
 * A single character above U+00FF makes the whole decoded text, and everything that is cut out of it, take two bytes per
 * character. So after a chunk with such characters the next chunk is decoded in pieces of about this many bytes: most pieces
 * have none, and an import of GB takes a tenth less processor time. The test for such characters costs almost nothing.
 */
const PIECE = 4_096;
const WIDE = /[\u0100-\uffff]/;

/** The end of the piece: after a line end if there is one, so that readers seldom have to continue a row. */
function findPieceEnd(chunk: Uint8Array, start: number, size: number): number {
  const longest = start + size;
  if (longest >= chunk.length) return chunk.length;
  const line = chunk.lastIndexOf(LF, longest - 1) + 1;
  if (line > start) return line;
  let end = longest;
  while (end > start && ((chunk[end] as number) & 0xc0) === 0x80) end -= 1;
  return end > start ? end : longest;
}

function makeDecoder(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new FormatError(`unknown encoding ${encoding}`);
  }
}

/** The encoding of the byte order mark at the start; null without a byte order mark. */
export function detectBom(start: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  const [first, second, third] = start;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return null;
}

const LF = 0x0a;
const EMPTY = new Uint8Array(0);

/**
 * Re-chunks the bytes so that every chunk ends with `byte`, so that few rows or tags are split across chunks. After
 * `maxLength` bytes without `byte` the chunk is cut anywhere. Not for UTF-16.
 */
export async function* cutAfter(
  bytes: AsyncIterable<Uint8Array>,
  byte: number,
  maxLength: number,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    const end = length > maxLength ? chunk.length : chunk.lastIndexOf(byte) + 1;
    if (end > 0) {
      yield held.length === 0 ? chunk.subarray(0, end) : Buffer.concat([...held, chunk.subarray(0, end)]);
      held = [];
      length = chunk.length - end;
    }
    if (end < chunk.length) held.push(chunk.subarray(end));
  }
  if (held.length > 0) yield Buffer.concat(held);
}

/** Returns at least `count` bytes from the start (fewer if the input is shorter) and a stream of all bytes. */
export async function peekBytes(
  bytes: AsyncIterable<Uint8Array>,
  count: number,
): Promise<{ start: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const source = bytes[Symbol.asyncIterator]();
  let start: Uint8Array = EMPTY;
  while (start.length < count) {
    const next = await source.next();
    if (next.done) break;
    start = start.length === 0 ? next.value : Buffer.concat([start, next.value]);
  }
  return { start, all: resume(start, source) };
}

async function* resume(start: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (start.length > 0) yield start;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}
