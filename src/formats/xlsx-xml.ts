/**
 * Scans the XML parts of a workbook. They are written by programs, have no document type and can be hundreds of
 * megabytes of tiny elements; a general parser takes about twice as long (docs/decisions/0006). Names are reported
 * without prefix.
 */
import { cutAfter, decodeText, EncodingError } from './decode.ts';
import { MAX_ROW_LENGTH } from './limits.ts';
import { FormatError } from './rows.ts';
import {
  BANG,
  decodeEntities,
  findNameEnd,
  findSpecialEnd,
  findTagEnd,
  isSpace,
  QUESTION,
  SLASH,
  stripPrefix,
  XmlError,
} from './xml-tags.ts';

interface XmlHandlers {
  /** `tag` is the text after the name, for `readAttribute`. Returns whether to report the text up to the next tag. */
  open(name: string, tag: string): boolean;
  text(text: string): void;
  close(name: string): void;
  /** Whether the caller has as many rows as it wants at once. Asked after every end tag. */
  isFull?(): boolean;
}

/** Yields after every chunk and whenever the caller is full, so that it can pass on the rows found so far. */
export async function* scanXml(bytes: AsyncIterable<Uint8Array>, part: string, on: XmlHandlers): AsyncGenerator<void> {
  const scanner = new XmlScanner(on);
  try {
    for await (const text of decodeText(cutAfter(bytes, GREATER, MAX_ROW_LENGTH), 'utf-8')) {
      for (let isPaused = scanner.add(text); isPaused; isPaused = scanner.add('')) yield;
      yield;
    }
    scanner.end();
  } catch (error) {
    if (!(error instanceof XmlError || error instanceof EncodingError)) throw error;
    throw new FormatError(`${part} of the workbook is damaged (${error.message}): download it again`);
  }
}

const GREATER = 0x3e;

class XmlScanner {
  readonly #on: XmlHandlers;
  #text = '';
  #depth = 0;
  #wanted = false;
  #isPaused = false;

  constructor(on: XmlHandlers) {
    this.#on = on;
  }

  /** Returns whether it stopped before the end of the text, because the caller is full. */
  add(text: string): boolean {
    this.#isPaused = false;
    this.#text = this.#text === '' ? text : this.#text + text;
    this.#text = this.#text.slice(this.#scan(this.#text));
    if (!this.#isPaused && this.#text.length > MAX_ROW_LENGTH) throw new XmlError('a tag is not closed');
    return this.#isPaused;
  }

  end(): void {
    if (this.#depth !== 0 || this.#text.trim() !== '') throw new XmlError('it ends unexpectedly');
  }

  /** Returns where the complete tags end; the rest needs more text. */
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
        this.#isPaused = this.#on.isFull?.() === true;
        if (this.#isPaused) return end;
      } else if (code === BANG) {
        if (this.#wanted && text.startsWith('<![CDATA[', start)) this.#on.text(text.slice(start + 9, end - 3));
      } else if (code !== QUESTION) this.#openTag(text, start + 1, end - 1);
      at = end;
    }
  }

  #openTag(text: string, start: number, end: number): void {
    const nameEnd = findNameEnd(text, start, end);
    const name = stripPrefix(text.slice(start, nameEnd));
    const closed = text.charCodeAt(end - 1) === SLASH;
    this.#wanted = this.#on.open(name, text.slice(nameEnd, closed ? end - 1 : end)) && !closed;
    if (closed) this.#on.close(name);
    else this.#depth += 1;
  }
}

/** The value of an attribute, or undefined. `:id` matches `r:id` with any prefix. */
export function readAttribute(tag: string, name: string): string | undefined {
  for (let at = 0; ; ) {
    const equals = tag.indexOf('=', at);
    if (equals === -1) return undefined;
    let open = equals + 1;
    while (isSpace(tag, open)) open += 1;
    const close = tag.indexOf(tag.charAt(open), open + 1);
    if (close === -1) throw new XmlError('an attribute has no value');
    if (isNamed(tag, at, equals, name)) return decodeEntities(tag.slice(open + 1, close));
    at = close + 1;
  }
}

function isNamed(tag: string, from: number, to: number, name: string): boolean {
  if (to - from === name.length + 1) return tag.startsWith(name, from + 1);
  const written = tag.slice(from, to).trim();
  return written === name || (name.startsWith(':') && written.endsWith(name));
}
