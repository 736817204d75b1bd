import { findEndOfString } from './json-reader.ts';

/** How large a JSON text may be once it is built. Its length does not say: 64 KiB can be 30,000 levels or values. */
interface JsonBounds {
  /** Levels of objects and lists. */
  readonly maxDepth: number;
  /** Members of objects and items of lists, at all levels together. */
  readonly maxValues: number;
}

/**
 * Whether the text exceeds the bounds. It builds nothing, reads every character at most once, and stops at the first excess. Text that
 * is not valid JSON may get either answer, because the parser rejects it anyway.
 */
export function exceedsBounds(json: string, { maxDepth, maxValues }: JsonBounds): boolean {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const end = findEndOfString(json, at);
      if (end === -1) return false;
      at = end - 1;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (++depth > maxDepth || ++values > maxValues) return true;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--;
    else if (code === COMMA && ++values > maxValues) return true;
  }
  return false;
}

const [QUOTE, COMMA] = [0x22, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
