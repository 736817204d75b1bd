// Compares two schemas from the point of view of a client. A response must keep everything that was promised; a request must still
// be accepted. The two directions forbid opposite changes, so each rule names its direction.

import { isDeepStrictEqual } from 'node:util';
import { followReference, type OpenApi, type Schema, type SchemaObject } from './contract-document.ts';

export interface Comparison {
  readonly released: OpenApi;
  readonly current: OpenApi;
  readonly direction: 'request' | 'response';
  /** Pairs of schemas that are compatible or being compared. A recursive schema stops here. */
  readonly settled: Set<string>;
}

/** Pairs of named schemas: the fields of an object, the items of an array, the parameters of an operation. */
export interface Members {
  readonly schemas: ReadonlyMap<string, Schema>;
  readonly required: readonly string[];
}

const OTHER_FIELDS = '.*';
const ITEMS = '[]';

export function compareSchemas(released: Schema, current: Schema, subject: string, comparison: Comparison): string[] {
  const pair = JSON.stringify([released, current]);
  if (comparison.settled.has(pair)) return [];
  comparison.settled.add(pair);
  const before = listShapes(released, comparison.released);
  const after = listShapes(current, comparison.current);
  const shared = [...before].flatMap(([type, shape]) => {
    const successor = after.get(type) ?? (type === 'integer' ? after.get('number') : undefined);
    return successor === undefined ? [] : compareShapes(shape, successor, subject, comparison);
  });
  const changes = [...compareTypes([...before.keys()], [...after.keys()], subject, comparison), ...shared];
  // The same difference at another location is reported again.
  if (changes.length > 0) comparison.settled.delete(pair);
  return changes;
}

export function compareMembers(released: Members, current: Members, subject: string, comparison: Comparison): string[] {
  const isRequest = comparison.direction === 'request';
  const changes: string[] = [];
  for (const [name, schema] of released.schemas) {
    if (schema === false) continue;
    const successor = current.schemas.get(name) ?? (name === OTHER_FIELDS || name === ITEMS);
    const member = nameMember(subject, name);
    if (successor !== false) changes.push(...compareSchemas(schema, successor, member, comparison));
    else if (name !== OTHER_FIELDS) changes.push(`${member} was removed`);
    else changes.push(`${subject} no longer ${isRequest ? 'accepts' : 'has'} other fields`);
  }

  const [stricter, looser] = isRequest ? [current, released] : [released, current];
  for (const name of stricter.required) {
    const wasRemoved = released.schemas.has(name) && !current.schemas.has(name);
    if (looser.required.includes(name) || wasRemoved) continue;
    changes.push(`${nameMember(subject, name)} is ${isRequest ? 'now required' : 'no longer always present'}`);
  }
  return changes;
}

/** Codes may be added, because clients must tolerate unknown codes. None may be removed. */
export function compareErrorCodes(released: readonly string[] = [], current: readonly string[] = []): string[] {
  return released.filter((code) => !current.includes(code)).map((code) => `error code ${code} was removed`);
}

/**
 * Splits a schema into one plain schema per type. So `type: [string, null]` equals `anyOf` with null, and `enum` equals `anyOf` of
 * constants. Further alternatives of the same type are numbered: `object`, `object 2`.
 */
function listShapes(schema: Schema, document: OpenApi): Map<string, SchemaObject> {
  const shapes = new Map<string, SchemaObject>();
  for (const plain of listAlternatives(schema, document)) {
    for (const type of [plain.type ?? inferType(plain)].flat()) {
      const values = valuesOf(plain);
      const listed = values && valuesOf(shapes.get(type) ?? {});
      let name = type;
      for (let number = 2; shapes.has(name) && listed === undefined; number++) name = `${type} ${number}`;
      shapes.set(name, listed === undefined ? plain : { type, enum: [...listed, ...(values ?? [])] });
    }
  }
  return shapes;
}

function listAlternatives(schema: Schema, document: OpenApi, followed: readonly string[] = []): SchemaObject[] {
  if (typeof schema === 'boolean') return schema ? [{}] : [];
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  if ($ref !== undefined) {
    return followed.includes($ref)
      ? []
      : listAlternatives(followReference(document, $ref), document, [...followed, $ref]);
  }
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return choices.flatMap((choice) => listAlternatives(choice, document, followed));
  const parts = (allOf ?? []).flatMap((part) => listAlternatives(part, document, followed));
  return [[own, ...parts].reduce(mergeParts)];
}

