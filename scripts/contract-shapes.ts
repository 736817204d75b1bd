// Turns a schema into the list of shapes a value may have, so that two spellings of one meaning become equal:
// `type: [string, null]` and `anyOf` with null, `enum` and `anyOf` of consts, `allOf` and one written-out object.

import { isDeepStrictEqual } from 'node:util';
import { followReference, type OpenApi, type Schema, type SchemaObject } from './contract-document.ts';

/** A schema of exactly one type, references and combinations worked in. The type is `any` where the schema has none. */
export interface Shape extends SchemaObject {
  readonly type: string;
}

/** Bounds, each with the value that restricts nothing. */
export const LOWER_BOUNDS = {
  minimum: -Infinity,
  exclusiveMinimum: -Infinity,
  minLength: 0,
  minItems: 0,
  minProperties: 0,
};
export const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];

/** Rules of which we can only see that they are the same, not which of two is the stricter. */
export const OPAQUE_RULES = ['format', 'pattern', 'multipleOf', 'uniqueItems', 'contains', 'propertyNames', 'not'];

// A keyword says nothing about values of other types: `maxLength` must not make two nulls differ.
const NUMBER_KEYWORDS = ['format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const ARRAY_KEYWORDS = ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'];
const FIELD_KEYWORDS = ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'required'];
const OBJECT_KEYWORDS = [...FIELD_KEYWORDS, 'minProperties', 'maxProperties', 'propertyNames'];
const KEYWORDS_OF = new Map([
  ['string', ['format', 'pattern', 'minLength', 'maxLength']],
  ['number', NUMBER_KEYWORDS],
  ['integer', NUMBER_KEYWORDS],
  ['array', ARRAY_KEYWORDS],
  ['object', OBJECT_KEYWORDS],
  ['any', [...Object.keys(LOWER_BOUNDS), ...UPPER_BOUNDS, ...OPAQUE_RULES]],
]);

export function listShapes(schema: Schema, document: OpenApi): Shape[] {
  return joinValues(flatten(schema, document, []).flatMap(splitByType));
}

/** Every way to satisfy the schema, one per choice of `anyOf` and `oneOf`. */
function flatten(schema: Schema, document: OpenApi, followed: readonly string[]): SchemaObject[] {
  if (typeof schema === 'boolean') return schema ? [{}] : [];
  const { $ref, allOf = [], anyOf, oneOf, const: only, ...own } = schema;
  const choices: SchemaObject[][] = ['const' in schema ? [{ ...own, enum: [only] }] : [own]];
  const choose = (...members: readonly Schema[]) =>
    choices.push(members.flatMap((member) => flatten(member, document, followed)));

  if ($ref !== undefined) {
    // A schema that is directly its own alternative adds no value to the set it describes.
    if (followed.includes($ref)) return [];
    choices.push(flatten(followReference<Schema>(document, $ref), document, [...followed, $ref]));
  }
  for (const member of allOf) choose(member);
  if (anyOf !== undefined) choose(...anyOf);
  if (oneOf !== undefined) choose(...oneOf);
  return choices.reduce((lefts, rights) => lefts.flatMap((left) => rights.map((right) => intersect(left, right))));
}

function intersect(left: SchemaObject, right: SchemaObject): SchemaObject {
  const merged: Record<string, unknown> = { ...left, ...right };
  for (const keyword of Object.keys(left)) {
    if (keyword in right) merged[keyword] = intersectKeyword(keyword, left, right);
  }
  return merged;
}

function intersectKeyword(keyword: string, left: SchemaObject, right: SchemaObject): unknown {
  if (isDeepStrictEqual(left[keyword], right[keyword])) return left[keyword];
  if (keyword === 'type') return intersectTypes([left.type ?? []].flat(), [right.type ?? []].flat());
  if (keyword === 'enum') return left.enum?.filter((value) => includesEqual(right.enum ?? [], value));
  if (keyword === 'required' || keyword === 'x-error-codes') {
    return [...new Set([...(left[keyword] ?? []), ...(right[keyword] ?? [])])];
  }
  if (keyword === 'properties' || keyword === 'patternProperties') {
    const merged = { ...left[keyword] };
    for (const [name, schema] of Object.entries(right[keyword] ?? {})) {
      merged[name] = requireBoth(merged[name] ?? true, schema);
    }
    return merged;
  }
  if (keyword === 'items' || keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    return requireBoth(left[keyword] ?? true, right[keyword] ?? true);
  }
  if (keyword in LOWER_BOUNDS) return Math.max(Number(left[keyword]), Number(right[keyword]));
  if (UPPER_BOUNDS.includes(keyword)) return Math.min(Number(left[keyword]), Number(right[keyword]));
  return [left[keyword], right[keyword]];
}

function intersectTypes(left: readonly string[], right: readonly string[]): string[] {
  return left.flatMap((type) =>
    right
      .filter((other) => holds(type, other) || holds(other, type))
      .map((other) => (holds(type, other) ? other : type)),
  );
}

/** Each member only once: that keeps the combinations of a recursive schema finite, so a comparison of them ends. */
function requireBoth(left: Schema, right: Schema): Schema {
  const members = [left, right].flatMap((schema) =>
    typeof schema === 'object' && isDeepStrictEqual(Object.keys(schema), ['allOf']) ? (schema.allOf ?? []) : [schema],
  );
  const allOf = members.filter((member, at) => member !== true && !includesEqual(members.slice(0, at), member));
  return allOf.length > 1 ? { allOf } : (allOf[0] ?? true);
}

function splitByType(schema: SchemaObject): Shape[] {
  const types = schema.type === undefined ? inferTypes(schema) : [schema.type].flat();
  return types.flatMap((type) => {
    const values = schema.enum?.filter((value) => type === 'any' || holds(type, typeOf(value)));
    if (values?.length === 0) return [];
    const keywords = ['not', 'x-error-codes', ...(KEYWORDS_OF.get(type) ?? [])].filter((keyword) => keyword in schema);
    const rules = Object.fromEntries(keywords.map((keyword) => [keyword, schema[keyword]]));
    return [{ ...rules, type, ...(values === undefined || type === 'null' ? {} : { enum: values }) }];
  });
}

function inferTypes(schema: SchemaObject): string[] {
  if (schema.enum !== undefined) return [...new Set(schema.enum.map(typeOf))];
  if (FIELD_KEYWORDS.some((keyword) => keyword in schema)) return ['object'];
  return 'items' in schema || 'prefixItems' in schema ? ['array'] : ['any'];
}

/** Shapes that differ only in their listed values are one shape with all of these values. */
function joinValues(shapes: readonly Shape[]): Shape[] {
  const joined: Shape[] = [];
  for (const shape of shapes) {
    const isTwin = (other: Shape) =>
      isDeepStrictEqual({ ...other, enum: !other.enum }, { ...shape, enum: !shape.enum });
    const at = joined.findIndex(isTwin);
    const twin = joined[at];
    if (twin === undefined) joined.push(shape);
    else if (twin.enum !== undefined) joined[at] = { ...twin, enum: [...twin.enum, ...(shape.enum ?? [])] };
  }
  return joined;
}

/** Whether every value of the narrow type is a value of the wide one. */
export function holds(wide: string, narrow: string): boolean {
  return wide === narrow || (wide === 'number' && narrow === 'integer');
}

export function includesEqual(values: readonly unknown[], value: unknown): boolean {
  return values.some((other) => isDeepStrictEqual(other, value));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
