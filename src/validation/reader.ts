import type { Static, TObject } from 'typebox';
import { Compile } from 'typebox/schema';
import { fail } from '../core/errors.ts';
import { describeProblem, type RequestPart } from './problem.ts';

/**
 * Validation of what clients send. The TypeBox schema that the contract publishes is compiled once into a reader, which returns
 * the typed value or throws `invalid_request` with a message that says what to change. This folder knows schemas and messages;
 * it does not know routes. One annotation is ours, and is left out of the contract: `errorMessage`, what to say instead of the
 * general message, for all keywords or by keyword (as in ajv-errors).
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

type Prepare = (given: unknown) => unknown;

/** Only plain digits: `Number` would also read `1e1`, `0x10` and ` 1` as page numbers, which is never what was meant. */
const PLAIN_DIGITS = /^(?:0|-?[1-9][0-9]*)$/;

/** Parameters arrive as text. Text that is not a number stays as it is, and the schema rejects it. */
function createNumberReader(schema: TObject): Prepare {
  const names = Object.entries(schema.properties).flatMap(([name, property]) => (allowsInteger(property) ? name : []));
  return (given) => {
    const value = { ...(given as Record<string, unknown>) };
    for (const name of names) {
      const text = value[name];
      if (typeof text === 'string' && PLAIN_DIGITS.test(text)) value[name] = toFinite(Number(text));
    }
    return value;
  };
}

/** Text of more than 308 digits would be infinite, which is not an integer. */
function toFinite(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(value, Number.MAX_VALUE));
}

function allowsInteger({ type, anyOf = [] }: { type?: unknown; anyOf?: readonly object[] }): boolean {
  return type === 'integer' || anyOf.some(allowsInteger);
}
