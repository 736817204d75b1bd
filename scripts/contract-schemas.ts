// Compares two schemas as a client meets them. What a client reads may not lose or change anything it was promised;
// what a client sends must still be taken. The two directions refuse opposite things, so each rule names its own.

import { isDeepStrictEqual } from 'node:util';
import type { OpenApi, Schema } from './contract-document.ts';
import {
  holds,
  includesEqual,
  LOWER_BOUNDS,
  listShapes,
  OPAQUE_RULES,
  type Shape,
  UPPER_BOUNDS,
} from './contract-shapes.ts';

export interface Comparison {
  readonly released: OpenApi;
  readonly current: OpenApi;
  readonly direction: 'request' | 'response';
  /** The schema pairs being compared right now; meeting one again means the schema is recursive. */
  readonly trail: readonly string[];
}

/** Named schemas side by side: the fields of an object, the items of an array, the parameters of an operation. */
export interface Members {
  readonly schemas: ReadonlyMap<string, Schema>;
  readonly required: readonly string[];
}

const OTHER_FIELDS = '.*';
const ITEMS = '[]';

export function compareSchemas(released: Schema, current: Schema, subject: string, comparison: Comparison): string[] {
  const pair = JSON.stringify([released, current]);
  if (comparison.trail.includes(pair)) return [];
  const inside = { ...comparison, trail: [...comparison.trail, pair] };
  const before = listShapes(released, comparison.released);
  const after = listShapes(current, comparison.current);
  return [...compareTypes(before, after, subject, inside), ...compareAlternatives(before, after, subject, inside)];
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

/** New codes may come, as clients must tolerate codes they do not know; a code they handle may not go. */
export function compareErrorCodes(released: readonly string[] = [], current: readonly string[] = []): string[] {
  return released.filter((code) => !current.includes(code)).map((code) => `error code ${code} was removed`);
}

function compareTypes(
  before: readonly Shape[],
  after: readonly Shape[],
  subject: string,
  { direction }: Comparison,
): string[] {
  const released = [...new Set(before.map((shape) => shape.type))];
  const current = [...new Set(after.map((shape) => shape.type))];
  const joinTypes = (types: readonly string[]) => types.join(' or ') || 'nothing';
  const isKept =
    direction === 'request'
      ? released.every((type) => current.some((wide) => holds(wide, type)))
      : released.length === current.length && released.every((type) => current.includes(type));
  return isKept ? [] : [describeChange('type', subject, joinTypes(released), joinTypes(current))];
}

/**
 * Pairs the alternatives by what they mean, not by their order. Only those that fit no counterpart are reported,
 * against the most similar one. Alternatives of a type that the other side lacks are left to compareTypes.
 */
function compareAlternatives(
  before: readonly Shape[],
  after: readonly Shape[],
  subject: string,
  comparison: Comparison,
): string[] {
  const isRequest = comparison.direction === 'request';
  const table = before.map((released) =>
    after.map((current) =>
      holds(current.type, released.type) ? compareShapes(released, current, subject, comparison) : undefined,
    ),
  );
  const isUnexplained = (column: number) => !table.some((row) => row[column]?.length === 0);
  const unexplained = new Set(after.keys().filter(isUnexplained));
  const changes: string[] = [];
  for (const row of table) {
    if (row.every((cell) => cell === undefined) || row.some((cell) => cell?.length === 0)) continue;
    const [nearest] = row
      .flatMap((cell, column) => (cell && (isRequest || unexplained.has(column)) ? [{ cell, column }] : []))
      .sort((one, other) => one.cell.length - other.cell.length);
    changes.push(...(nearest?.cell ?? [`${subject} lost an alternative`]));
    if (nearest !== undefined) unexplained.delete(nearest.column);
  }
  const gained = isRequest ? [] : [...unexplained].filter((column) => table.some((row) => row[column] !== undefined));
  return [...changes, ...gained.map(() => `${subject} gained an alternative`)];
}

function compareShapes(released: Shape, current: Shape, subject: string, comparison: Comparison): string[] {
  const { direction } = comparison;
  const isRequest = direction === 'request';
  const rules = isRequest ? findTightenedRules(released, current) : findChangedFormat(released, current);
  const values = isRequest ? findRefusedValues(released, current) : findNewValues(released, current);
  return [
    ...rules.map((rule) => describeChange(rule, subject, released[rule], current[rule])),
    ...values.map((change) => `${subject} ${change}`),
    ...compareErrorCodes(released['x-error-codes'], current['x-error-codes']),
    ...compareMembers(listMembers(released, direction), listMembers(current, direction), subject, comparison),
  ];
}

function findTightenedRules(released: Shape, current: Shape): string[] {
  const lower = Object.entries(LOWER_BOUNDS).filter(
    ([bound, none]) => Number(current[bound] ?? none) > Number(released[bound] ?? none),
  );
  const upper = UPPER_BOUNDS.filter(
    (bound) => Number(current[bound] ?? Infinity) < Number(released[bound] ?? Infinity),
  );
  const opaque = OPAQUE_RULES.filter((rule) => rule in current && !isDeepStrictEqual(released[rule], current[rule]));
  return [...lower.map(([bound]) => bound), ...upper, ...opaque];
}

function findChangedFormat(released: Shape, current: Shape): string[] {
  return isDeepStrictEqual(released.format, current.format) ? [] : ['format'];
}

function findRefusedValues(released: Shape, current: Shape): string[] {
  if (current.enum === undefined) return [];
  if (released.enum === undefined) return [`is now limited to ${listValues(current.enum).join(', ')}`];
  return listValues(released.enum, current.enum).map((value) => `no longer accepts ${value}`);
}

/** Clients switch on listed values: one they do not know breaks them as a change of type would. */
function findNewValues(released: Shape, current: Shape): string[] {
  if (released.enum === undefined) return [];
  if (current.enum === undefined) return [`is no longer limited to ${listValues(released.enum).join(', ')}`];
  return listValues(current.enum, released.enum).map((value) => `may now be ${value}`);
}

function listMembers(shape: Shape, direction: Comparison['direction']): Members {
  const schemas = new Map<string, Schema>();
  for (const [name, schema] of Object.entries(shape.properties ?? {})) schemas.set(`.${name}`, schema);
  for (const [pattern, schema] of Object.entries(shape.patternProperties ?? {})) schemas.set(`.{${pattern}}`, schema);
  for (const [index, schema] of (shape.prefixItems ?? []).entries()) schemas.set(`[${index}]`, schema);
  if (shape.type === 'array') schemas.set(ITEMS, shape.items ?? true);
  if (shape.type === 'object') {
    const others = shape.additionalProperties ?? shape.unevaluatedProperties;
    // A request takes unlisted fields unless it forbids them; a reply promises them only if it says so or lists none.
    const isOpen = direction === 'request' || schemas.size === 0;
    if (others !== undefined || isOpen) schemas.set(OTHER_FIELDS, others ?? true);
  }
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

function listValues(values: readonly unknown[], except: readonly unknown[] = []): string[] {
  return values.filter((value) => !includesEqual(except, value)).map((value) => JSON.stringify(value));
}