/** Supports `allOf` only for an object that is written in several parts. */
function mergeParts(left: SchemaObject, right: SchemaObject): SchemaObject {
  return {
    ...left,
    ...right,
    ...((left.properties || right.properties) && { properties: { ...left.properties, ...right.properties } }),
    ...((left.required || right.required) && { required: [...(left.required ?? []), ...(right.required ?? [])] }),
  };
}

function inferType(schema: SchemaObject): string | string[] {
  const values = valuesOf(schema);
  if (values !== undefined) return [...new Set(values.map(typeOf))];
  return 'properties' in schema ? 'object' : 'items' in schema ? 'array' : 'any';
}

function compareTypes(released: string[], current: string[], subject: string, { direction }: Comparison): string[] {
  const isTaken = (type: string) => current.includes(type) || (type === 'integer' && current.includes('number'));
  const isKept =
    direction === 'request' ? released.every(isTaken) : isDeepStrictEqual(released.toSorted(), current.toSorted());
  return isKept ? [] : [describeChange('type', subject, released.join(' or '), current.join(' or '))];
}

function compareShapes(
  released: SchemaObject,
  current: SchemaObject,
  subject: string,
  comparison: Comparison,
): string[] {
  const { direction } = comparison;
  const rules = direction === 'request' ? findTightened(released, current) : findChanged(released, current);
  return [
    ...rules.map((rule) => describeChange(rule, subject, released[rule], current[rule])),
    ...compareValues(valuesOf(released), valuesOf(current), direction).map((change) => `${subject} ${change}`),
    ...compareErrorCodes(released['x-error-codes'], current['x-error-codes']),
    ...compareMembers(listMembers(released, direction), listMembers(current, direction), subject, comparison),
  ];
}

const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
/** Keywords that can be compared only for equality: we cannot tell which of two values is stricter. */
const OPAQUE_RULES = ['format', 'pattern', 'multipleOf', 'uniqueItems', 'not'];

function findTightened(released: SchemaObject, current: SchemaObject): string[] {
  const lower = LOWER_BOUNDS.filter((rule) => Number(current[rule] ?? -Infinity) > Number(released[rule] ?? -Infinity));
  const upper = UPPER_BOUNDS.filter((rule) => Number(current[rule] ?? Infinity) < Number(released[rule] ?? Infinity));
  const opaque = OPAQUE_RULES.filter((rule) => rule in current && !isDeepStrictEqual(released[rule], current[rule]));
  return [...lower, ...upper, ...opaque];
}

function findChanged(released: SchemaObject, current: SchemaObject): string[] {
  return released.format === current.format ? [] : ['format'];
}

function valuesOf(schema: SchemaObject): Values {
  return schema.enum ?? ('const' in schema ? [schema.const] : undefined);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

type Values = readonly unknown[] | undefined;

/** A value that is no longer accepted breaks clients that send it. A new value breaks clients that switch over the values they read. */
function compareValues(before: Values, after: Values, direction: string): string[] {
  const [released, current] = [before, after].map((values) => values?.map((value) => JSON.stringify(value)));
  if (direction === 'request') {
    if (current === undefined) return [];
    if (released === undefined) return [`is now limited to ${current.join(', ')}`];
    return released.filter((value) => !current.includes(value)).map((value) => `no longer accepts ${value}`);
  }
  if (released === undefined) return [];
  if (current === undefined) return [`is no longer limited to ${released.join(', ')}`];
  return current.filter((value) => !released.includes(value)).map((value) => `may now be ${value}`);
}

function listMembers(shape: SchemaObject, direction: Comparison['direction']): Members {
  const schemas = new Map<string, Schema>();
  for (const [name, schema] of Object.entries(shape.properties ?? {})) schemas.set(`.${name}`, schema);
  if (shape.items !== undefined) schemas.set(ITEMS, shape.items);
  const others = shape.additionalProperties;
  // A request accepts unlisted fields unless it forbids them. A response has them only if it says so.
  if (others !== undefined) schemas.set(OTHER_FIELDS, others);
  else if (direction === 'request' && shape.properties !== undefined) schemas.set(OTHER_FIELDS, true);
  return { schemas, required: (shape.required ?? []).map((name) => `.${name}`) };
}

function nameMember(subject: string, member: string): string {
  if (subject === 'body') return `field ${member.replace(/^\./, '')}`;
  return subject + member;
}

function describeChange(what: string, subject: string, released: unknown, current: unknown): string {
  const show = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value ?? 'none'));
  return `${what} of ${subject} changed from ${show(released)} to ${show(current)}`;
}
