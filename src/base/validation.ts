import type { Static, TObject, TSchema } from 'typebox';
import { Compile, Errors } from 'typebox/schema';
import { fail } from './errors.ts';
import { findNearest } from './nearest.ts';

/**
 * Validation of requests. The TypeBox schema that the contract publishes is compiled once into a reader, which returns the typed value or throws
 * `invalid_request` with a message that explains what to change. The contract leaves out one annotation: `errorMessage`, which replaces the general
 * message, for all keywords or by keyword (as in ajv-errors).
 */
export type Reader<T> = (given: unknown) => T;

export function compileReader<S extends TObject>(schema: S, part: RequestPart): Reader<Static<S>> {
  const validator = Compile(schema);
  const isJson = part === 'body' || part === 'argument';
  const prepare = isJson ? (given: unknown) => given : createNumberReader(schema);
  return (given) => {
    const value = prepare(given);
    if (validator.Check(value)) return value as Static<S>;
    throw fail('invalid_request', { message: describeProblem(part, schema, value) });
  };
}

/** Only plain digits: `Number` would also read `1e1`, `0x10` and ` 1` as page numbers, which clients never intend. */
const PLAIN_DIGITS = /^(?:0|-?[1-9][0-9]*)$/;

/** Parameters arrive as text. Text that is not a number stays unchanged, and the schema rejects it. */
function createNumberReader(schema: TObject): (given: unknown) => unknown {
  const names = Object.entries(schema.properties).flatMap(([name, property]) => (allowsInteger(property) ? name : []));
  return (given) => {
    const value = { ...(given as Record<string, unknown>) };
    for (const name of names) {
      const text = value[name];
      // Text of more than 308 digits would become infinite, which the schema does not accept as an integer.
      if (typeof text === 'string' && PLAIN_DIGITS.test(text)) value[name] = Number(text.slice(0, 300));
    }
    return value;
  };
}

function allowsInteger({ type, anyOf = [] }: { type?: unknown; anyOf?: readonly object[] }): boolean {
  return type === 'integer' || anyOf.some(allowsInteger);
}

/** `argument`: an argument that an assistant passes to a tool. */
type RequestPart = 'path' | 'query' | 'body' | 'argument';

/** The part of JSON Schema that our requests use, and the annotation `errorMessage`. */
interface Schema {
  readonly type?: string;
  readonly anyOf?: unknown;
  readonly enum?: readonly unknown[];
  readonly additionalProperties?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly errorMessage?: string | Readonly<Record<string, string>>;
}

/**
 * Describes in one sentence what is wrong and what to send instead. Unknown names come first: if something else is missing, its name is probably
 * misspelt. Stops at the first problem: listing all of them takes seconds for a list with a million of them.
 */
function describeProblem(
  part: RequestPart,
  schema: TObject,
  value: unknown,
  /** The path of the object that contains the values, such as `search.`. */
  within = '',
): string {
  const { properties } = schema;
  const required: readonly string[] = schema.required ?? [];
  const { additionalProperties }: Schema = schema;
  const known = Object.keys(properties);
  if (!isRecord(value)) return describeBody(part, known);
  if (additionalProperties === false) {
    const unknown = Object.keys(value).find((name) => !known.includes(name));
    if (unknown !== undefined) return describeUnknown(part, unknown, known, within);
  }
  const missing = required.find((each) => !Object.hasOwn(value, each));
  const isInvalid = (each: string) => Object.hasOwn(value, each) && !accepts(properties[each] ?? {}, value[each]);
  const name = missing ?? known.find(isInvalid);
  if (name === undefined) return describeBody(part, known);
  const property: Schema = properties[name] ?? {};
  const given = value[name];
  if (isObject(property) && isRecord(given)) return describeProblem(part, property, given, `${within}${name}.`);
  const keyword = missing === undefined ? findKeyword(property, given) : 'required';
  return `The ${NAMES[part]} "${within}${name}" ${describeValue(keyword, property, given, required.includes(name))}.`;
}

