import { type ApiContract, isNullable, resolve, type Schema } from './contract.ts';

/** A value that a schema accepts, made of the examples in the contract. */
export function exampleOf(schema: Schema, contract: ApiContract): unknown {
  const {
    examples,
    const: value,
    enum: values,
    type,
    format,
    items,
    properties = {},
    required = [],
    ...rest
  } = resolve(schema, contract);
  if (examples?.[0] !== undefined) return examples[0];
  // Most often there is none: a reason for a failure, a list of exceptions.
  if (isNullable(schema) && Object.keys(properties).length === 0) return null;
  if (value !== undefined) return value;
  if (values !== undefined) return values[0];
  if (rest.default !== undefined) return rest.default;
  if (type === 'array') return items === undefined ? [] : [exampleOf(items, contract)];
  if (type === 'object') {
    const shown = Object.entries(properties).filter(([name]) => required.includes(name));
    return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, contract)]));
  }
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return rest.minimum ?? 0;
  return EXAMPLES[format ?? ''] ?? 'text';
}

const EXAMPLES: Readonly<Record<string, string>> = {
  uuid: '8cfb7733-0cb1-511b-8310-bbbf2455fb10',
  date: '2026-09-01',
  'date-time': '2026-09-01T00:00:00.000Z',
  uri: 'https://example.com/',
  email: 'anna@example.com',
};
