import { NULL_BYTE } from '../../shared-arrays.ts';
import type { GrowingBytes } from '../growing-arrays.ts';

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Whether the bytes are the same in JSON. */
export function isPlain(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) return false;
  }
  return true;
}

/**
 * Appends a text as a JSON string without its quotation marks, which a page copies as it is, and a zero byte. Null stays
 * `NULL_BYTE`. Returns the length of the string. Few texts need escapes, and only those are decoded and encoded again.
 */
export function appendJson(into: GrowingBytes, from: Uint8Array, start: number, end: number): number {
  into.reserve(end - start + 1);
  const { bytes, length } = into;
  let at = length;
  for (let index = start; index < end; index++) {
    const byte = from[index] as number;
    if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) return appendEscaped(into, from, start, end);
    bytes[at++] = byte;
  }
  bytes[at] = 0;
  into.length = at + 1;
  return at - length;
}

function appendEscaped(into: GrowingBytes, from: Uint8Array, start: number, end: number): number {
  const json = Buffer.from(`${JSON.stringify(Buffer.from(from.slice(start, end)).toString()).slice(1, -1)}\0`);
  into.append(json, 0, json.length);
  return json.length - 1;
}

/** The text that JSON writes like this, in UTF-8. */
export function decodeJson(json: Uint8Array): Uint8Array {
  if (json[0] === NULL_BYTE || !json.includes(BACKSLASH)) return json;
  return Buffer.from(JSON.parse(`"${Buffer.from(json).toString()}"`) as string);
}
