/** A cursor over valid JSON text that skips values without building them. It never recurses, however deep they are. */
export interface JsonReader {
  /** Whether the value at the cursor starts with this character. */
  startsWith(opening: '{' | '[' | '"'): boolean;
  /** Moves behind the value and returns its text. */
  take(): string;
  skip(): void;
  /** Calls `visit` with the cursor at each value of the object or list. `visit` has to take or skip the value. */
  eachMember(visit: (key: string) => void): void;
  eachItem(visit: (index: number) => void): void;
}

export function createJsonReader(json: string): JsonReader {
  let at = skipSpace(json, 0);

  /** Moves behind a value, its trailing white space and, if there is one, a comma. Returns whether there was a comma. */
  function endElement(): boolean {
    at = skipSpace(json, at);
    const code = json.charCodeAt(at);
    const hasMore = code === COMMA;
    if (!hasMore && code !== CLOSE_OBJECT && code !== CLOSE_LIST) throw new Error('the JSON text is not valid');
    at = hasMore ? skipSpace(json, at + 1) : at + 1;
    return hasMore;
  }

  /** Moves behind the opening bracket. Returns whether there are elements; if not, the cursor is behind the bracket that ends it. */
  function enter(): boolean {
    at = skipSpace(json, at + 1);
    const first = json.charCodeAt(at);
    const isEmpty = first === CLOSE_OBJECT || first === CLOSE_LIST;
    if (isEmpty) at++;
    return !isEmpty;
  }

  return {
    startsWith: (opening) => json[at] === opening,
    take() {
      const start = at;
      at = endOfValue(json, at);
      return json.slice(start, at);
    },
    skip() {
      at = endOfValue(json, at);
    },
    eachMember(visit) {
      for (let more = enter(); more; more = endElement()) {
        const start = at;
        at = endOfString(json, at);
        const key: string = JSON.parse(json.slice(start, at));
        at = skipSpace(json, skipSpace(json, at) + 1);
        visit(key);
      }
    },
    eachItem(visit) {
      let index = 0;
      for (let more = enter(); more; more = endElement()) visit(index++);
    },
  };
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

function skipSpace(json: string, from: number): number {
  let at = from;
  while (json.charCodeAt(at) <= 0x20) at++;
  return at;
}

function endOfValue(json: string, from: number): number {
  const first = json.charCodeAt(from);
  if (first === QUOTE) return endOfString(json, from);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return endOfContainer(json, from);
  let at = from;
  while (isScalar(json.charCodeAt(at))) at++;
  return at;
}

/** False at the end of the text too, where `charCodeAt` returns NaN. */
function isScalar(code: number): boolean {
  return code > 0x20 && code !== COMMA && code !== CLOSE_OBJECT && code !== CLOSE_LIST;
}

function endOfContainer(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at) - 1;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++;
    else if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && --depth === 0) return at + 1;
  }
  throw new Error('the JSON text ends inside a value');
}

function endOfString(json: string, from: number): number {
  const end = findEndOfString(json, from);
  if (end === -1) throw new Error('the JSON text ends inside a string');
  return end;
}

/** The index behind the string that starts at `from`; -1 if it does not end. */
export function findEndOfString(json: string, from: number): number {
  for (let at = json.indexOf('"', from + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (json.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return -1;
}
