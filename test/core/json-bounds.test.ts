import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exceedsBounds } from '../../src/core/json/json-bounds.ts';
import { runs } from '../harness/depth.ts';

/** Measured on the value itself. An empty object or list counts as one value, because it has to be built as well. */
function measure(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0 };
  const members = Object.values(value).map(measure);
  return {
    depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
    values: Math.max(1, members.length) + members.reduce((sum, { values }) => sum + values, 0),
  };
}

test('the bounds of a text are those of its value, however it is written', () => {
  const keys = fc.string({ unit: fc.constantFrom('"', '\\', '{', '[', ',', ':', 'a', '\n') });
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), keys, fc.constantFrom(0, 2), (inner, key, indent) => {
      const value = { [key]: inner, list: [inner, key] };
      const json = JSON.stringify(value, null, indent);
      const { depth, values } = measure(JSON.parse(json));
      assert.equal(exceedsBounds(json, { maxDepth: depth, maxValues: values }), false, json);
      assert.equal(exceedsBounds(json, { maxDepth: depth - 1, maxValues: values }), true, json);
      assert.equal(exceedsBounds(json, { maxDepth: depth, maxValues: values - 1 }), true, json);
    }),
    { numRuns: runs(500, 20_000) },
  );
});

test('levels next to each other do not add up', () => {
  const json = `[${Array.from({ length: 50 }, () => '{"a":[1]}').join(',')}]`;
  assert.equal(exceedsBounds(json, { maxDepth: 3, maxValues: 1_000 }), false);
});

test('the check ends at the first excess, and with any text', () => {
  const bounds = { maxDepth: 16, maxValues: 256 };
  for (const json of ['', '"', '{"a', '{"a\\"', ']]]]', '\\', '"\\']) exceedsBounds(json, bounds);
  assert.equal(exceedsBounds('['.repeat(10_000_000), bounds), true);
  assert.equal(exceedsBounds(`[${',1'.repeat(1_000)}`, bounds), true);
});
