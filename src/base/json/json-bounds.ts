type JsonBounds = Readonly<Record<'maxDepth' | 'maxValues', number>>;

/**
 * Whether the text has more levels, or more members of objects and items of lists together, than the bounds allow: 64 KiB can have 30,000. The check
 * builds nothing, reads every character at most once, and stops at the first excess. Text that is not valid JSON may get either answer.
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

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The index behind the string that starts at `from`; -1 if the string has no end. */
export function findEndOfString(json: string, from: number): number {
  for (let at = json.indexOf('"', from + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (json.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return -1;
}
