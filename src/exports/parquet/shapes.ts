import type { SchemaElement } from 'hyparquet-writer';
import type { Leaf, LeafValue } from './leaf.ts';

/** Shapes of Parquet columns. Values of the shape `json` are kept as JSON text; values of `jsonText` are JSON text already. */
export type Shape = Scalar | { readonly list: Shape } | { readonly struct: Fields };
type Scalar = 'text' | 'date' | 'timestamp' | 'integer' | 'number' | 'boolean' | 'json' | 'jsonText';
export type Fields = Readonly<Record<string, Shape>>;

/** Adds a value to the leaf columns of a row group; null and undefined are missing. Returns false if the value does not fit its shape. */
export type Shred = (value: unknown, definition: number, repetition: number) => boolean;

interface Target {
  /** The schema of the file, which is a tree in depth-first order and begins with its root. The elements of the column are added. */
  readonly schema: SchemaElement[];
  /** Called for every leaf, in the order of the schema, with its path from the root and the maximum definition level of its values. */
  createLeaf(path: SchemaElement[], maxDefinition: number): Leaf;
}

export function compileColumn(name: string, shape: Shape, isRequired: boolean, { schema, createLeaf }: Target): Shred {
  function compile(at: Shape, path: SchemaElement[], definition: number, repetition: number): Shred {
    schema.push(path.at(-1) as SchemaElement);
    if (typeof at === 'string') return shredScalar(scalars[at].convert, createLeaf(path, definition));
    if ('list' in at) {
      const list: SchemaElement = { name: 'list', repetition_type: 'REPEATED', num_children: 1 };
      schema.push(list);
      const item = compile(at.list, [...path, list, describe('element', at.list)], definition + 2, repetition + 1);
      return shredList(item, repetition + 1);
    }
    const fields = Object.entries(at.struct).map(([field, inner]) => {
      return [field, compile(inner, [...path, describe(field, inner)], definition + 1, repetition)] as const;
    });
    return shredStruct(fields);
  }
  const root = schema[0] as SchemaElement;
  return compile(shape, [root, describe(name, shape, isRequired)], isRequired ? 0 : 1, 0);
}

function describe(name: string, shape: Shape, isRequired = false): SchemaElement {
  const common = { name, repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL' } as const;
  if (typeof shape === 'string') return { ...common, ...scalars[shape].element };
  if ('list' in shape) return { ...common, converted_type: 'LIST', num_children: 1 };
  return { ...common, num_children: Object.keys(shape.struct).length };
}

/** The type in the notation of DuckDB. */
export function describeShape(shape: Shape): string {
  if (typeof shape === 'string') return scalars[shape].type;
  if ('list' in shape) return `${describeShape(shape.list)}[]`;
  const fields = Object.entries(shape.struct).map(([name, field]) => `${name} ${describeShape(field)}`);
  return `STRUCT(${fields.join(', ')})`;
}

function isMissing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function shredScalar(convert: ScalarType['convert'], leaf: Leaf): Shred {
  return (value, definition, repetition) => {
    const converted = isMissing(value) ? undefined : convert(value);
    leaf.add(converted, definition, repetition);
    return converted !== undefined || isMissing(value);
  };
}

function shredList(item: Shred, level: number): Shred {
  return (value, definition, repetition) => {
    if (!Array.isArray(value)) {
      item(undefined, definition, repetition);
      return isMissing(value);
    }
    if (value.length === 0) return item(undefined, definition + 1, repetition);
    let fits = true;
    for (let index = 0; index < value.length; index++) {
      if (!item(value[index], definition + 2, index === 0 ? repetition : level)) fits = false;
    }
    return fits;
  };
}

function shredStruct(fields: readonly (readonly [string, Shred])[]): Shred {
  return (value, definition, repetition) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      for (const [, add] of fields) add(undefined, definition, repetition);
      return isMissing(value);
    }
    let fits = true;
    let unknown = 0;
    for (const _ in value) unknown++;
    for (const [name, add] of fields) {
      const item = (value as Readonly<Record<string, unknown>>)[name];
      if (item !== undefined) unknown--;
      if (!add(item, definition + 1, repetition)) fits = false;
    }
    return fits && unknown === 0;
  };
}

interface ScalarType {
  readonly element: Omit<SchemaElement, 'name'>;
  /** The type in the notation of DuckDB. */
  readonly type: string;
  /** Returns undefined if the value has another type. */
  convert(value: unknown): LeafValue | undefined;
}

const TIMESTAMP = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } as const;
const DAY_MS = 86_400_000;

const text: ScalarType = {
  element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  type: 'VARCHAR',
  convert: (value) => (typeof value === 'string' ? value : undefined),
};

const scalars: Readonly<Record<Scalar, ScalarType>> = {
  text,
  jsonText: text,
  json: { ...text, convert: (value) => JSON.stringify(value) },
  date: {
    element: { type: 'INT32', converted_type: 'DATE' },
    type: 'DATE',
    convert: keepValues((text) => parseTime(text, 'YYYY-MM-DD'.length, (time) => time / DAY_MS)),
  },
  timestamp: {
    element: { type: 'INT64', logical_type: TIMESTAMP },
    type: 'TIMESTAMP WITH TIME ZONE',
    convert: keepValues((text) => parseTime(text, 'YYYY-MM-DDTHH:mm:ss.sssZ'.length, BigInt)),
  },
  integer: {
    element: { type: 'INT64' },
    type: 'BIGINT',
    convert: (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : undefined),
  },
  number: {
    element: { type: 'DOUBLE' },
    type: 'DOUBLE',
    convert: (value) => (typeof value === 'number' ? value : undefined),
  },
  boolean: {
    element: { type: 'BOOLEAN' },
    type: 'BOOLEAN',
    convert: (value) => (typeof value === 'boolean' ? value : undefined),
  },
};

/** Converts the first characters of an ISO 8601 time. Undefined if the text is not such a time in its usual form. */
function parseTime<T>(text: string, length: number, convert: (time: number) => T): T | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, length) !== text ? undefined : convert(time);
}

/** More days than a century has. */
const MAX_KEPT = 40_000;

/** Keeps converted values, because millions of records share a few days and import times, and converting takes ten times as long as finding. */
function keepValues<T>(convert: (text: string) => T | undefined): (value: unknown) => T | undefined {
  const kept = new Map<string, T | undefined>();
  return (value) => {
    if (typeof value !== 'string') return undefined;
    if (kept.has(value)) return kept.get(value);
    const result = convert(value);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(value, result);
    return result;
  };
}
