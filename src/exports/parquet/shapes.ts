import type { LeafValue } from './encoding.ts';
import type { Leaf } from './leaf.ts';

/**
 * Shapes of Parquet columns, and the values of JSON in these shapes. `JSON` is kept as text. A value that does not fit its
 * shape completely is reported as lost, so that the writer can keep it elsewhere.
 */
export type Shape = Scalar | { readonly list: Shape } | { readonly struct: Fields };
export type Scalar = 'text' | 'date' | 'timestamp' | 'integer' | 'number' | 'boolean' | 'json';
export type Fields = Readonly<Record<string, Shape>>;

/** Whether any value was lost since the last reset. Each writer has one such object. */
export interface Losses {
  isLost: boolean;
}

/** Adds values of one shape to the leaf columns of a row group. Null and undefined count as missing. */
interface Shredder {
  add(value: unknown, definition: number, repetition: number): void;
  addNull(definition: number, repetition: number): void;
}

/** Calls `createLeaf` for every leaf, in the order of the schema. The levels are the maximum levels of the leaf's values. */
type CreateLeaf = (scalar: Scalar, path: readonly string[], definition: number, repetition: number) => Leaf;

export function compileShape(shape: Shape, losses: Losses, createLeaf: CreateLeaf, isRequired = false): Shredder {
  const compile = (at: Shape, path: readonly string[], definition: number, repetition: number): Shredder => {
    if (typeof at === 'string') return shredScalar(scalars[at], createLeaf(at, path, definition, repetition), losses);
    if ('list' in at) {
      const item = compile(at.list, [...path, 'list', 'element'], definition + 2, repetition + 1);
      return shredList(item, repetition + 1, losses);
    }
    const fields = Object.entries(at.struct);
    return shredStruct(
      fields.map(([name, field]) => [name, compile(field, [...path, name], definition + 1, repetition)]),
      losses,
    );
  };
  return compile(shape, [], isRequired ? 0 : 1, 0);
}

function shredScalar(convert: (value: unknown) => LeafValue | undefined, leaf: Leaf, losses: Losses): Shredder {
  return {
    add(value, definition, repetition) {
      if (value === undefined || value === null) return leaf.addNull(definition, repetition);
      const converted = convert(value);
      if (converted !== undefined) return leaf.add(converted, repetition);
      losses.isLost = true;
      leaf.addNull(definition, repetition);
    },
    addNull: (definition, repetition) => leaf.addNull(definition, repetition),
  };
}

function shredList(item: Shredder, level: number, losses: Losses): Shredder {
  return {
    add(value, definition, repetition) {
      if (value === undefined || value === null) return item.addNull(definition, repetition);
      if (!Array.isArray(value)) {
        losses.isLost = true;
        return item.addNull(definition, repetition);
      }
      if (value.length === 0) return item.addNull(definition + 1, repetition);
      for (let index = 0; index < value.length; index++) {
        item.add(value[index], definition + 2, index === 0 ? repetition : level);
      }
    },
    addNull: item.addNull,
  };
}

function shredStruct(fields: readonly (readonly [string, Shredder])[], losses: Losses): Shredder {
  const addNull = (definition: number, repetition: number) => {
    for (const [, field] of fields) field.addNull(definition, repetition);
  };
  return {
    add(value, definition, repetition) {
      if (value === undefined || value === null) return addNull(definition, repetition);
      if (typeof value !== 'object' || Array.isArray(value)) {
        losses.isLost = true;
        return addNull(definition, repetition);
      }
      let unknown = 0;
      for (const _ in value) unknown++;
      for (const [name, field] of fields) {
        const item = (value as Readonly<Record<string, unknown>>)[name];
        if (item !== undefined) unknown--;
        field.add(item, definition + 1, repetition);
      }
      if (unknown > 0) losses.isLost = true;
    },
    addNull,
  };
}

/** Convert a value to its type, or return undefined if it has another type. */
const scalars: Readonly<Record<Scalar, (value: unknown) => LeafValue | undefined>> = {
  text: (value) => (typeof value === 'string' ? value : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  number: (value) => (typeof value === 'number' ? value : undefined),
  integer: (value) => (Number.isSafeInteger(value) ? (value as number) : undefined),
  json: (value) => JSON.stringify(value),
  date: parseDay,
  timestamp: keepValues(parseTime),
};

const DAY_MS = 86_400_000;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days since 1970. Takes a tenth of the time of `Date.parse` with a check of the result. */
function parseDay(text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const year = parseDigits(text, 0, 4);
  const month = parseDigits(text, 5, 7);
  const day = parseDigits(text, 8, 10);
  const isLeap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (day === 0 || day > (MONTH_DAYS[month - 1] ?? 0) + (isLeap ? 1 : 0)) return undefined;
  // `Date.UTC` maps years below 100 to the 20th century. Every 400 years have the same number of days, so the year is shifted.
  return Date.UTC(year + 400, month - 1, day) / DAY_MS - 146_097;
}

function parseDigits(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) number = 10 * number + text.charCodeAt(at) - 48;
  return number;
}

/** Milliseconds since 1970. */
function parseTime(text: string): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) || new Date(time).toISOString() !== text ? undefined : time;
}

const MAX_KEPT = 1_000;

/** Keeps converted values, because millions of records share a few import times. */
function keepValues<T>(read: (text: string) => T | undefined): (value: unknown) => T | undefined {
  const kept = new Map<string, T | undefined>();
  return (value) => {
    if (typeof value !== 'string') return undefined;
    if (kept.has(value)) return kept.get(value);
    const result = read(value);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(value, result);
    return result;
  };
}
