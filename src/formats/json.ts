import type { Json } from '../core/source-files.ts';
import { decodeText, EncodingError } from './decode.ts';
import { findClose, outlineObject } from './json-bounds.ts';
import { BATCH, type Batches, FormatError, type SourceRow, UnparsedRow } from './rows.ts';

/**
 * The records of a JSON file: the items of one array, the objects of JSON lines, or the items of the only array inside one
 * object, unless it has all of `keys` itself and is a record. Only the bounds of a record are looked for here; JSON.parse
 * judges what is between them when its value is asked for.
 */
export async function* readJson(bytes: AsyncIterable<Uint8Array>, keys: readonly string[] = []): Batches<Json> {
  const scanner = new RecordScanner(keys);
  try {
    for await (const text of decodeText(bytes, 'utf-8')) {
      scanner.add(text);
      for (let rows = scanner.take(); rows.length > 0; rows = scanner.take()) yield rows;
    }
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    throw new FormatError(`record ${scanner.next}: ${error.message}: the file was saved in another encoding`);
  }
  scanner.end();
  for (let rows = scanner.take(); rows.length > 0; rows = scanner.take()) yield rows;
  scanner.checkRest();
}

/** A record longer than this is a bracket nobody closed: reading on would take the whole file into memory. */
const LONGEST_RECORD = 64 * 1024 * 1024;

/** So much text tells JSON lines, whose first object ends in it, from one object around a long array, which does not. */
const LONGEST_FIRST_LINE = 1024 * 1024;

