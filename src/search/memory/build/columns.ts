import { type FewValuedName, fewValuedNames, type TextName, textNames } from '../../../core/entity-summary.ts';
import type { SummaryArrays } from '../search-index.ts';
import { type Narrow, sharedBytes, sharedNarrow, sharedNumbers } from '../shared-arrays.ts';
import { buildGrams, type Grams } from './grams.ts';
import { countUp } from './growing-arrays.ts';
import { invert, type Postings } from './postings.ts';
import { NULL_BYTE, type Rows } from './rows.ts';

/**
 * The half of a build that does not deal with words: puts everything else of the rows into document order, and builds
 * the posting lists of numbers and filters. It takes plain arrays, so that another thread can do it.
 */
export interface ColumnInput {
  readonly count: number;
  readonly ids: Uint8Array;
  readonly texts: Readonly<Record<TextName, TextArrays>>;
  readonly numbers: TextArrays;
  readonly activities: NumberLists;
  readonly activityCount: number;
  readonly values: Readonly<Record<FewValuedName, ValueNumbers>>;
}

interface TextArrays {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

interface NumberLists {
  readonly values: Uint32Array;
  readonly starts: Uint32Array;
}

/** The number of each row's value, and how many values there are. */
interface ValueNumbers {
  readonly numbers: Uint32Array;
  readonly count: number;
}

export interface Columns {
  readonly summary: SummaryArrays;
  readonly numbers: SharedTexts;
  readonly grams: Grams;
  readonly countries: Postings;
  readonly legalForms: Postings;
  readonly activities: Postings;
}

interface SharedTexts {
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  readonly starts: Uint32Array<SharedArrayBuffer>;
}

export function takeColumnInput(rows: Rows): ColumnInput {
  const textArrays = ({ bytes, starts }: Rows['numbers']) => ({ bytes: bytes.bytes, starts: starts.values });
  const valueNumbers = ({ values, table }: Rows['columns'][FewValuedName]) => ({
    numbers: values.values,
    count: table.count,
  });
  const texts = textNames.map((name) => [name, textArrays(rows.texts[name])] as const);
  const values = fewValuedNames.map((name) => [name, valueNumbers(rows.columns[name])] as const);
  return {
    count: rows.count,
    ids: rows.ids.bytes,
    texts: Object.fromEntries(texts) as ColumnInput['texts'],
    numbers: textArrays(rows.numbers),
    activities: { values: rows.activities.values.values, starts: rows.activities.starts.values },
    activityCount: rows.activityTable.count,
    values: Object.fromEntries(values) as ColumnInput['values'],
  };
}

export function layOutColumns(input: ColumnInput, order: Uint32Array): Columns {
  const { count } = input;
  const numbers = reorderTexts(input.numbers, order);
  const activities = reorderLists(input.activities, order);
  const summary = layOutSummary(input, order);
  // Each document has exactly one value, so its list starts at its own number.
  const oneEach = countUp(count + 1);
  const invertValues = (name: FewValuedName) =>
    invert(new Uint32Array(summary[`summary.${name}`]), oneEach, count, input.values[name].count);
  return {
    summary,
    numbers,
    grams: buildGrams(numbers.bytes, numbers.starts, count),
    countries: invertValues('countryCode'),
    legalForms: invertValues('legalForm'),
    activities: invert(activities.values, activities.starts, count, input.activityCount),
  };
}

function layOutSummary({ ids, texts, values }: ColumnInput, order: Uint32Array): SummaryArrays {
  const arrays: Record<string, SummaryArrays[keyof SummaryArrays]> = { 'summary.id': reorderIds(ids, order) };
  for (const name of fewValuedNames) arrays[`summary.${name}`] = reorderValues(values[name], order);
  for (const name of textNames) {
    const { bytes, starts } = writeJsonTexts(texts[name], order);
    arrays[`summary.${name}.text`] = bytes;
    arrays[`summary.${name}.starts`] = starts;
  }
  return arrays as SummaryArrays;
}

export function reorderLists({ values, starts }: NumberLists, order: Uint32Array) {
  const ordered = sharedNumbers(starts[order.length] ?? 0);
  const orderedStarts = copyInOrder(values, starts, order, ordered);
  return { values: ordered, starts: orderedStarts };
}

function reorderTexts({ bytes, starts }: TextArrays, order: Uint32Array): SharedTexts {
  const ordered = sharedBytes(starts[order.length] ?? 0);
  const orderedStarts = copyInOrder(bytes, starts, order, ordered);
  return { bytes: ordered, starts: orderedStarts };
}

/** Copies each row's values to its place in the order; returns where each document's values start. */
function copyInOrder(
  values: Uint8Array | Uint32Array,
  starts: Uint32Array,
  order: Uint32Array,
  ordered: Uint8Array | Uint32Array,
): Uint32Array<SharedArrayBuffer> {
  const orderedStarts = sharedNumbers(order.length + 1);
  let at = 0;
  for (let doc = 0; doc < order.length; doc++) {
    const row = order[doc] as number;
    const end = starts[row + 1] as number;
    for (let from = starts[row] as number; from < end; from++) ordered[at++] = values[from] as number;
    orderedStarts[doc + 1] = at;
  }
  return orderedStarts;
}

function reorderIds(ids: Uint8Array, order: Uint32Array) {
  const ordered = sharedBytes(order.length * 16);
  for (let doc = 0; doc < order.length; doc++) {
    const from = (order[doc] as number) * 16;
    for (let byte = 0; byte < 16; byte++) ordered[doc * 16 + byte] = ids[from + byte] as number;
  }
  return ordered;
}

function reorderValues({ numbers, count }: ValueNumbers, order: Uint32Array): Narrow {
  const ordered = sharedNarrow(order.length, count);
  for (let doc = 0; doc < order.length; doc++) ordered[doc] = numbers[order[doc] as number] as number;
  return ordered;
}

const QUOTE = 0x22;

/**
 * Texts in document order, as JSON values: a page copies them as they are. Few texts need escapes, and only those are
 * decoded and encoded again.
 */
function writeJsonTexts({ bytes, starts }: TextArrays, order: Uint32Array): SharedTexts {
  const source = Buffer.from(bytes.buffer);
  const encoded = new Map<number, Buffer>();
  let length = (starts[order.length] ?? 0) + 2 * order.length;
  for (let row = 0; row < order.length; row++) {
    const from = starts[row] as number;
    const to = starts[row + 1] as number;
    if (!needsEncoding(bytes, from, to)) continue;
    const text = bytes[from] === NULL_BYTE ? null : source.toString('utf8', from, to);
    const json = Buffer.from(JSON.stringify(text));
    encoded.set(row, json);
    length += json.length - (to - from + 2);
  }
  const written = sharedBytes(length);
  const writtenStarts = sharedNumbers(order.length + 1);
  let at = 0;
  for (let doc = 0; doc < order.length; doc++) {
    const row = order[doc] as number;
    const json = encoded.get(row);
    if (json === undefined) {
      const end = starts[row + 1] as number;
      written[at++] = QUOTE;
      for (let from = starts[row] as number; from < end; from++) written[at++] = bytes[from] as number;
      written[at++] = QUOTE;
    } else for (let index = 0; index < json.length; index++) written[at++] = json[index] as number;
    writtenStarts[doc + 1] = at;
  }
  return { bytes: written, starts: writtenStarts };
}

function needsEncoding(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x20 || byte === QUOTE || byte === 0x5c || byte === NULL_BYTE) return true;
  }
  return false;
}
