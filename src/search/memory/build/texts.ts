import { storedValueNames } from '../../../base/entity-summary.ts';
import { fold } from '../../../base/fold.ts';
import type { CandidateName } from '../../match/matching.ts';
import { FORMER, hashName, listOtherNames, OTHER } from '../../other-names.ts';
import { listAliasWords } from '../../words.ts';
import { NO_NUMBER, numbersForForms, OTHER_NUMBER, toUpper, UPPER_CASE, writeForm } from '../encodings.ts';
import { createHashTable } from '../hash-table.ts';
import { aliasKinds, type ColumnName, type OtherNameArrays, type SummaryArrays } from '../search-index.ts';
import { NULL_BYTE, packPositions, sharedBytes, sharedNumbers, sharedOffsets } from '../shared-arrays.ts';
import { findBroadWords } from './broad.ts';
import { ByteTable, createLists } from './byte-table.ts';
import { type Chunk, rowColumns, skipValues, viewChunk } from './chunk.ts';
import { GrowingBytes, GrowingNumbers } from './growing-arrays.ts';
import { invert, toWordDocs, withoutLong } from './postings.ts';
import { sortSuffixes, sortVocabulary } from './suffixes.ts';

/** The ids and texts of all rows. */
export type TextRows = ReturnType<typeof createTextRows>;

/** The numbers of a record: see `records`. */
const TEXT_RECORD = 2;
export const ID_BYTES = 16;
/** The columns that this thread skips: words, values, codes of legal forms, keys of activities, and activities. */
const VALUE_COLUMNS = storedValueNames.length + 4;
/** The number of skipped columns before the country. */
const BEFORE_COUNTRY = rowColumns.indexOf('country_code') - rowColumns.indexOf('name_key');

export function createTextRows() {
  return {
    count: 0,
    /**
     * For each row, the position where its texts start in two numbers: the lower 32 bits; then the higher bits times four, plus the form of
     * the row's registration number (`encodings.ts`).
     */
    records: new GrowingNumbers(),
    /**
     * The id of each row in 16 bytes, and its texts, each followed by a zero byte: its name as JSON string without its quotation marks; its
     * number keys, in the format of `numberKeys`; its registration number as JSON if its form is `OTHER_NUMBER`; its other names; and the
     * words of each of `aliasKinds`. The texts of a row are neighbours, because the rows are later read in another order.
     */
    bytes: new GrowingBytes(),
    /** The total length of the texts of each field, without the zero bytes. */
    lengths: { names: 0, numbers: 0, otherNumbers: 0, otherNames: 0 },
    otherNumbers: 0,
    /** The number of rows with other names. */
    otherNamed: 0,
  };
}

export function addTextRows(rows: TextRows, chunk: Chunk): void {
  const { bytes: from, view, length } = chunk;
  const { bytes, records, lengths } = rows;
  for (let at = 0; at < length; rows.count++) {
    const start = bytes.length;
    at = appendId(bytes, from, at);
    const nameAt = at;
    at = skipValues(view, nameAt, 1);
    lengths.names += appendJson(bytes, from, nameAt, at - 1);
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
    records.push(start);
    records.push(Math.floor(start / 2 ** 32) * 4 + form);

    at = skipValues(view, next, 1);
    const others = at - 1 === next ? [] : listOtherNames(readText(from, next, at - 1));
    const named = appendText(bytes, writeLines(others));
    lengths.otherNames += named;
    if (named > 0) rows.otherNamed++;
    if (others.length > 0 || isRomanised(from, nameAt)) {
      const country = skipValues(view, at, BEFORE_COUNTRY);
      const code = readText(from, country, skipValues(view, country, 1) - 1);
      const current = readText(from, nameAt, from.indexOf(0, nameAt));
      const otherTexts = others.map(({ text }) => text);
      const words = listAliasWords(current, code, otherTexts);
      for (const kind of aliasKinds) appendText(bytes, [...words[kind]].join(' '));
    } else for (const _ of aliasKinds) appendText(bytes, '');
    at = skipValues(view, at, VALUE_COLUMNS);
  }
}

/** Where the id of a row starts, and then its texts. */
export function startOfRow({ values }: GrowingNumbers, row: number): number {
  return (values[row * TEXT_RECORD] as number) + ((values[row * TEXT_RECORD + 1] as number) >>> 2) * 2 ** 32;
}

