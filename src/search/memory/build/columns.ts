import { type FewValuedName, fewValuedNames, type TextName, textNames } from '../../../core/entity-summary.ts';
import type { SummaryArrays } from '../search-index.ts';
import { type Narrow, sharedBytes, sharedNarrow, sharedNumbers } from '../shared-arrays.ts';
import { type FormGroups, groupForms } from './form-groups.ts';
import { buildGrams, type Grams } from './grams.ts';
import { countUp } from './growing-arrays.ts';
import { type SharedTexts, type TextArrays, writeJsonTexts } from './json-texts.ts';
import { layOutNumbers, type NumberFormArrays } from './number-column.ts';
import { invert, type Postings } from './postings.ts';
import type { Rows } from './rows.ts';

/**
 * The half of a build that does not deal with words: puts everything else of the rows into document order, and builds
 * the posting lists of numbers and filters. It takes plain arrays, so that another thread can do it.
 */
export interface ColumnInput {
  readonly count: number;
  readonly ids: Uint8Array;
  readonly texts: Readonly<Record<TextName, TextArrays>>;
  readonly numbers: TextArrays;
  readonly registrationNumbers: NumberFormArrays;
  readonly activities: NumberLists;
  readonly activityCount: number;
  readonly values: Readonly<Record<FewValuedName, ValueNumbers>>;
  readonly formCodes: FormGroups;
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
  readonly separatedNumbers: Uint32Array<SharedArrayBuffer>;
  readonly grams: Grams;
  readonly countries: Postings;
  readonly registers: Postings;
  readonly statuses: Postings;
  readonly legalForms: Postings;
  readonly activities: Postings;
}

export function takeColumnInput(rows: Rows, formCodes: FormGroups): ColumnInput {
  const textArrays = ({ bytes, starts }: Rows['numbers']) => ({ bytes: bytes.bytes, starts: starts.values });
  const valueNumbers = ({ values, table }: Rows['columns'][FewValuedName]) => ({
    numbers: values.values,
    count: table.count,
  });
  const texts = textNames.map((name) => [name, textArrays(rows.texts[name])] as const);
  const values = fewValuedNames.map((name) => [name, valueNumbers(rows.columns[name])] as const);
  const { forms, rows: others, texts: otherTexts } = rows.registrationNumbers;
  return {
    count: rows.count,
    ids: rows.ids.bytes,
    texts: Object.fromEntries(texts) as ColumnInput['texts'],
    numbers: textArrays(rows.numbers),
    registrationNumbers: {
      forms: forms.bytes,
      rows: others.values.subarray(0, others.length),
      texts: textArrays(otherTexts),
    },
    activities: { values: rows.activities.values.values, starts: rows.activities.starts.values },
    activityCount: rows.activityTable.count,
    values: Object.fromEntries(values) as ColumnInput['values'],
    formCodes,
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
    separatedNumbers: findSeparated(numbers, count),
    grams: buildGrams(numbers.bytes, numbers.starts, count),
    countries: invertValues('countryCode'),
    registers: invertValues('register'),
    statuses: invertValues('status'),
    legalForms: groupForms(summary['summary.legalForm'], input.formCodes, order),
    activities: invert(activities.values, activities.starts, count, input.activityCount),
  };
}

/** One bit per document: whether one of its numbers is followed by its form without separators (`numberKeys`). */
function findSeparated({ bytes, starts }: SharedTexts, count: number): Uint32Array<SharedArrayBuffer> {
  const bits = sharedNumbers(Math.ceil(count / 32));
  let doc = 0;
  for (let at = bytes.indexOf(TAB); at !== -1; at = bytes.indexOf(TAB, starts[doc + 1])) {
    while ((starts[doc + 1] as number) <= at) doc++;
    bits[doc >>> 5] = (bits[doc >>> 5] as number) | (1 << (doc & 31));
  }
  return bits;
}

const TAB = 0x09;

function layOutSummary(input: ColumnInput, order: Uint32Array): SummaryArrays {
  const { ids, texts, values, registrationNumbers } = input;
  const arrays: Record<string, SummaryArrays[keyof SummaryArrays]> = {
    'summary.id': reorderIds(ids, order),
    ...layOutNumbers(registrationNumbers, order),
  };
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
