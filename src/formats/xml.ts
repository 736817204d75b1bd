import { formatCount } from '../base/format-count.ts';
import type { Json } from '../base/source-files.ts';
import { decodeText, peekBytes } from './decode.ts';
import { MAX_DEPTH, MAX_RECORD_LENGTH } from './limits.ts';
import { BATCH, type Batches, FormatError, RowScanner, type SourceRow, scanRows, UnparsedRow } from './rows.ts';
import { findEnd, findNameEnd, isSpecial, LESS, parseElement, SLASH, stripPrefix, XmlError } from './xml-element.ts';

/**
 * Reads every element with the given local name as a nested object (`xml-element.ts`). An element of that name inside
 * another such element is part of the outer record. This reader only finds where each record starts and ends; the record is parsed when
 * its value is read.
 */
export async function* readXml(bytes: AsyncIterable<Uint8Array>, element: string): Batches<Json> {
  const { start, all } = await peekBytes(bytes, 256);
  const splitter = new RecordSplitter([element]);
  try {
    yield* splitter.split(decodeText(all, findEncoding(start)));
  } catch (error) {
    throw describeFailure(error, splitter.records + 1);
  }
}

/** The encoding in the XML declaration. A byte order mark overrides it: see `decodeText`. */
export function findEncoding(start: Uint8Array): string {
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
  if (!(error instanceof XmlError)) return error;
  return new FormatError(`record ${place}: the XML is truncated or damaged (${error.message}): download it again`);
}

interface OpenRecord {
  readonly name: string;
  /** Where the search for the end tag of the record goes on, and how many elements with the record's name are open there. */
  seen: number;
  depth: number;
}

/** Finds the elements with one of some local names. */
export class RecordSplitter extends RowScanner<Json> {
  records = 0;
  #rows: SourceRow<Json>[] = [];
  readonly #elements: readonly string[];
  /** The open elements that contain the records. */
  readonly #ancestors: string[] = [];
  #hasRoot = false;
  #special = -1;
  /** The incomplete record that starts at `at`, if any. */
  #record: OpenRecord | null = null;

  constructor(elements: readonly string[]) {
    super();
    this.#elements = elements;
  }

  async *split(texts: AsyncIterable<string>): Batches<Json> {
    yield* scanRows(texts, this);
    this.#checkRest();
  }

  override add(text: string): void {
    if (this.#record !== null) this.#record.seen -= this.at;
    super.add(text);
    this.#special = -1;
  }

  /** Returns up to one batch of records, or none when more text is needed. */
  take(): SourceRow<Json>[] {
    while (this.#rows.length < BATCH && (this.#record === null ? this.#skipTag() : this.#takeRecord(this.#record)));
    const rows = this.#rows;
    this.#rows = [];
    // Without a bound, an unclosed tag would load the rest of the file into memory.
    if (rows.length === 0) checkLength(this.held);
    return rows;
  }

  /** Checks, after the last record, that the file is complete and has nothing after its end. */
  #checkRest(): void {
    if (this.#ancestors.length > 0 || this.#record !== null || !this.#hasRoot)
      throw new XmlError('it ends unexpectedly');
    if (this.text.slice(this.at).trim() !== '') throw new XmlError('text after the root element');
  }

  /** Moves past the next tag outside records, or to the start of the next record. False when more text is needed. */
  #skipTag(): boolean {
    const text = this.text;
    const start = text.indexOf('<', this.at);
    if (start === -1) return false;
    const end = findEnd(text, start);
    if (end === -1) return false;
    if (this.#ancestors.length === 0 && text.slice(this.at, start).trim() !== '')
      throw new XmlError('text outside the root element');
    this.at = end;
    if (isSpecial(text, start)) return true;
    if (text.charCodeAt(start + 1) === SLASH) this.#leave(text.slice(start + 2, end - 1).trimEnd());
    else this.#enter(start, end);
    return true;
  }

  #leave(name: string): void {
    if (this.#ancestors.pop() !== name) throw new XmlError(`the end tag ${name} has no start tag`);
  }

  #enter(start: number, end: number): void {
    const name = this.text.slice(start + 1, findNameEnd(this.text, start + 1, end - 1));
    if (this.#ancestors.length === 0 && this.#hasRoot) throw new XmlError('a second root element');
    this.#hasRoot = true;
    const isEmpty = this.text.charCodeAt(end - 2) === SLASH;
    if (this.#elements.includes(stripPrefix(name))) {
      if (isEmpty) this.#add(start, end);
      else {
        this.#record = { name, seen: end, depth: 1 };
        this.at = start;
      }
    } else if (!isEmpty) {
      if (this.#ancestors.length === MAX_DEPTH)
        throw new XmlError(`more than ${MAX_DEPTH} elements around the records`);
      this.#ancestors.push(name);
    }
  }

  /** Finds the end of the record. Only tags of its name matter, and comments and CDATA sections, which may contain such tags. */
  #takeRecord(record: OpenRecord): boolean {
    const text = this.text;
    const [opening, closing] = [`<${record.name}`, `</${record.name}`];
    let [open, close, closeEnd] = [-1, -1, -1];
    for (;;) {
      // Search again only after passing the previous match, and for a start tag only up to the end tag: otherwise a
      // crafted file takes quadratic time.
      if (close < record.seen) {
        close = find(text, closing, record.seen);
        closeEnd = text.indexOf('>', close);
        open = -1;
      }
      if (closeEnd === -1) return false;
      if (open < record.seen) open = record.seen + find(text.slice(record.seen, close), opening, 0);
      const special = this.#findSpecial(record.seen);
      if (special < close && special < open) {
        const end = findEnd(text, special);
        if (end === -1) return false;
        record.seen = end;
      } else if (open < close) {
        const end = findEnd(text, open);
        if (end === -1) throw new XmlError('a tag is not closed');
        const isSame = findNameEnd(text, open + 1, end - 1) === open + opening.length;
        if (isSame && text.charCodeAt(end - 2) !== SLASH) record.depth += 1;
        record.seen = end;
      } else {
        const isSame = text.slice(close + closing.length, closeEnd).trim() === '';
        if (isSame) record.depth -= 1;
        record.seen = closeEnd + 1;
        if (record.depth > 0) continue;
        this.#add(this.at, record.seen);
        this.#record = null;
        return true;
      }
    }
  }

  /** The next comment, CDATA section or processing instruction. Kept, because most records have none. */
  #findSpecial(from: number): number {
    if (this.#special < from) this.#special = Math.min(this.#findAfterLess('!', from), this.#findAfterLess('?', from));
    return this.#special;
  }

  /** The next `<` that is followed by this character. The search is for the character alone, which is rare and found several times as fast. */
  #findAfterLess(character: string, from: number): number {
    const text = this.text;
    for (let at = text.indexOf(character, from + 1); at !== -1; at = text.indexOf(character, at + 1))
      if (text.charCodeAt(at - 1) === LESS) return at - 1;
    return Number.POSITIVE_INFINITY;
  }

  #add(start: number, end: number): void {
    checkLength(end - start);
    this.records += 1;
    this.#rows.push(new UnparsedRow(this.records, this.text.slice(start, end), parseRecord));
    this.at = end;
  }
}

function checkLength(length: number): void {
  if (length <= MAX_RECORD_LENGTH) return;
  throw new XmlError(`it has more than ${formatCount(MAX_RECORD_LENGTH)} characters, or a tag is not closed`);
}

/** Infinity when there is no match, so that it sorts after every position. */
function find(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}
