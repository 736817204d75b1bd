import { sharedBytes, sharedNumbers } from '../shared-arrays.ts';

export interface TextArrays {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

export interface SharedTexts {
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  readonly starts: Uint32Array<SharedArrayBuffer>;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/**
 * Texts in document order, as JSON strings without their quotation marks: a page copies them as they are. Null stays
 * `NULL_BYTE`. Few texts need escapes, and only those are decoded and encoded again.
 */
export function writeJsonTexts({ bytes, starts }: TextArrays, order: Uint32Array): SharedTexts {
  const source = Buffer.from(bytes.buffer);
  const encoded = new Map<number, Buffer>();
  let length = starts[order.length] ?? 0;
  for (let row = 0; row < order.length; row++) {
    const from = starts[row] as number;
    const to = starts[row + 1] as number;
    if (isPlain(bytes, from, to)) continue;
    const json = Buffer.from(JSON.stringify(source.toString('utf8', from, to)).slice(1, -1));
    encoded.set(row, json);
    length += json.length - (to - from);
  }
  const written = sharedBytes(length);
  const writtenStarts = sharedNumbers(order.length + 1);
  let at = 0;
  for (let doc = 0; doc < order.length; doc++) {
    const row = order[doc] as number;
    const json = encoded.get(row);
    if (json === undefined) {
      const end = starts[row + 1] as number;
      for (let from = starts[row] as number; from < end; from++) written[at++] = bytes[from] as number;
    } else for (let index = 0; index < json.length; index++) written[at++] = json[index] as number;
    writtenStarts[doc + 1] = at;
  }
  return { bytes: written, starts: writtenStarts };
}

/** Whether the bytes are the same in JSON. */
export function isPlain(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) return false;
  }
  return true;
}