const compiled = new WeakMap<TSchema, ReturnType<typeof Compile>>();

/** A schema that is not compiled takes 30 times as long: 100 ms for a list of 10,000 companies, in which no other request is answered. */
function accepts(schema: TSchema, value: unknown): boolean {
  return compiled.getOrInsertComputed(schema, Compile).Check(value);
}

function isObject(schema: Schema): schema is TObject {
  return schema.type === 'object' && 'properties' in schema;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The keyword that a single value violates. The parts of a list or object are not examined. */
function findKeyword(schema: Schema, given: unknown): string {
  if (typeof given === 'object') return 'type';
  const [, [error]] = Errors(schema as TSchema, given);
  return error?.keyword ?? 'type';
}

const NAMES: Readonly<Record<RequestPart, string>> = {
  path: 'path parameter',
  query: 'query parameter',
  body: 'field',
  argument: 'argument',
};

function describeUnknown(part: RequestPart, name: string, known: readonly string[], within: string): string {
  const subject = NAMES[part];
  // A long name would hide the hint, and may be a secret that was pasted into the wrong place.
  const shown = JSON.stringify(within + (name.length > 40 ? `${name.slice(0, 40)}…` : name));
  const place = part === 'argument' ? 'tool' : 'path';
  if (known.length === 0) return `Unknown ${subject} ${shown}: remove it, this ${place} has none.`;
  const nearest = findNearest(name, known);
  const hint = nearest === undefined ? `use ${joinWords(known, 'or')}.` : `did you mean "${nearest}"?`;
  return `Unknown ${subject} ${shown}: ${hint}`;
}

function describeBody(part: RequestPart, known: readonly string[]): string {
  const [subject, noun] = part === 'argument' ? ['The arguments', 'argument'] : ['The body', 'field'];
  const names = known.map((name) => JSON.stringify(name));
  return `${subject} must be a JSON object with the ${noun}${names.length === 1 ? '' : 's'} ${joinWords(names, 'and')}.`;
}

function describeValue(keyword: string, schema: Schema, given: unknown, isRequired: boolean): string {
  if (Array.isArray(given) && schema.type !== 'array' && schema.anyOf === undefined) return 'is given more than once';
  const { errorMessage } = schema;
  const own = typeof errorMessage === 'string' ? errorMessage : errorMessage?.[keyword];
  if (own !== undefined) return own;
  if (keyword === 'required') return `is required: it ${describeExpected(schema)}`;
  if (given === '' && keyword === 'minLength') return isRequired ? 'must not be empty' : EMPTY_OPTIONAL;
  if (typeof given === 'string' && keyword === 'maxLength') {
    // Counting the characters of a text of 2 MB would take 60 ms.
    const count = given.length > 100_000 ? 'more than 50000' : [...given].length;
    return `has ${count} characters; the maximum is ${schema.maxLength}`;
  }
  const otherwise = schema.default === undefined ? '' : `; omit it for the default, ${JSON.stringify(schema.default)}`;
  return describeExpected(schema) + otherwise;
}

const EMPTY_OPTIONAL = 'must not be empty: give a value, or omit the parameter';

function describeExpected(schema: Schema): string {
  const { type, minimum, maximum, minLength, maxLength, format, examples = [] } = schema;
  if (schema.enum !== undefined) {
    const values = schema.enum.map((value) => JSON.stringify(value));
    return `must be ${joinWords(values, 'or')}`;
  }
  if (type === 'integer') return `must be an integer from ${minimum} to ${maximum}, written in plain digits`;
  if (format === 'uuid') return examples[0] === undefined ? 'must be a UUID' : `must be a UUID, such as ${examples[0]}`;
  const isBounded = minLength !== undefined && maxLength !== undefined;
  return isBounded ? `must be a string of ${minLength} to ${maxLength} characters` : `must be a ${type}`;
}

function joinWords(words: readonly string[], conjunction: 'and' | 'or'): string {
  return new Intl.ListFormat('en-GB', { type: conjunction === 'and' ? 'conjunction' : 'disjunction' }).format(words);
}
