import { type ApiContract, isNullable, resolve, type Schema } from './contract.ts';

/** A field of a body, by its path, such as `data[].canonicalName`. */
export interface Field {
  readonly path: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly description: string;
}

/** Their fields have a page of their own. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'data.registry': 'Described in [Fields of a record](/docs/fields).',
};

/** Every field of a body, in order, those of an object after it. */
export function listFields(schema: Schema, contract: ApiContract, prefix = ''): Field[] {
  const { properties = {}, required = [] } = resolve(schema, contract);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const field = resolve(property, contract);
    const isOptional = !required.includes(name);
    const link = ELSEWHERE[path];
    const items = field.items && resolve(field.items, contract);
    const description = [field.description ?? items?.description, link].filter((text) => text !== undefined).join(' ');
    const own = { path, type: writeType(property, contract), isOptional, description };
    if (link !== undefined) return [own];
    return [own, ...listFields(items ?? field, contract, items ? `${path}[]` : path)];
  });
}

/** Such as `integer`, `date or null` or `list of objects`. */
export function writeType(schema: Schema, contract: ApiContract): string {
  const { type, format, items, enum: values, const: value } = resolve(schema, contract);
  const orNull = isNullable(schema) ? ' or null' : '';
  if (items !== undefined) return `list of ${pluralize(writeType(items, contract))}${orNull}`;
  if (value !== undefined) return `${JSON.stringify(value)}${orNull}`;
  return `${format ?? type ?? (values && 'string') ?? 'any'}${orNull}`;
}

function pluralize(type: string): string {
  return type.endsWith('any') ? 'values' : `${type}s`;
}

/** What values a parameter accepts, besides its type. */
export function describeLimits(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, default: normally, enum: values } = schema;
  return [
    values && `One of ${values.map((value) => `\`${value}\``).join(', ')}.`,
    minimum !== undefined && maximum === undefined && `At least ${minimum}.`,
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}.`,
    maxLength !== undefined && maxLength !== minLength && `At most ${maxLength} characters.`,
    normally !== undefined && `Default: \`${normally}\`.`,
  ].filter((text) => typeof text === 'string');
}
