/** Finding where JSON values begin and end, by brackets and quotes alone. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** How far a value was looked at. */
export interface Progress {
  at: number;
  depth: number;
  inString: boolean;
}

/**
 * Where the value ends: an item at the comma or bracket behind it, an object behind its brace. -1 when that is not there
 * yet; called again with more text it goes on where it stopped.
 */
export function findClose(text: string, progress: Progress, value: 'item' | 'object'): number {
  const { length } = text;
  const isItem = value === 'item';
  let { at, depth, inString } = progress;
  for (; at < length; at += 1) {
    const code = inString ? QUOTE : text.charCodeAt(at);
    if (code === QUOTE) {
      // Most of a record is in strings, and searching is several times as fast as looking at every character.
      const end = findQuote(text, inString ? at : at + 1);
      inString = end === -1;
      if (inString) break;
      at = end;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0 && !isItem) return at + 1;
    } else if (code === COMMA && depth === 0 && isItem) return at;
  }
  progress.at = length;
  progress.depth = depth;
  progress.inString = inString;
  return -1;
}

/** The next quote that is not escaped: behind an even number of backslashes. */
function findQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return -1;
}

/** Where the object ends (-1: not in this text) and where the arrays begin that are its own values. */
export function outlineObject(text: string, start: number): { arrays: number[]; end: number } {
  const arrays: number[] = [];
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (code === OPEN_BRACKET && depth === 1) arrays.push(at);
      depth += 1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return { arrays, end: at + 1 };
    }
  }
  return { arrays, end: -1 };
}
