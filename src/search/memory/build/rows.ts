import {
  type FewValuedName,
  fewValuedNames,
  summaryFields,
  type TextName,
  textNames,
} from '../../../core/entity-summary.ts';
import { ByteTable } from './byte-table.ts';
import { GrowingBytes, GrowingNumbers } from './growing-arrays.ts';
import { createNumberForms, type NumberForms, readNumberForm } from './number-column.ts';
import { createTexts, readText, type Texts } from './texts.ts';

/**
 * First step of a build: the rows of the store as columns, in the order the store returns them. It works on the bytes
 * of the dump and creates no strings: a row of 200 bytes takes about two microseconds.
 */
export interface Rows {
  count: number;
  /** 16 bytes each. */
  readonly ids: GrowingBytes;
  /** The words of each folded name, as numbers in `vocabulary`. */
  readonly words: Lists;
  readonly vocabulary: ByteTable;
  /** Registration numbers as `numberKeys` writes them. */
  readonly numbers: Texts;
  readonly registrationNumbers: NumberForms;
  readonly activities: Lists;
  readonly activityTable: ByteTable;
  readonly formCodes: ValueColumn;
  readonly columns: Readonly<Record<FewValuedName, ValueColumn>>;
  readonly texts: Readonly<Record<TextName, Texts>>;
}

/** Each distinct value once, in a table, and for each row the number of its value. */
export interface ValueColumn {
  readonly table: ByteTable;
  readonly values: GrowingNumbers;
}

/** One list of numbers per row; `starts` ends with the end of the last list. */
export interface Lists {
  readonly values: GrowingNumbers;
  readonly starts: GrowingNumbers;
}

const [SPACE, NEWLINE] = [0x20, 0x0a];

/** The columns that an index is built from. The store dumps them in this order, and `addRows` reads them in it. */
export const rowColumns: readonly string[] = [
  summaryFields.id.column,
  'name_key',
  ...textNames.map((name) => summaryFields[name].column),
  ...fewValuedNames.map((name) => summaryFields[name].column),
  'legal_form_code',
  'number_keys',
  summaryFields.registrationNumber.column,
  'activity_keys',
];

/** Calls each reader directly: one list of readers, called through a loop, was measurably slower. */
function addRows(rows: Rows, chunk: Uint8Array): void {
  const texts = textNames.map((name) => rows.texts[name]);
  const columns = fewValuedNames.map((name) => rows.columns[name]);
  for (let at = 0; at < chunk.length; rows.count++) {
    at = readId(rows, chunk, at);
    at = readList(rows.words, rows.vocabulary, chunk, at, SPACE);
    for (const text of texts) at = readText(text, chunk, at);
    for (const column of columns) at = readValue(column, chunk, at);
    at = readValue(rows.formCodes, chunk, at);
    at = readText(rows.numbers, chunk, at);
    at = readNumberForm(rows.registrationNumbers, rows.numbers, chunk, at);
    at = readList(rows.activities, rows.activityTable, chunk, at, NEWLINE);
  }
}

export async function readRows(chunks: AsyncIterable<Uint8Array>): Promise<Rows> {
  const rows = createRows();
  for await (const chunk of chunks) addRows(rows, chunk);
  for (const { values, starts } of [rows.words, rows.activities]) starts.push(values.length);
  const texts = [rows.numbers, rows.registrationNumbers.texts, ...Object.values(rows.texts)];
  for (const { bytes, starts } of texts) starts.push(bytes.length);
  return rows;
}

function createRows(): Rows {
  const lists = (): Lists => ({ values: new GrowingNumbers(), starts: new GrowingNumbers() });
  const column = (): ValueColumn => ({ table: new ByteTable(), values: new GrowingNumbers() });
  return {
    count: 0,
    ids: new GrowingBytes(),
    words: lists(),
    vocabulary: new ByteTable(),
    numbers: createTexts(),
    registrationNumbers: createNumberForms(),
    formCodes: column(),
    activities: lists(),
    activityTable: new ByteTable(),
    columns: Object.fromEntries(fewValuedNames.map((name) => [name, column()])) as Record<FewValuedName, ValueColumn>,
    texts: Object.fromEntries(textNames.map((name) => [name, createTexts()])) as Record<TextName, Texts>,
  };
}

// Each reader adds the value at `start` to the rows and returns where the next value starts.

/** `8-4-4-4-12` hexadecimal digits, lower case. */
function readId({ ids }: Rows, chunk: Uint8Array, start: number): number {
  ids.reserve(16);
  const { bytes, length } = ids;
  let at = start;
  for (let byte = 0; byte < 16; byte++) {
    if (byte === 4 || byte === 6 || byte === 8 || byte === 10) at++;
    bytes[length + byte] = ((DIGITS[chunk[at] as number] as number) << 4) | (DIGITS[chunk[at + 1] as number] as number);
    at += 2;
  }
  ids.length += 16;
  return at + 1;
}

const DIGITS = Uint8Array.from({ length: 256 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0);

function readValue({ table, values }: ValueColumn, chunk: Uint8Array, start: number): number {
  values.push(table.add(chunk, start));
  return table.ended + 1;
}

function readList(
  { values, starts }: Lists,
  table: ByteTable,
  chunk: Uint8Array,
  start: number,
  separator: number,
): number {
  starts.push(values.length);
  let at = start;
  while (chunk[at] !== 0) {
    values.push(table.add(chunk, at, separator));
    at = table.ended;
    if (chunk[at] === separator) at++;
  }
  return at + 1;
}
