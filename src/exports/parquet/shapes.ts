/**
 * Shapes of Parquet columns, and the values of JSON in these shapes. `JSON` is kept as text. A value that does not fit its
 * shape completely is reported as lost, so that the writer can keep it elsewhere.
 */
export type Shape = Scalar | { readonly list: Shape } | { readonly struct: Fields };
export type Scalar = 'text' | 'date' | 'timestamp' | 'integer' | 'number' | 'boolean' | 'json';
export type Fields = Readonly<Record<string, Shape>>;

/** Whether something was lost since it was last reset. One object per writer. */
export interface Losses {
  isLost: boolean;
}

/** Null if there is no value. */
export type ToColumn = (value: unknown) => unknown;

export function compileShape(shape: Shape, losses: Losses): ToColumn {
  const lose = () => {
    losses.isLost = true;
    return null;
  };
  if (typeof shape === 'string') {
    const convert = scalars[shape];
    return (value) => (value === undefined || value === null ? null : (convert(value) ?? lose()));
  }
  if ('list' in shape) {
    const convert = compileShape(shape.list, losses);
    return (value) => {
      if (value === undefined || value === null) return null;
      return Array.isArray(value) ? value.map(convert) : lose();
    };
  }
  const fields = new Map(Object.entries(shape.struct).map(([name, field]) => [name, compileShape(field, losses)]));
  return (value) => {
    if (value === undefined || value === null) return null;
    if (typeof value !== 'object' || Array.isArray(value)) return lose();
    const struct: Record<string, unknown> = {};
    for (const name in value) {
      const convert = fields.get(name);
      if (convert === undefined) losses.isLost = true;
      else struct[name] = convert(Reflect.get(value, name));
    }
    return struct;
  };
}

/** Undefined if the value is not of the type. */
const scalars: Readonly<Record<Scalar, (value: unknown) => unknown>> = {
  text: (value) => (typeof value === 'string' ? value : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  number: (value) => (typeof value === 'number' ? value : undefined),
  integer: (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : undefined),
  json: (value) => JSON.stringify(value),
  date: keepValues(readDay),
  timestamp: keepValues(readTime),
};

const DAY_MS = 86_400_000;

/** Days since 1970. */
function readDay(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) return undefined;
  return time / DAY_MS;
}

/** Milliseconds since 1970. */
function readTime(text: string): bigint | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) || new Date(time).toISOString() !== text ? undefined : BigInt(time);
}

const MAX_KEPT = 100_000;

/** Millions of records share a few thousand dates. */
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
