import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBreakingChanges, type OpenApi } from '../../scripts/contract-diff.ts';
import { baseContract } from './base-contract.ts';

/** Maps a path of keys, separated by spaces, to a new value; `undefined` removes the key. */
type Edits = Readonly<Record<string, unknown>>;

/** Changes `contract` itself and returns it. */
export function edit(contract: OpenApi, edits: Edits): OpenApi {
  for (const [path, value] of Object.entries(edits)) {
    const keys = path.split(' ');
    const last = keys.pop() ?? '';
    let parent: unknown = contract;
    for (const key of keys) parent = (parent as Record<string, unknown>)[key];
    assert.ok(typeof parent === 'object' && parent !== null, `no such path: ${path}`);
    if (value !== undefined) Object.assign(parent, { [last]: structuredClone(value) });
    else assert.ok(last in parent && Reflect.deleteProperty(parent, last), `nothing to remove: ${path}`);
  }
  return contract;
}

/**
 * Registers a test: `edits` to the base contract are reported as these breaking `changes`. `released` are edits to both
 * sides, for what the base contract does not contain.
 */
export function rejects(title: string, edits: Edits, changes: readonly string[], released: Edits = {}): void {
  test(`rejects ${title}`, () => {
    const current = edit(edit(baseContract(), released), edits);
    assert.deepEqual(findBreakingChanges(edit(baseContract(), released), current), changes);
  });
}

/** Registers a test: `edits` to the base contract are compatible. */
export function allows(title: string, edits: Edits, released: Edits = {}): void {
  test(`allows ${title}`, () => {
    const current = edit(edit(baseContract(), released), edits);
    assert.deepEqual(findBreakingChanges(edit(baseContract(), released), current), []);
  });
}

/** Paths that several tests edit. */
export const plans = 'paths /plans get';
export const plan = 'components schemas Plan';
export const entities = 'paths /entities get';
export const newKey = 'components schemas NewKey';
export const page = 'components parameters Page';

/** The same value with the keys of every object in reverse order. */
export function reversed<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(reversed) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, reversed(inner)]);
  return Object.fromEntries(entries.reverse());
}
