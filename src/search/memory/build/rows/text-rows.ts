import { storedValueNames, type TextName, textNames } from '../../../../core/entity-summary.ts';
import { AS_FOLDED, NO_NUMBER, OTHER_NUMBER, toUpper, UPPER_CASE } from '../../number-form.ts';
import { NULL_BYTE } from '../../shared-arrays.ts';
import { type Chunk, skipValues } from '../chunk.ts';
import { GrowingBytes, GrowingNumbers } from '../growing-arrays.ts';
import { appendOtherNames } from '../other-names.ts';
import { appendJson, isPlain } from './json-texts.ts';

/** The ids and texts of all rows. */
export interface TextRows {
  count: number;
  /**
   * For each row its id in four numbers, big-endian, and where its texts start: the lower 32 bits; then the higher ones
   * times four, plus the form of its registration number (`number-form.ts`).
   */
  readonly records: GrowingNumbers;
  /**
   * The texts of each row, each followed by a zero byte: those of `textNames` as JSON strings without their quotation
   * marks, its number keys as `numberKeys` writes them; if its form is `OTHER_NUMBER`, its registration number as JSON; and
   * its other names (`other-names.ts`). Texts of the same row are neighbours, because the rows are later read in another order.
   */
  readonly bytes: GrowingBytes;
  /** How long the texts are together, without the zero bytes. */
  readonly lengths: Record<TextName | 'numbers' | 'otherNumbers' | 'otherNames', number>;
  otherNumbers: number;
  /** How many rows have other names. */
  otherNamed: number;
}

export const TEXT_RECORD = 6;
/** The columns that this thread skips: words, values, codes of legal forms, keys of activities, and activities. */
const VALUE_COLUMNS = storedValueNames.length + 4;

export function createTextRows(): TextRows {
  const lengths = Object.fromEntries([...textNames, 'numbers', 'otherNumbers', 'otherNames'].map((name) => [name, 0]));
  return {
    count: 0,
    records: new GrowingNumbers(),
    bytes: new GrowingBytes(),
    lengths: lengths as TextRows['lengths'],
    otherNumbers: 0,
    otherNamed: 0,
  };
}

export function addTextRows(rows: TextRows, chunk: Chunk): void {
  const { bytes: from, view, length } = chunk;
  const { bytes, records, lengths } = rows;
  for (let at = 0; at < length; rows.count++) {
    records.reserve(TEXT_RECORD);
    const record = records.length;
    const start = bytes.length;
    at = readId(records.values, record, from, at);
    for (const name of textNames) {
      const next = skipValues(view, at, 1);
      lengths[name] += appendJson(bytes, from, at, next - 1);
      at = next;
    }
    const first = bytes.length;
    const end = skipValues(view, at, 1);
    bytes.append(from, at, end);
    lengths.numbers += end - 1 - at;
    at = end;

    const next = skipValues(view, at, 1);
    const form = from[at] === NULL_BYTE ? NO_NUMBER : findForm(bytes.bytes, first, from, at, next - 1);
    if (form === OTHER_NUMBER) {
      lengths.otherNumbers += appendJson(bytes, from, at, next - 1);
      rows.otherNumbers++;
    }
    at = next;
    const last = skipValues(view, at, 1);
    const named = appendOtherNames(bytes, from, at, last - 1);
    lengths.otherNames += named;
    if (named > 0) rows.otherNamed++;
    at = last;
    records.values[record + 4] = start;
    records.values[record + 5] = Math.floor(start / 2 ** 32) * 4 + form;
    records.length += TEXT_RECORD;
    at = skipValues(view, at, VALUE_COLUMNS);
  }
}

export function startOfTexts(records: Uint32Array, row: number): number {
  const record = row * TEXT_RECORD;
  return (records[record + 4] as number) + ((records[record + 5] as number) >>> 2) * 2 ** 32;
}

export function formOfNumber(records: Uint32Array, row: number): number {
  return (records[row * TEXT_RECORD + 5] as number) & 3;
}

/** `8-4-4-4-12` hexadecimal digits, lower case. Returns where the next value starts. */
function readId(records: Uint32Array, record: number, from: Uint8Array, start: number): number {
  records[record] = (readHex(from, start) << 16) | readHex(from, start + 4);
  records[record + 1] = (readHex(from, start + 9) << 16) | readHex(from, start + 14);
  records[record + 2] = (readHex(from, start + 19) << 16) | readHex(from, start + 24);
  records[record + 3] = (readHex(from, start + 28) << 16) | readHex(from, start + 32);
  return start + 37;
}

/** Reads four hexadecimal digits. */
function readHex(from: Uint8Array, at: number): number {
  let value = 0;
  for (let index = at; index < at + 4; index++) value = (value << 4) | (DIGITS[from[index] as number] as number);
  return value;
}

const DIGITS = Uint8Array.from({ length: 256 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0);

/** How the registration number from `start` to `end` follows from the first of the number keys at `first`. */
function findForm(keys: Uint8Array, first: number, from: Uint8Array, start: number, end: number): number {
  // A line break, a tab or the zero byte after the keys ends the first number.
  let isFolded = true;
  let isUpper = true;
  for (let at = start; at < end; at++) {
    const folded = keys[first + at - start] as number;
    const byte = from[at] as number;
    if (folded < 0x20) return OTHER_NUMBER;
    isFolded &&= byte === folded;
    isUpper &&= byte === toUpper(folded);
  }
  const isComplete = (keys[first + end - start] as number) < 0x20;
  if (!isComplete || !isPlain(from, start, end)) return OTHER_NUMBER;
  if (isFolded) return AS_FOLDED;
  return isUpper ? UPPER_CASE : OTHER_NUMBER;
}