class RecordScanner {
  /** Ordinal of the next record, from 1. */
  next = 1;
  readonly #keys: readonly string[];
  #phase: 'start' | 'items' | 'lines' | 'rest' = 'start';
  #text = '';
  #ended = false;
  /** Up to where records were taken. */
  #at = 0;
  /** How far the record that begins there was looked at, so that a long one is not scanned again for every chunk. */
  #seen = { at: 0, depth: 0, inString: false };
  /** What stands before the array's items: with what stands behind them it must be JSON too. */
  #head = '';

  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  add(text: string): void {
    this.#text = this.#text.slice(this.#at) + text;
    this.#seen.at -= this.#at;
    this.#at = 0;
    if (this.#text.length > LONGEST_RECORD) throw this.#fail('it has no end: a bracket or quote is not closed');
  }

  end(): void {
    this.#ended = true;
  }

  /** The next records, at most a batch; none when more text is needed. */
  take(): SourceRow<Json>[] {
    const rows: SourceRow<Json>[] = [];
    if (this.#phase === 'start') this.#tellLayout();
    while (rows.length < BATCH && (this.#phase === 'items' || this.#phase === 'lines')) {
      const record = this.#phase === 'items' ? this.#takeItem() : this.#takeLine();
      if (record === null) break;
      rows.push(new UnparsedRow(this.next, record, parseRecord));
      this.next += 1;
    }
    return rows;
  }

  /** Once all was taken: is the file whole, and does nothing follow its end? */
  checkRest(): void {
    const rest = this.#text.slice(this.#at);
    const nothing = rest.trim() === '';
    if (this.#phase === 'start' && nothing) throw new FormatError('the file holds no JSON: download it again');
    if (this.#phase === 'items' || (this.#phase !== 'rest' && !nothing)) {
      throw this.#fail('the file ends in the middle of it: download it again');
    }
    if (this.#phase === 'lines') return;
    const frame = parseRecord(`${this.#head}]${rest}`, this.next);
    const arrays = Object.values(frame as object).filter((value) => Array.isArray(value)).length;
    if (!Array.isArray(frame) && arrays > 1)
      throw new FormatError('an object with several arrays: which are the records?');
  }

  #tellLayout(): void {
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === undefined) return;
    if (first === '[') this.#enterArray(this.#at);
    else if (first === '{') this.#tellObject();
    else throw new FormatError('the file holds neither a JSON array nor JSON objects');
  }

  /** Is the first object a record, or does it only wrap the array of records? Decided when there is text enough. */
  #tellObject(): void {
    const { arrays, end } = outlineObject(this.#text, this.#at);
    const [first] = arrays;
    if (end === -1) {
      const enough = this.#ended || this.#text.length - this.#at > LONGEST_FIRST_LINE;
      if (enough && first !== undefined) this.#enterArray(first);
      return;
    }
    const alone = this.#text.slice(end).trim() === '';
    if (alone && !this.#ended) return;
    if (alone && first !== undefined && arrays.length === 1 && !this.#isRecord(end)) this.#enterArray(first);
    else this.#phase = 'lines';
  }

  #isRecord(end: number): boolean {
    if (this.#keys.length === 0) return false;
    const value = parseRecord(this.#text.slice(this.#at, end), this.next) as object;
    return this.#keys.every((key) => key in value);
  }

  #enterArray(bracket: number): void {
    this.#head = this.#text.slice(this.#at, bracket + 1);
    this.#moveTo(bracket + 1);
    this.#phase = 'items';
    this.#skipSpace();
    if (this.#text[this.#at] === ']') this.#leaveArray();
  }

  #leaveArray(): void {
    this.#moveTo(this.#at + 1);
    this.#phase = 'rest';
  }

  /** An item, up to its comma or the bracket of the array. */
  #takeItem(): string | null {
    const end = findClose(this.#text, this.#seen, 'item');
    if (end === -1) return null;
    const item = this.#text.slice(this.#at, end);
    this.#moveTo(end);
    if (item.trim() === '' && this.#text[end] === ']' && this.next === 1) {
      this.#leaveArray();
      return null;
    }
    if (this.#text[end] === ']') this.#leaveArray();
    else this.#moveTo(end + 1);
    return item;
  }

  /** An object of JSON lines. */
  #takeLine(): string | null {
    if (this.#seen.at === this.#at) this.#skipSpace();
    if (this.#at >= this.#text.length) return null;
    if (this.#text[this.#at] !== '{') throw this.#fail('not a JSON object');
    const end = findClose(this.#text, this.#seen, 'object');
    if (end === -1) return null;
    const line = this.#text.slice(this.#at, end);
    this.#moveTo(end);
    return line;
  }

  #skipSpace(): void {
    let at = this.#at;
    while (' \t\r\n'.includes(this.#text[at] ?? '.')) at += 1;
    this.#moveTo(at);
  }

  #moveTo(at: number): void {
    this.#at = at;
    this.#seen = { at, depth: 0, inString: false };
  }

  #fail(problem: string): FormatError {
    return new FormatError(`record ${this.next}: ${problem}`);
  }
}

function parseRecord(text: string, place: number): Json {
  try {
    return parseExactly(text);
  } catch (error) {
    throw new FormatError(`record ${place}: ${error instanceof Error ? error.message : 'not JSON'}`);
  }
}

/** A long number, or one with a power of ten, may not survive as a double. The reviver is slow, so only then. */
const RISKY = /[:,[]\s*-?(?:\d[\d.]{15}|[\d.]+[eE])/;
/** Neither object nor array. Two expressions, for together they take three times as long. */
const BARE = /^\s*[^{[\s]/;

/** As JSON.parse, but a number a double cannot hold stays as written, a string. */
function parseExactly(text: string): Json {
  return BARE.test(text) || RISKY.test(text) ? JSON.parse(text, keepExact) : JSON.parse(text);
}

function keepExact(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number') return value;
  const source = context?.source ?? '';
  const isExact = Number.isInteger(value)
    ? Number.isSafeInteger(value)
    : Number.isFinite(value) && (countDigits(source) <= SAFE_DIGITS || String(value) === source);
  return isExact ? value : source;
}

/** So many digits of a decimal number always survive. */
const SAFE_DIGITS = 15;

function countDigits(number: string): number {
  return number.replace(/[eE].*|\D/g, '').replace(/^0+/, '').length;
}
