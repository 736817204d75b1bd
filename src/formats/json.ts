import { formatCount } from '../base/format-count.ts';
import { findEndOfString } from '../base/json/json-bounds.ts';
import type { Json } from '../base/source-files.ts';
import { decodeText } from './decode.ts';
import { MAX_DEPTH, MAX_NODES, MAX_RECORD_LENGTH, TOO_DEEP } from './limits.ts';
import { BATCH, type Batches, FormatError, RowScanner, type SourceRow, scanRows, UnparsedRow } from './rows.ts';

/**
 * Reads the records of a JSON file: the items of a top-level array, the objects of JSON lines, or the items of the only
 * array in a top-level object. If such an object has all of `keys`, it is itself the record. This reader only finds
 * where each record starts and ends; JSON.parse checks and parses it when its value is read.
 */
export async function* readJson(bytes: AsyncIterable<Uint8Array>, keys: readonly string[] = []): Batches<Json> {
  const scanner = new RecordScanner(keys);
  yield* scanRows(decodeText(bytes, 'utf-8'), scanner);
  scanner.checkRest();
}

/** If the first object is longer than this, the file is one object around a long array, not JSON lines. */
const MAX_FIRST_LINE_LENGTH = 1024 * 1024;

class RecordScanner extends RowScanner<Json> {
  /** Ordinal of the next record, starting at 1. */
  next = 1;
  readonly #keys: readonly string[];
  #phase: 'start' | 'items' | 'lines' | 'rest' = 'start';
  /** How far the record that starts at `at` was scanned, so that a long record is not scanned again for every chunk. */
  #scanState = startScan(0);
  /** The text before the array's items. Together with the text after the items it must be valid JSON. */
  #prefix = '';

  constructor(keys: readonly string[]) {
    super();
    this.#keys = keys;
  }

  override add(text: string): void {
    this.#scanState.at -= this.at;
    super.add(text);
  }

  /** Returns up to one batch of records, or none when more text is needed. */
  take(): SourceRow<Json>[] {
    const rows: SourceRow<Json>[] = [];
    if (this.#phase === 'start') this.#detectLayout();
    while (rows.length < BATCH && (this.#phase === 'items' || this.#phase === 'lines')) {
      const row = this.#phase === 'items' ? this.#takeItem() : this.#takeLine();
      if (row === null) break;
      rows.push(row);
      this.next += 1;
    }
    // The record is incomplete. Without a bound, an unclosed bracket would load the rest of the file into memory.
    if (rows.length === 0) this.#checkLength(this.held);
    return rows;
  }

  /** Checks, after the last record, that the file is complete and has nothing after its end. */
  checkRest(): void {
    const rest = this.text.slice(this.at);
    const nothing = rest.trim() === '';
    if (this.#phase === 'start' && nothing) throw new FormatError('the file contains no JSON: download it again');
    if (this.#phase === 'items' || (this.#phase !== 'rest' && !nothing)) {
      throw this.#fail('the file ends in the middle of it: download it again');
    }
    if (this.#phase === 'lines') return;
    const frame = parseRecord(`${this.#prefix}]${rest}`, this.next);
    const arrays = Object.values(frame as object).filter((value) => Array.isArray(value)).length;
    if (!Array.isArray(frame) && arrays > 1)
      throw new FormatError('the file is an object with several arrays: it is not clear which one holds the records');
  }

  #detectLayout(): void {
    this.#skipSpace();
    const first = this.text[this.at];
    if (first === '[') this.#enterArray(this.at);
    else if (first === '{') this.#detectObjectLayout();
    else if (first !== undefined) throw new FormatError('the file contains neither a JSON array nor JSON objects');
  }

  /** Decides whether the first object is a record or wraps the array of records. Waits until there is enough text. */
  #detectObjectLayout(): void {
    const end = findEnd(this.text, this.#scanState, 'object');
    const { arrays, firstArray } = this.#scanState;
    if (end === -1) {
      const enough = this.ended || this.text.length - this.at > MAX_FIRST_LINE_LENGTH;
      if (enough && arrays > 0) this.#enterArray(firstArray);
      return;
    }
    this.#moveTo(this.at);
    const alone = this.text.slice(end).trim() === '';
    if (alone && !this.ended) return;
    if (alone && arrays === 1 && !this.#isRecord(end)) this.#enterArray(firstArray);
    else this.#phase = 'lines';
  }

  #isRecord(end: number): boolean {
    if (this.#keys.length === 0) return false;
    const value = parseRecord(this.text.slice(this.at, end), this.next) as object;
    return this.#keys.every((key) => key in value);
  }

  #enterArray(bracket: number): void {
    this.#prefix = this.text.slice(this.at, bracket + 1);
    this.#moveTo(bracket + 1);
    this.#phase = 'items';
    this.#skipSpace();
    if (this.text[this.at] === ']') this.#leaveArray();
  }

  #leaveArray(): void {
    this.#moveTo(this.at + 1);
    this.#phase = 'rest';
  }

  /** Takes an array item, up to the comma or closing bracket that follows it. */
  #takeItem(): SourceRow<Json> | null {
    const end = findEnd(this.text, this.#scanState, 'item');
    if (end === -1) return null;
    const isEmpty = this.text.slice(this.at, end).trim() === '';
    const item = this.#takeRow(end);
    if (isEmpty && this.text[end] === ']' && this.next === 1) {
      this.#leaveArray();
      return null;
    }
    if (this.text[end] === ']') this.#leaveArray();
    else this.#moveTo(end + 1);
    return item;
  }

  #takeLine(): SourceRow<Json> | null {
    if (this.#scanState.at === this.at) this.#skipSpace();
    if (this.at >= this.text.length) return null;
    if (this.text[this.at] !== '{') throw this.#fail('not a JSON object');
    const end = findEnd(this.text, this.#scanState, 'object');
    return end === -1 ? null : this.#takeRow(end);
  }

  /** Takes the text up to `end`, which was scanned. */
  #takeRow(end: number): SourceRow<Json> {
    this.#checkLength(end - this.at);
    const { deepest, nodes } = this.#scanState;
    if (deepest > MAX_DEPTH) throw this.#fail(`${TOO_DEEP}: the file is damaged`);
    if (nodes > MAX_NODES)
      throw this.#fail(`it has more than ${formatCount(MAX_NODES)} objects and arrays: the file is damaged`);
    const row = new UnparsedRow(this.next, this.text.slice(this.at, end), parseRecord);
    this.#moveTo(end);
    return row;
  }

  #checkLength(length: number): void {
    if (length <= MAX_RECORD_LENGTH) return;
    const limit = formatCount(MAX_RECORD_LENGTH);
    throw this.#fail(`it has more than ${limit} characters: a bracket or quote is not closed, or the file is damaged`);
  }

  #skipSpace(): void {
    let at = this.at;
    while (' \t\r\n'.includes(this.text[at] ?? '.')) at += 1;
    this.#moveTo(at);
  }

