/** Shared by the XML readers: where tags end, what their parts are, how text is decoded. */

/** The XML is not well-formed. */
export class XmlError extends Error {}

export const LESS = 0x3c;
const GREATER = 0x3e;
export const SLASH = 0x2f;
export const BANG = 0x21;
export const QUESTION = 0x3f;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const SPACE = 0x20;

/** The position after the tag, or -1 when it does not end in this text. A `>` in a quoted value does not end it. */
export function findTagEnd(text: string, start: number): number {
  let quote = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === GREATER) return at + 1;
    else if (code === QUOTE || code === APOSTROPHE) quote = code;
    else if (code === LESS) throw new XmlError('a "<" inside a tag');
  }
  return -1;
}

/**
 * The position after a comment, CDATA section or processing instruction, or -1 when it does not end in this text. A
 * document type is refused: we would ignore its definitions, and entities can expand to text of any length.
 */
export function findSpecialEnd(text: string, start: number): number {
  if (text.length < start + 9) return -1;
  const close = text.startsWith('<!--', start)
    ? '-->'
    : text.startsWith('<![CDATA[', start)
      ? ']]>'
      : text.startsWith('<?', start)
        ? '?>'
        : null;
  if (close === null) throw new XmlError('it has a document type');
  const end = text.indexOf(close, start);
  return end === -1 ? -1 : end + close.length;
}

/** Where the tag name that starts at `start` ends. */
export function findNameEnd(text: string, start: number, end: number): number {
  let at = start;
  for (; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === SLASH) break;
  }
  return at;
}

export function isSpace(text: string, at: number): boolean {
  return text.charCodeAt(at) <= SPACE;
}

export function stripPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Decodes entities and, as XML requires, reads a literal CR or CR LF as LF. */
export function decodeEntities(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  if (!lines.includes('&')) return lines;
  return lines.replace(/&([^;&]*);?/g, (entity, name: string) => {
    const code = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(name);
    const number = code === null ? Number.NaN : Number.parseInt(code[1] ?? code[2] ?? '', code[1] ? 16 : 10);
    const character = number <= 0x10ffff ? String.fromCodePoint(number) : NAMED[name];
    if (character === undefined || !entity.endsWith(';')) throw new XmlError(`unknown entity ${entity.slice(0, 20)}`);
    return character;
  });
}
