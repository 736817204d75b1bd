import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { findBreakingChanges, type OpenApi } from '../../scripts/contract-diff.ts';
import type { Schema } from '../../scripts/contract-document.ts';
import { json, ref } from './base-contract.ts';
import { edit, reversed } from './edits.ts';

describe('any contract', () => {
  const loop = ref('Loop');
  const { schema: anySchema } = fc.letrec<{ schema: Schema }>((tie) => {
    const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3, noNullPrototype: true });
    const members = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
    return {
      schema: fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        fc.constantFrom<Schema>(
          true,
          { type: 'null' },
          { type: ['integer', 'null'], minimum: 1 },
          { const: 'x' },
          loop,
        ),
        fc.record({ type: fc.constant('string'), enum: fc.subarray(['x', 'y', 'z'], { minLength: 1 }) }),
        fc.record({ type: fc.constant('object'), properties: fields, required: fc.subarray(['a', 'b', 'c']) }),
        fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
        fc.record({ allOf: members }),
        fc.record({ anyOf: members }),
        fc.record({ oneOf: members }),
      ),
    };
  });
  const contractWith = (schema: Schema): OpenApi => ({
    paths: {
      '/x': { post: { requestBody: { content: json(schema) }, responses: { 200: { content: json(schema) } } } },
    },
    components: { schemas: { Loop: { allOf: [schema, { type: 'object', properties: { a: loop } }] } } },
  });

  test('stays compatible if something is only added', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const extended = edit(contractWith(addFields(schema)), {
          'paths /new': { get: {} },
          'paths /x get': {},
          'paths /x post parameters': [{ in: 'query', name: 'new', schema }],
          'paths /x post responses 500': { content: json(schema) },
        });
        assert.deepEqual(findBreakingChanges(contractWith(schema), contractWith(schema)), []);
        assert.deepEqual(findBreakingChanges(contractWith(schema), extended), []);
        assert.deepEqual(findBreakingChanges(contractWith(schema), reversed(contractWith(schema))), []);
      }),
      { numRuns: 300 },
    );
  });

  test('can be compared with any other, even if it is recursive', () => {
    fc.assert(
      fc.property(anySchema, anySchema, (released, current) => {
        assert.ok(Array.isArray(findBreakingChanges(contractWith(released), contractWith(current))));
      }),
      { numRuns: 300 },
    );
  });
});

/** Adds an optional field to every object that lists its fields. */
function addFields<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(addFields) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const extended = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, addFields(inner)]));
  if (extended.type === 'object' && 'properties' in extended)
    Object.assign(extended.properties, { added: { type: 'string' } });
  return extended as Value;
}
