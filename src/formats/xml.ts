import type { Json } from '../core/source-files.ts';
import { decodeText, EncodingError, peekBytes } from './decode.ts';
import { BATCH, type Batches, FormatError, type SourceRow, UnparsedRow } from './rows.ts';
import { parseElement } from './xml-element.ts';
import { BANG, findNameEnd, findSpecialEnd, findTagEnd, QUESTION, SLASH, stripPrefix, XmlError } from './xml-tags.ts';

/**
 * Reads every element with the given local name as a nested object (`xml-element.ts`). An element of that name inside
 * another is part of the outer one. This reader only finds where each record starts and ends; the record is parsed when
 * its value is read.
 */
export async function* readXml(bytes: AsyncIterable<Uint8Array>, element: string): Batches<Json> {
  const { start, all } = await peekBytes(bytes, 256);
  const splitter = new RecordSplitter(element);
  try {
    for await (const text of decodeText(all, findEncoding(start))) {
      splitter.add(text);
      if (splitter.rows.length >= BATCH) yield splitter.takeRows();
    }
    splitter.end();
  } catch (error) {
    throw describeFailure(error, splitter.records + 1);
  }
  if (splitter.rows.length > 0) yield splitter.takeRows();
}

/** The encoding in the XML declaration. A byte order mark overrides it: see `decodeText`. */
function findEncoding(start: Uint8Array): string {
  const text = Buffer.from(start).toString('latin1');
  return /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(text)?.[1] ?? 'utf-8';
}

function parseRecord(text: string, place: number): Json {
  try {
    return parseElement(text);
  } catch (error) {
    throw describeFailure(error, place);
  }
}

function describeFailure(error: unknown, place: number): unknown {
  if (error instanceof EncodingError) {
    const problem = `${error.message}, the encoding the file declares: it was saved in another one`;
    return new FormatError(`record ${place}: ${problem}`);
  }
  if (!(error instanceof XmlError)) return error;
  return new FormatError(`record ${place}: the XML is truncated or damaged (${error.message}): download it again`);
}

/** In characters. A longer record means an unclosed tag; reading on would load the rest of the file into memory. */
const MAX_RECORD_LENGTH = 64 * 1024 * 1024;

interface OpenRecord {
  readonly name: string;
  /** How far the search for its end has got, and how many elements of its name are open at that point. */
  seen: number;
  depth: number;
}

const SPECIAL = /<[!?]/g;

class RecordSplitter {
  rows: SourceRow<Json>[] = [];
  records = 0;
  readonly #element: string;
  #text = '';
  /** Everything before this is processed. */
  #at = 0;
  /** The open elements that contain the records. */
  readonly #ancestors: string[] = [];
  #hasRoot = false;
  #special = -1;
  /** The incomplete record that starts at `#at`, if any. */
  #record: OpenRecord | null = null;

  constructor(element: string) {
    this.#element = element;
  }

  add(text: string): void {
    this.#text = this.#text.slice(this.#at) + text;
    if (this.#record !== null) this.#record.seen -= this.#at;
    this.#at = 0;
    this.#special = -1;
    if (this.#text.length > MAX_RECORD_LENGTH) throw new XmlError('a tag is not closed');
    while (this.#record === null ? this.#skipTag() : this.#takeRecord(this.#record));
  }

  end(): void {
    if (this.#ancestors.length > 0 || this.#record !== null || !this.#hasRoot)
      throw new XmlError('it ends unexpectedly');
    if (this.#text.slice(this.#at).trim() !== '') throw new XmlError('text after the root element');
  }

  takeRows(): SourceRow<Json>[] {
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  /** Moves past the next tag outside records, or to the start of the next record. False when more text is needed. */
  #skipTag(): boolean {
    const text = this.#text;
    const start = text.indexOf('<', this.#at);
    if (start === -1) return false;
    const code = text.charCodeAt(start + 1);
    const isSpecial = code === BANG || code === QUESTION;
    const end = isSpecial ? findSpecialEnd(text, start) : findTagEnd(text, start + 1);
    if (end === -1) return false;
    if (this.#ancestors.length === 0 && text.slice(this.#at, start).trim() !== '')
      throw new XmlError('text outside the root element');
    this.#at = end;
    if (isSpecial) return true;
    if (code === SLASH) this.#leave(text.slice(start + 2, end - 1).trimEnd());
    else this.#enter(start, end);
    return true;
  }

  #leave(name: string): void {
    if (this.#ancestors.pop() !== name) throw new XmlError(`the end tag ${name} has no start tag`);
  }

  #enter(start: number, end: number): void {
    const name = this.#text.slice(start + 1, findNameEnd(this.#text, start + 1, end - 1));
    if (this.#ancestors.length === 0 && this.#hasRoot) throw new XmlError('a second root element');
    this.#hasRoot = true;
    const isEmpty = this.#text.charCodeAt(end - 2) === SLASH;
    if (stripPrefix(name) === this.#element) {
      if (isEmpty) this.#add(start, end);
      else {
        this.#record = { name, seen: end, depth: 1 };
        this.#at = start;
      }
    } else if (!isEmpty) this.#ancestors.push(name);
  }

  /**
   * Finds the end of the record. Only tags of its own name matter, and comments and CDATA, which may contain such tags.
   */
  #takeRecord(record: OpenRecord): boolean {
    const text = this.#text;
    const [opening, closing] = [`<${record.name}`, `</${record.name}`];
    let [open, close] = [-1, -1];
    for (;;) {
      // Search again only after passing the previous match: otherwise a crafted file takes quadratic time.
      if (close < record.seen) close = find(text, closing, record.seen);
      if (open < record.seen) open = find(text, opening, record.seen);
      const closeEnd = text.indexOf('>', close);
      if (closeEnd === -1) return false;
      const special = this.#findSpecial(record.seen);
      if (special < close && special < open) {
        const end = findSpecialEnd(text, special);
        if (end === -1) return false;
        record.seen = end;
      } else if (open < close) {
        const end = findTagEnd(text, open + 1);
        if (end === -1) throw new XmlError('a tag is not closed');
        const isSame = findNameEnd(text, open + 1, end - 1) === open + opening.length;
        if (isSame && text.charCodeAt(end - 2) !== SLASH) record.depth += 1;
        record.seen = end;
      } else {
        const isSame = text.slice(close + closing.length, closeEnd).trim() === '';
        if (isSame) record.depth -= 1;
        record.seen = closeEnd + 1;
        if (record.depth > 0) continue;
        this.#add(this.#at, record.seen);
        this.#record = null;
        return true;
      }
    }
  }

  /**
   * The next comment, CDATA section or processing instruction, cached: most records have none, and searching the text
   * for each is slow.
   */
  #findSpecial(from: number): number {
    if (this.#special < from) {
      SPECIAL.lastIndex = from;
      this.#special = SPECIAL.exec(this.#text)?.index ?? Number.POSITIVE_INFINITY;
    }
    return this.#special;
  }

  #add(start: number, end: number): void {
    this.records += 1;
    this.rows.push(new UnparsedRow(this.records, this.#text.slice(start, end), parseRecord));
    this.#at = end;
  }
}

/** Infinity when there is no match, so that it sorts after every position. */
function find(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}
