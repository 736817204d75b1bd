import { type ColumnName, columnNames } from '../search-index.ts';
import { type Narrow, sharedBytes, sharedNarrow, sharedNumbers } from '../shared-arrays.ts';
import { buildGrams, type Grams } from './grams.ts';
import { countUp } from './growing-arrays.ts';
import { invert, type Postings } from './postings.ts';
import type { Rows } from './rows.ts';

/**
 * Second half of a build that has nothing to do with words: everything else of the rows put into document order, and the
 * postings of numbers and filters. It takes plain arrays, so that another thread can do it.
 */
export interface ColumnInput {
  readonly count: number;
  readonly ids: Uint8Array;
  readonly names: Texts;
  readonly numbers: Texts;
  readonly activities: NumberLists;
  readonly activityCount: number;
  readonly values: Readonly<Record<ColumnName, { readonly numbers: Uint32Array; readonly count: number }>>;
}

interface Texts {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

interface NumberLists {
  readonly values: Uint32Array;
  readonly starts: Uint32Array;
}

export interface Columns {
  readonly ids: Uint8Array<SharedArrayBuffer>;
  readonly names: SharedTexts;
  readonly numbers: SharedTexts;
  readonly grams: Grams;
  readonly values: Readonly<Record<ColumnName, Narrow>>;
  readonly countries: Postings;
  readonly legalForms: Postings;
  readonly activities: Postings;
}

interface SharedTexts {
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  readonly starts: Uint32Array<SharedArrayBuffer>;
}

export function takeColumnInput(rows: Rows): ColumnInput {
  const values = columnNames.map((name) => {
    const { values: numbers, table } = rows.columns[name];
    return [name, { numbers: numbers.values, count: table.count }] as const;
  });
  return {
    count: rows.count,
    ids: rows.ids.bytes,
    names: { bytes: rows.names.bytes, starts: rows.nameStarts.values },
    numbers: { bytes: rows.numbers.bytes, starts: rows.numberStarts.values },
    activities: { values: rows.activities.values.values, starts: rows.activities.starts.values },
    activityCount: rows.activityTable.count,
    values: Object.fromEntries(values) as ColumnInput['values'],
  };
}

export function layOutColumns(input: ColumnInput, order: Uint32Array): Columns {
  const { count } = input;
  const numbers = reorderBytes(input.numbers, order);
  const activities = reorderLists(input.activities, order);
  const eachItsValue = countUp(count + 1);
  const reorder = (name: ColumnName) => reorderValues(input.values[name], order);
  const values = {
    country: reorder('country'),
    status: reorder('status'),
    legalForm: reorder('legalForm'),
    registeredAt: reorder('registeredAt'),
    updatedAt: reorder('updatedAt'),
  };
  const invertValues = (name: ColumnName) =>
    invert(new Uint32Array(values[name]), eachItsValue, count, input.values[name].count);
  return {
    ids: reorderIds(input.ids, order),
    names: escapeNames(input.names, order),
    numbers,
    grams: buildGrams(numbers.bytes, numbers.starts, count),
    values,
    countries: invertValues('country'),
    legalForms: invertValues('legalForm'),
    activities: invert(activities.values, activities.starts, count, input.activityCount),
  };
}

export function reorderLists({ values, starts }: NumberLists, order: Uint32Array) {
  const ordered = sharedNumbers(starts[order.length] ?? 0);
  const orderedStarts = sharedNumbers(order.length + 1);
  let at = 0;
  for (let doc = 0; doc < order.length; doc++) {
    const row = order[doc] as number;
    const end = starts[row + 1] as number;
    for (let from = starts[row] as number; from < end; from++) ordered[at++] = values[from] as number;
    orderedStarts[doc + 1] = at;
  }
  return { values: ordered, starts: orderedStarts };
}

function reorderBytes({ bytes, starts }: Texts, order: Uint32Array): SharedTexts {
  const ordered = sharedBytes(starts[order.length] ?? 0);
  const orderedStarts = sharedNumbers(order.length + 1);
  let at = 0;
  for (let doc = 0; doc < order.length; doc++) {
    const row = order[doc] as number;
    const end = starts[row + 1] as number;
    for (let from = starts[row] as number; from < end; from++) ordered[at++] = bytes[from] as number;
    orderedStarts[doc + 1] = at;
  }
  return { bytes: ordered, starts: orderedStarts };
}

function reorderIds(ids: Uint8Array, order: Uint32Array) {
  const ordered = sharedBytes(order.length * 16);
  for (let doc = 0; doc < order.length; doc++) {
    const from = (order[doc] as number) * 16;
    for (let byte = 0; byte < 16; byte++) ordered[doc * 16 + byte] = ids[from + byte] as number;
  }
  return ordered;
}

function reorderValues({ numbers, count }: ColumnInput['values'][ColumnName], order: Uint32Array): Narrow {
  const ordered = sharedNarrow(order.length, count);
  for (let doc = 0; doc < order.length; doc++) ordered[doc] = numbers[order[doc] as number] as number;
  return ordered;
}

/** In document order, and escaped as inside a JSON string; hardly any name needs it. */
function escapeNames({ bytes, starts }: Texts, order: Uint32Array): SharedTexts {
  const source = Buffer.from(bytes.buffer);
  const escaped = new Map<number, Buffer>();
  let length = starts[order.length] ?? 0;
  for (let row = 0; row < order.length; row++) {
    const from = starts[row] as number;
    const to = starts[row + 1] as number;
    if (!needsEscape(bytes, from, to)) continue;
    const text = Buffer.from(JSON.stringify(source.toString('utf8', from, to)).slice(1, -1));
    escaped.set(row, text);
    length += text.length - (to - from);
  }
  const ordered = sharedBytes(length);
  const orderedStarts = sharedNumbers(order.length + 1);
  let at = 0;
  for (let doc = 0; doc < order.length; doc++) {
    const row = order[doc] as number;
    const text = escaped.get(row);
    const from = text === undefined ? (starts[row] as number) : 0;
    const to = text === undefined ? (starts[row + 1] as number) : text.length;
    const name = text ?? bytes;
    for (let index = from; index < to; index++) ordered[at++] = name[index] as number;
    orderedStarts[doc + 1] = at;
  }
  return { bytes: ordered, starts: orderedStarts };
}

function needsEscape(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x20 || byte === 0x22 || byte === 0x5c) return true;
  }
  return false;
}
