import type { Json } from '../core/source-files.ts';
import { decodeText, EncodingError, peekBytes } from './decode.ts';
import { BATCH, type Batches, FormatError, type SourceRow, UnparsedRow } from './rows.ts';
import { parseElement } from './xml-element.ts';
import { BANG, findNameEnd, findSpecialEnd, findTagEnd, QUESTION, SLASH, stripPrefix, XmlError } from './xml-tags.ts';

/**
 * Every element of that local name as a nested object (`xml-element.ts`). Elements of the name inside another are part of it.
 * Only the bounds of a record are looked for here; it is parsed when its value is asked for.
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
    throw explain(error, splitter.records + 1);
  }
  if (splitter.rows.length > 0) yield splitter.takeRows();
}

/** As the declaration says; a mark at the start says it more surely, which the decoder sees to. */
function findEncoding(start: Uint8Array): string {
  const text = Buffer.from(start).toString('latin1');
  return /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(text)?.[1] ?? 'utf-8';
}

function parseRecord(text: string, place: number): Json {
  try {
    return parseElement(text);
  } catch (error) {
    throw explain(error, place);
  }
}

function explain(error: unknown, place: number): unknown {
  if (error instanceof EncodingError) {
    const problem = `${error.message}, which the file says it is: it was saved in another encoding`;
    return new FormatError(`record ${place}: ${problem}`);
  }
  if (!(error instanceof XmlError)) return error;
  return new FormatError(`record ${place}: the XML is truncated or damaged (${error.message}): download it again`);
}

/** A record longer than this is a tag nobody closed: reading on would take the whole file into memory. */
const LONGEST_RECORD = 64 * 1024 * 1024;

interface OpenRecord {
  readonly name: string;
  /** Up to where its end was looked for, and how many elements of its name are open there. */
  seen: number;
  depth: number;
}

const SPECIAL = /<[!?]/g;

class RecordSplitter {
  rows: SourceRow<Json>[] = [];
  records = 0;
  readonly #element: string;
  #text = '';
  /** Up to where the text is understood. */
  #at = 0;
  /** The elements around the records. */
  readonly #around: string[] = [];
  #hasRoot = false;
  #special = -1;
  /** The record that begins at `#at`, if one does. */
  #record: OpenRecord | null = null;

  constructor(element: string) {
    this.#element = element;
  }

  add(text: string): void {
    this.#text = this.#text.slice(this.#at) + text;
    if (this.#record !== null) this.#record.seen -= this.#at;
    this.#at = 0;
    this.#special = -1;
    if (this.#text.length > LONGEST_RECORD) throw new XmlError('a tag without end');
    while (this.#record === null ? this.#skipTag() : this.#takeRecord(this.#record));
  }

  end(): void {
    if (this.#around.length > 0 || this.#record !== null || !this.#hasRoot) throw new XmlError('it ends in the middle');
    if (this.#text.slice(this.#at).trim() !== '') throw new XmlError('text behind its end');
  }

  takeRows(): SourceRow<Json>[] {
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  /** Goes on behind the next tag outside of records, or to the next record. False when there is no more in this text. */
  #skipTag(): boolean {
    const text = this.#text;
    const start = text.indexOf('<', this.#at);
    if (start === -1) return false;
    const code = text.charCodeAt(start + 1);
    const isSpecial = code === BANG || code === QUESTION;
    const end = isSpecial ? findSpecialEnd(text, start) : findTagEnd(text, start + 1);
    if (end === -1) return false;
    if (this.#around.length === 0 && text.slice(this.#at, start).trim() !== '')
      throw new XmlError('text around the root');
    this.#at = end;
    if (isSpecial) return true;
    if (code === SLASH) this.#leave(text.slice(start + 2, end - 1).trimEnd());
    else this.#enter(start, end);
    return true;
  }

  #leave(name: string): void {
    if (this.#around.pop() !== name) throw new XmlError(`an end of ${name} that has no beginning`);
  }

  #enter(start: number, end: number): void {
    const name = this.#text.slice(start + 1, findNameEnd(this.#text, start + 1, end - 1));
    if (this.#around.length === 0 && this.#hasRoot) throw new XmlError('a second root');
    this.#hasRoot = true;
    const isEmpty = this.#text.charCodeAt(end - 2) === SLASH;
    if (stripPrefix(name) === this.#element) {
      if (isEmpty) this.#add(start, end);
      else {
        this.#record = { name, seen: end, depth: 1 };
        this.#at = start;
      }
    } else if (!isEmpty) this.#around.push(name);
  }

  /** Looks for the end of the record; other elements in it are of no interest, comments and the like only to be passed over. */
  #takeRecord(record: OpenRecord): boolean {
    const text = this.#text;
    const [opening, closing] = [`<${record.name}`, `</${record.name}`];
    let [open, close] = [-1, -1];
    for (;;) {
      // What was found is looked for again only when it has been passed, or a file could be made that takes for ever.
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
        if (end === -1) throw new XmlError('a tag without end');
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

  /** The next comment, CDATA section or processing instruction. There may be none for many records, so the text is not searched for each of them. */
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

/** Infinity when it is not there, so that it comes behind everything. */
function find(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}
