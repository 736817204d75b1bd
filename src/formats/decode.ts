import { FormatError } from './rows.ts';

/** Bytes that are not text in the expected encoding. The readers catch it and add the place. */
export class EncodingError extends Error {
  constructor(encoding: string) {
    super(`bytes that are not ${encoding}`);
  }
}

/**
 * Text of the bytes, piece by piece, without byte order mark. A mark also decides the encoding: it says it more surely
 * than a declaration. Before an EncodingError the whole lines before the bad one are given out.
 */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>, declared: string): AsyncGenerator<string> {
  const { start, all } = await peekBytes(bytes, 3);
  const decoder = makeDecoder(findMark(start) ?? declared);
  for await (const chunk of all) {
    const text = tryDecode(decoder, chunk);
    if (text === null) {
      yield decodeGoodLines(chunk, decoder.encoding);
      throw new EncodingError(decoder.encoding);
    }
    if (text !== '') yield text;
  }
  if (tryDecode(decoder, null) === null) throw new EncodingError(decoder.encoding);
}

function makeDecoder(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new FormatError(`unknown encoding ${encoding}`);
  }
}

/** `null` for bytes: the end. */
function tryDecode(decoder: TextDecoder, bytes: Uint8Array | null): string | null {
  try {
    return bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

/** The lines before the first that cannot be decoded. In UTF-16 the byte 0x0a says nothing, so none. */
function decodeGoodLines(chunk: Uint8Array, encoding: string): string {
  if (encoding.startsWith('utf-16')) return '';
  const decoder = new TextDecoder(encoding, { fatal: true });
  let good = '';
  for (let at = 0; ; ) {
    const end = chunk.indexOf(LF, at) + 1;
    const line = end === 0 ? null : tryDecode(decoder, chunk.subarray(at, end));
    if (line === null) return good;
    good += line;
    at = end;
  }
}

function findMark(start: Uint8Array): string | null {
  const [first, second, third] = start;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return null;
}

const LF = 0x0a;
const EMPTY = new Uint8Array(0);

/**
 * The same bytes in chunks that end behind that byte, so that little is cut in two and joined again; one is still cut after
 * `longest` bytes without it. Not for UTF-16.
 */
export async function* cutBehind(
  bytes: AsyncIterable<Uint8Array>,
  byte: number,
  longest: number,
): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = EMPTY;
  for await (const chunk of bytes) {
    const joined = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = joined.length > longest ? joined.length : joined.lastIndexOf(byte) + 1;
    if (end > 0) yield joined.subarray(0, end);
    rest = joined.subarray(end);
  }
  if (rest.length > 0) yield rest;
}

/** The first bytes (fewer only when the file ends before), and all bytes once more from the start. */
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
