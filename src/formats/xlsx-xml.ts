/**
 * The XML of workbook parts: written by programs, without document types, hundreds of megabytes of tiny elements. A general
 * parser takes about twice as long for them (docs/decisions/0006). Names come without prefix.
 */
import { cutBehind, decodeText, EncodingError } from './decode.ts';
import { FormatError } from './rows.ts';

export interface XmlHandlers {
  /** `tag`: what stands behind the name, for `readAttribute`. Returns whether the text up to the next tag is wanted. */
  open(name: string, tag: string): boolean;
  text(text: string): void;
  close(name: string): void;
}

/** Pauses after every chunk, so that what was found can be given out. */
export async function* scanXml(bytes: AsyncIterable<Uint8Array>, part: string, on: XmlHandlers): AsyncGenerator<void> {
  const scanner = new XmlScanner(on);
  try {
    for await (const text of decodeText(cutBehind(bytes, GREATER, LONGEST_TAG), 'utf-8')) {
      scanner.add(text);
      yield;
    }
    scanner.end();
  } catch (error) {
    if (!(error instanceof XmlError || error instanceof EncodingError)) throw error;
    throw new FormatError(`${part} of the workbook is damaged (${error.message}): download it again`);
  }
}

class XmlError extends Error {}

const LONGEST_TAG = 16 * 1024 * 1024;
const LESS = 0x3c;
const GREATER = 0x3e;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const SPACE = 0x20;

class XmlScanner {
  readonly #on: XmlHandlers;
  #text = '';
  #depth = 0;
  #wanted = false;

  constructor(on: XmlHandlers) {
    this.#on = on;
  }

  add(text: string): void {
    this.#text = this.#text === '' ? text : this.#text + text;
    this.#text = this.#text.slice(this.#scan(this.#text));
    if (this.#text.length > LONGEST_TAG) throw new XmlError('a tag without end');
  }

  end(): void {
    if (this.#depth !== 0 || this.#text.trim() !== '') throw new XmlError('it ends in the middle');
  }

  /** Up to where all was understood; the rest needs more text. */
  #scan(text: string): number {
    let at = 0;
    for (;;) {
      const start = text.indexOf('<', at);
      if (start === -1) return at;
      const code = text.charCodeAt(start + 1);
      const end =
        code === SLASH
          ? text.indexOf('>', start) + 1 || -1
          : code === BANG || code === QUESTION
            ? findSpecialEnd(text, start)
            : findTagEnd(text, start + 1);
      if (end === -1) return at;
      if (this.#wanted && start > at) this.#on.text(decodeEntities(text.slice(at, start)));
      if (code === SLASH) {
        this.#depth -= 1;
        this.#wanted = false;
        this.#on.close(stripPrefix(text.slice(start + 2, end - 1).trimEnd()));
      } else if (code === BANG) {
        if (this.#wanted && text.startsWith('<![CDATA[', start)) this.#on.text(text.slice(start + 9, end - 3));
      } else if (code !== QUESTION) this.#openTag(text, start + 1, end - 1);
      at = end;
    }
  }

  #openTag(text: string, start: number, end: number): void {
    let nameEnd = start;
    for (; nameEnd < end; nameEnd += 1) {
      const code = text.charCodeAt(nameEnd);
      if (code <= SPACE || code === SLASH) break;
    }
    const name = stripPrefix(text.slice(start, nameEnd));
    const closed = text.charCodeAt(end - 1) === SLASH;
    this.#wanted = this.#on.open(name, text.slice(nameEnd, closed ? end - 1 : end)) && !closed;
    if (closed) this.#on.close(name);
    else this.#depth += 1;
  }
}

/** Behind the tag; a `>` in a quoted value does not end it. */
function findTagEnd(text: string, start: number): number {
  let quote = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === GREATER) return at + 1;
    else if (code === QUOTE || code === APOSTROPHE) quote = code;
    else if (code === LESS) throw new XmlError('a tag inside a tag');
  }
  return -1;
}

/** Behind a comment, CDATA section or processing instruction. */
function findSpecialEnd(text: string, start: number): number {
  if (text.length < start + 9) return -1;
  const close = text.startsWith('<!--', start)
    ? '-->'
    : text.startsWith('<![CDATA[', start)
      ? ']]>'
      : text.startsWith('<?', start)
        ? '?>'
        : null;
  if (close === null) throw new XmlError('a document type, which a workbook never has');
  const end = text.indexOf(close, start);
  return end === -1 ? -1 : end + close.length;
}

function stripPrefix(name: string): string {
  if (name.length < 3) return name;
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

/** The value of an attribute, undefined when there is none; `:id` finds `r:id`, whatever the prefix. */
export function readAttribute(tag: string, name: string): string | undefined {
  for (let at = 0; ; ) {
    const equals = tag.indexOf('=', at);
    if (equals === -1) return undefined;
    let open = equals + 1;
    while (tag.charCodeAt(open) <= SPACE) open += 1;
    const close = tag.indexOf(tag.charAt(open), open + 1);
    if (close === -1) throw new XmlError('an attribute without value');
    if (isNamed(tag, at, equals, name)) return decodeEntities(tag.slice(open + 1, close));
    at = close + 1;
  }
}

function isNamed(tag: string, from: number, to: number, name: string): boolean {
  if (to - from === name.length + 1) return tag.startsWith(name, from + 1);
  const written = tag.slice(from, to).trim();
  return written === name || (name.startsWith(':') && written.endsWith(name));
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Entities and line ends, as XML wants them: CR and CR LF written plainly are LF. */
function decodeEntities(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  if (!lines.includes('&')) return lines;
  return lines.replace(/&([^;&]*);?/g, (entity, name: string) => {
    const code = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(name);
    const number = code === null ? Number.NaN : Number.parseInt(code[1] ?? code[2] ?? '', code[1] ? 16 : 10);
    const character = number <= 0x10ffff ? String.fromCodePoint(number) : NAMED[name];
    if (character === undefined || !entity.endsWith(';'))
      throw new XmlError(`the unknown entity ${entity.slice(0, 20)}`);
    return character;
  });
}
