/** Finds where JSON values start and end by looking only at brackets and quotes. */
import { findEndOfString } from '../core/json/json-bounds.ts';

const [QUOTE, COMMA] = [0x22, 0x2c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
const [ZERO, NINE, SMALL_E, LARGE_E] = [0x30, 0x39, 0x65, 0x45];

/** A double holds every number with fewer digits exactly, if it has no exponent. */
export const INEXACT_DIGITS = 16;

/** Where the scan of an incomplete value stopped. */
interface ScanState {
  at: number;
  depth: number;
  /** The deepest level so far. */
  deepest: number;
  /** The number of objects and arrays so far. */
  nodes: number;
  /** The digits of all numbers so far. An exponent counts as `INEXACT_DIGITS`. */
  digits: number;
  inString: boolean;
}

/**
 * Finds the end of a value: for an array item the position of the comma or bracket that follows it, for an object the
 * position after its closing brace. Returns -1 when the end is not in the text yet; `state` then lets the next call,
 * with more text, continue where this one stopped.
 */
export function findEnd(text: string, state: ScanState, value: 'item' | 'object'): number {
  const { length } = text;
  const isItem = value === 'item';
  let { at, depth, inString } = state;
  for (; at < length; at += 1) {
    const code = inString ? QUOTE : text.charCodeAt(at);
    if (code === QUOTE) {
      // Most of a record is strings, and indexOf is several times faster than a loop over characters.
      const end = findQuote(text, inString ? at : at + 1);
      inString = end === -1;
      if (inString) break;
      at = end;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      state.nodes += 1;
      if (depth > state.deepest) state.deepest = depth;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0 && !isItem) return at + 1;
    } else if (code === COMMA) {
      if (depth === 0 && isItem) return at;
    } else if (code >= ZERO && code <= NINE) state.digits += 1;
    // The letter is also in `true` and `false`.
    else if ((code === SMALL_E || code === LARGE_E) && text.charCodeAt(at - 1) <= NINE) state.digits += INEXACT_DIGITS;
  }
  state.at = length;
  state.depth = depth;
  state.inString = inString;
  return -1;
}

/** Replaces what is nested deeper than `levels` with a string of its text: the depth is bounded and nothing is lost. */
export function limitDepth(text: string, levels: number): string {
  let limited = '';
  let written = 0;
  let start = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = findQuote(text, at + 1);
      if (at === -1) break;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth === levels + 1) start = at;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth === levels + 1) {
        limited += text.slice(written, start) + JSON.stringify(text.slice(start, at + 1));
        written = at + 1;
      }
      depth -= 1;
    }
  }
  return limited + text.slice(written);
}

/** The quote that ends the string with the character at `from`; -1 if it is not in the text. */
function findQuote(text: string, from: number): number {
  const end = findEndOfString(text, from - 1);
  return end === -1 ? -1 : end - 1;
}

/** Finds the end of an object, -1 if it is not in this text, and the start of each array directly in it. */
export function scanObject(text: string, start: number): { arrays: number[]; end: number } {
  const arrays: number[] = [];
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = findQuote(text, at + 1);
      if (at === -1) break;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (code === OPEN_BRACKET && depth === 1) arrays.push(at);
      depth += 1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return { arrays, end: at + 1 };
    }
  }
  return { arrays, end: -1 };
}
