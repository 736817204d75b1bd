/** Fields whose values repeat, such as a status or a date: each value is encoded once per index, with the name of its field. */
import { type FewValuedName, type SummaryName, showValue, summaryFields } from '../../../core/entity-summary.ts';
import type { SearchIndex } from '../search-index.ts';

/** Writes one field of a document at `at` and returns where the field ends. */
type FieldWriter = (doc: number, to: Uint8Array, at: number) => number;

export interface Field {
  readonly write: FieldWriter;
  /** The most bytes that the field can take, besides those that `measure` counts. */
  readonly maxBytes: number;
  readonly measure?: (doc: number) => number;
}

export type Names = readonly [SummaryName, FewValuedName?];

/** Two neighbours are written at once if few pairs of their values are possible: each write costs as much as some bytes. */
export function pairNames({ texts }: SearchIndex, names: readonly SummaryName[]): Names[] {
  const sizeOf = (name: SummaryName | undefined) =>
    name !== undefined && summaryFields[name].values === 'few'
      ? texts.columns[name as FewValuedName].length
      : MAX_PAIRS;
  const pairs: Names[] = [];
  for (let at = 0; at < names.length; at++) {
    const [name, next] = [names[at] as SummaryName, names[at + 1]];
    const isPair = sizeOf(name) * sizeOf(next) < MAX_PAIRS;
    pairs.push(isPair ? [name, next as FewValuedName] : [name]);
    if (isPair) at++;
  }
  return pairs;
}

const MAX_PAIRS = 32_768;

/**
 * Encodes a value when it is first written: there may be tens of thousands of dates and cities. The encoded values share
 * one buffer, because the processor's cache would hold few of them if each had its own.
 */
function createEncoded(count: number, describe: (number: number) => string) {
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  let encoded = Buffer.alloc(4_096);
  let length = 0;
  function encode(number: number): void {
    const bytes = Buffer.from(describe(number));
    if (length + bytes.length > encoded.length) encoded = Buffer.concat([encoded], 2 * (length + bytes.length));
    starts[number] = length;
    length += bytes.copy(encoded, length);
    ends[number] = length;
  }
  return (number: number, to: Uint8Array, at: number): number => {
    if (ends[number] === 0) encode(number);
    return copy(encoded, starts[number] as number, ends[number] as number, to, at);
  };
}

export function createValueField({ arrays, texts }: SearchIndex, name: FewValuedName, label: string): Field {
  const numbers = arrays[`summary.${name}`];
  const values = texts.columns[name];
  const write = createEncoded(values.length, (number) => label + describeValue(name, values[number]));
  // In JSON, one unit of a string takes at most six bytes. Looking for the longest of many values would take milliseconds,
  // in which a new index is not served yet.
  const measured = values.length > MANY_VALUES ? [] : values;
  return {
    maxBytes: label.length + measureLongest(measured),
    ...(measured !== values && { measure: (doc: number) => 6 * (values[numbers[doc] as number]?.length ?? 0) }),
    write: (doc, to, at) => write(numbers[doc] as number, to, at),
  };
}

/** A number stands for a pair of values: that of the first times the count of the second, plus that of the second. */
export function createPairField(
  { arrays, texts }: SearchIndex,
  [name, second]: readonly [FewValuedName, FewValuedName],
  label: string,
): Field {
  const [firstNumbers, secondNumbers] = [arrays[`summary.${name}`], arrays[`summary.${second}`]];
  const [firstValues, secondValues] = [texts.columns[name], texts.columns[second]];
  const width = secondValues.length;
  const middle = `,"${second}":`;
  const write = createEncoded(
    firstValues.length * width,
    (number) =>
      label +
      describeValue(name, firstValues[Math.floor(number / width)]) +
      middle +
      describeValue(second, secondValues[number % width]),
  );
  return {
    maxBytes: label.length + middle.length + measureLongest(firstValues) + measureLongest(secondValues),
    write: (doc, to, at) => write((firstNumbers[doc] as number) * width + (secondNumbers[doc] as number), to, at),
  };
}

function describeValue(name: FewValuedName, value: string | null | undefined): string {
  return JSON.stringify(showValue(name, value ?? null));
}

function measureLongest(values: readonly (string | null)[]): number {
  return 6 * values.reduce<number>((longest, value) => Math.max(longest, value?.length ?? 0), 4) + 2;
}

const MANY_VALUES = 1_000;

/** A loop, because for a few bytes it is faster than `set` of a `subarray`; four bytes at once, which saves a third. */
export function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  let next = at;
  let index = start;
  for (; index + 3 < end; index += 4, next += 4) {
    to[next] = from[index] as number;
    to[next + 1] = from[index + 1] as number;
    to[next + 2] = from[index + 2] as number;
    to[next + 3] = from[index + 3] as number;
  }
  for (; index < end; index++) to[next++] = from[index] as number;
  return next;
}