/** Appends an id: `8-4-4-4-12` hexadecimal digits, lower case. Returns where the next value starts. */
function appendId(into: GrowingBytes, from: Uint8Array, start: number): number {
  into.reserve(ID_BYTES);
  let at = start;
  for (const end = into.length + ID_BYTES; into.length < end; at += 2) {
    if (from[at] === DASH) at++;
    const [high, low] = [DIGITS[from[at] as number] as number, DIGITS[from[at + 1] as number] as number];
    into.bytes[into.length++] = (high << 4) | low;
  }
  return at + 1;
}

const DIGITS = Uint8Array.from({ length: 256 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0);
const DASH = 0x2d;

/** Finds how the registration number from `start` to `end` is derived from the first of the number keys at `first`. */
function findForm(keys: Uint8Array, first: number, from: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const folded = keys[first + at - start] as number;
    if (!isPlain(folded) || from[at] !== toUpper(folded)) return OTHER_NUMBER;
  }
  // A line break, a tab or the zero byte after the keys ends the first number.
  return (keys[first + end - start] as number) < SPACE ? UPPER_CASE : OTHER_NUMBER;
}

type SharedTexts = ReturnType<typeof createTexts>;

/**
 * Lays out the ids and texts of all documents, in document order. `order` has the row of each document. Fragments of aliases with more
 * documents than `threshold` are broad. Frees the memory of the rows as soon as they are copied.
 */
export function layOutTexts(rows: TextRows, order: Uint32Array, threshold: number) {
  const { count, lengths } = rows;
  const ids = sharedBytes(count * ID_BYTES);
  const names = createTexts(count, lengths.names);
  const numbers = createTexts(count, lengths.numbers);
  const others = createTexts(rows.otherNumbers, lengths.otherNumbers);
  const otherDocs = sharedNumbers(rows.otherNumbers);
  const forms = sharedNumbers(numbersForForms(count));
  const { bytes } = rows.bytes;
  const named = createTexts(rows.otherNamed, lengths.otherNames);
  const namedDocs = sharedNumbers(rows.otherNamed);
  const aliases = { romanised: new AliasRows(), former: new AliasRows() };
  const chunk = viewChunk(bytes.buffer, rows.bytes.length);
  let otherCount = 0;
  let namedCount = 0;
  for (let doc = 0; doc < count; doc++) {
    const row = order[doc] as number;
    let at = startOfRow(rows.records, row);
    for (let byte = 0; byte < ID_BYTES; byte++) ids[doc * ID_BYTES + byte] = bytes[at++] as number;
    at = copyText(bytes, at, names, doc);
    at = copyText(bytes, at, numbers, doc);
    const form = (rows.records.values[row * TEXT_RECORD + 1] as number) & 3;
    writeForm(forms, doc, form);
    if (form === OTHER_NUMBER) {
      otherDocs[otherCount] = doc;
      at = copyText(bytes, at, others, otherCount++);
    }
    if (bytes[at] === 0) at++;
    else {
      namedDocs[namedCount] = doc;
      at = copyText(bytes, at, named, namedCount++);
    }
    for (const kind of aliasKinds) at = aliases[kind].add(chunk, at, doc);
  }
  const { romanised, former } = aliases;
  const laidOut = { romanised: romanised.layOut(count, threshold), former: former.layOut(count, threshold) };
  rows.records.release();
  rows.bytes.release();
  const namePositions = packPositions(names.starts);
  const summary: Omit<SummaryArrays, `summary.${ColumnName}`> = {
    'summary.id': ids,
    'summary.canonicalName.text': names.bytes,
    'summary.canonicalName.starts': namePositions.starts,
    'summary.canonicalName.steps': namePositions.steps,
    'summary.registrationNumber': forms,
    otherNumberDocs: otherDocs,
    otherNumberText: others.bytes,
    otherNumberStarts: others.starts,
  };
  const hashed = hashNames(named, namedDocs.length);
  const otherNames: OtherNameArrays = {
    otherNameDocs: namedDocs,
    otherNameText: named.bytes,
    otherNameStarts: named.starts,
    otherNameHashes: hashed.hashes,
    otherNamePositions: hashed.numbers,
  };
  return { summary, numbers, otherNames, aliases: laidOut };
}

function createTexts(count: number, length: number) {
  return { bytes: sharedBytes(length), starts: sharedOffsets(count + 1, length) };
}

/** Copies the text at `from`, up to a zero byte, to the end of the texts. Returns where the next text starts. */
function copyText(source: Uint8Array, from: number, { bytes, starts }: SharedTexts, number: number): number {
  let end = starts[number] as number;
  let at = from;
  for (let byte = source[at] as number; byte !== 0; byte = source[++at] as number) bytes[end++] = byte;
  starts[number + 1] = end;
  return at + 1;
}