  #moveTo(at: number): void {
    this.at = at;
    this.#scanState = startScan(at);
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

/** A long number, or a number with an exponent, may not fit a double. The reviver is slow, so only such records use it. */
const MAYBE_INEXACT = /[:,[]\s*-?(?:\d[\d.]{15}|[\d.]+[eE])/;
/** Matches neither an object nor an array. A single expression for both tests would take three times as long as these two. */
const SCALAR = /^\s*[^{[\s]/;

/** Like JSON.parse, but a number that a double cannot represent exactly becomes a string, as written. */
function parseExactly(text: string): Json {
  return SCALAR.test(text) || MAYBE_INEXACT.test(text) ? JSON.parse(text, keepExact) : JSON.parse(text);
}

function keepExact(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number') return value;
  const source = context?.source ?? '';
  const isExact = Number.isInteger(value)
    ? Number.isSafeInteger(value)
    : Number.isFinite(value) && (countDigits(source) <= SAFE_DIGITS || String(value) === source);
  return isExact ? value : source;
}

/** Every decimal number with up to 15 significant digits survives the conversion to a double. */
const SAFE_DIGITS = 15;

function countDigits(number: string): number {
  return number.replace(/[eE].*|\D/g, '').replace(/^0+/, '').length;
}

/** Finds where JSON values start and end by looking only at brackets and quotes. */
const [QUOTE, COMMA] = [0x22, 0x2c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Where the scan of an incomplete value stopped. */
interface ScanState {
  at: number;
  depth: number;
  deepest: number;
  nodes: number;
  /** The number of arrays directly in the value so far, and the start of the first of these arrays. */
  arrays: number;
  firstArray: number;
  inString: boolean;
}

function startScan(at: number): ScanState {
  return { at, depth: 0, deepest: 0, nodes: 0, arrays: 0, firstArray: -1, inString: false };
}

/**
 * Finds the end of a value: for an array item the position of the comma or bracket that follows it, for an object the
 * position after its closing brace. Returns -1 when the end is not in the text yet; `state` then lets the next call,
 * with more text, continue where this one stopped.
 */
function findEnd(text: string, state: ScanState, value: 'item' | 'object'): number {
  const { length } = text;
  const isItem = value === 'item';
  let { at, depth, inString } = state;
  for (; at < length; at += 1) {
    const code = inString ? QUOTE : text.charCodeAt(at);
    if (code === QUOTE) {
      // Most of a record is strings, and indexOf is several times faster than a loop over characters.
      const end = findEndOfString(text, inString ? at - 1 : at);
      inString = end === -1;
      if (inString) break;
      at = end - 1;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (depth === 1 && code === OPEN_BRACKET && state.arrays++ === 0) state.firstArray = at;
      depth += 1;
      state.nodes += 1;
      if (depth > state.deepest) state.deepest = depth;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0 && !isItem) return at + 1;
    } else if (code === COMMA) {
      if (depth === 0 && isItem) return at;
    }
  }
  state.at = length;
  state.depth = depth;
  state.inString = inString;
  return -1;
}