const [SPACE, QUOTE, BACKSLASH] = [0x20, 0x22, 0x5c];

/** Whether JSON writes the byte without an escape. */
function isPlain(byte: number): boolean {
  return byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH;
}

/**
 * Appends a text as a JSON string without its quotation marks, which pages copy unchanged, and a zero byte. Null stays
 * `NULL_BYTE`. Returns the length of the string. Few texts need escapes, and only such texts are decoded and encoded again.
 */
function appendJson(into: GrowingBytes, from: Uint8Array, start: number, end: number): number {
  into.reserve(end - start + 1);
  const { bytes, length } = into;
  let at = length;
  for (let index = start; index < end; index++) {
    const byte = from[index] as number;
    if (!isPlain(byte)) return appendEscaped(into, from, start, end);
    bytes[at++] = byte;
  }
  bytes[at] = 0;
  into.length = at + 1;
  return at - length;
}

function appendEscaped(into: GrowingBytes, from: Uint8Array, start: number, end: number): number {
  const json = Buffer.from(`${JSON.stringify(Buffer.from(from.slice(start, end)).toString()).slice(1, -1)}\0`);
  into.append(json, 0, json.length);
  return json.length - 1;
}

/** Decodes a JSON string without quotation marks to a text in UTF-8. */
export function decodeJson(json: Uint8Array): Uint8Array {
  if (json[0] === NULL_BYTE || !json.includes(BACKSLASH)) return json;
  return Buffer.from(JSON.parse(`"${Buffer.from(json).toString()}"`) as string);
}

function readText(from: Uint8Array, start: number, end: number): string {
  return Buffer.from(from.buffer, from.byteOffset + start, end - start).toString();
}

/** Appends a text and a zero byte. Returns the length of the text. */
function appendText(bytes: GrowingBytes, text: string): number {
  bytes.reserve(3 * text.length + 1);
  const length = text === '' ? 0 : encoder.encodeInto(text, bytes.bytes.subarray(bytes.length)).written;
  bytes.bytes[bytes.length + length] = 0;
  bytes.length += length + 1;
  return length;
}

const encoder = new TextEncoder();

/** Writes former and further names, one per line, each after the mark of its kind. */
function writeLines(names: readonly CandidateName[]): string {
  return names.map(({ text, kind }) => (kind === 'former' ? FORMER : OTHER) + text.replace(BREAKS, ' ')).join('\n');
}

/** Whether the text has a letter that `romanise` may transcribe: U+0370 to U+05BF, or from U+1000 on. Most texts have no such letter. */
function isRomanised(from: Uint8Array, start: number): boolean {
  for (let at = start; from[at] !== 0; at++) {
    const byte = from[at] as number;
    if (byte >= 0xcd && (byte <= 0xd6 || byte === 0xe1)) return true;
  }
  return false;
}

const BREAKS = /[\0\n]/g;

/** The positions of companies among companies with former and further names, by the hashes of these names. */
function hashNames({ bytes, starts }: SharedTexts, count: number) {
  return createHashTable(count, (position) => {
    const lines = Buffer.from(bytes.slice(starts[position], starts[position + 1]))
      .toString()
      .split('\n');
    return new Set(lines.map((line) => hashName(fold(line.slice(1)))));
  });
}

/** The words of one kind of names, for the documents that have such names, in document order. */
class AliasRows {
  readonly #table = new ByteTable();
  readonly #docs = new GrowingNumbers();
  readonly #words = createLists();

  /** Adds the words at `start`: separated by spaces, with a zero byte after the last word. Returns where the next text starts. */
  add(chunk: Chunk, start: number, doc: number): number {
    if (chunk.bytes[start] === 0) return start + 1;
    this.#docs.push(doc);
    return this.#table.addList(this.#words, chunk, start, SPACE);
  }

  layOut(docCount: number, threshold: number) {
    const { values, starts } = this.#words;
    starts.push(values.length);
    const { vocabulary, ranks } = sortVocabulary(this.#table);
    const groups = values.values.subarray(0, values.length).map((word) => ranks[word] as number);
    const postings = toWordDocs(invert({ groups, starts: starts.values.subarray(0, starts.length) }, ranks.length));
    for (const [at, list] of postings.wordDocs.entries()) postings.wordDocs[at] = this.#docs.values[list] as number;
    const words = { ...vocabulary, ...sortSuffixes(vocabulary) };
    const broad = findBroadWords({ ...words, ...postings }, docCount, threshold);
    // A word with more documents is a broad fragment, so its own list is never read: see `build.ts`.
    return { arrays: { ...words, ...withoutLong(postings, threshold) }, broad };
  }
}
