import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ExcerptValue } from '../../src/core/json/json-excerpt.ts';
import { boundValue } from '../../src/mcp/bounded.ts';
import { quote } from '../../src/mcp/register-text.ts';

describe('what assistants get is bounded', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '💥'), maxLength: 1_500 });
  const { value: values } = fc.letrec<{ value: ExcerptValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      text,
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 30 }),
      fc.dictionary(text, tie('value'), { maxKeys: 30, noNullPrototype: true }),
    ),
  }));

  test('a value has at most the given characters, and names what it lacks', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 5_000 }), (value, max) => {
        const bounded = boundValue(value, '/x', max);
        const json = JSON.stringify(bounded.value);
        // Names, quotes, commas and what was started before the end.
        assert.ok(json.length <= 4 * max + 700, `${json.length} of ${max}`);
        assert.ok(json.isWellFormed());
        if (json !== JSON.stringify(value)) assert.ok(bounded.omitted.length > 0);
        else assert.deepEqual(bounded.omitted, []);
        assert.ok(bounded.omitted.every((pointer) => pointer.startsWith('/x')));
      }),
      { numRuns: 200 },
    );
  });

  test('empty values are counted, so that they cannot be many', () => {
    const { value, omitted } = boundValue({ a: {}, b: [], c: null, d: true, e: 'text' }, '/x', 10);
    assert.deepEqual(value, { a: {}, b: [] });
    assert.deepEqual(omitted, ['/x']);
  });

  test('a quote is one line, has its length, and says if it was cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), fc.integer({ min: 1, max: 300 }), (name, max) => {
        const quoted = quote(name, max);
        assert.match(quoted, /^⟦[^⟦⟧\n\r]*⟧$/);
        assert.ok(quoted.length <= max + 3, `${quoted.length} of ${max}`);
        assert.ok(quoted.isWellFormed());
      }),
      { numRuns: 500 },
    );
    assert.equal(quote('ACME LTD'), '⟦ACME LTD⟧');
    assert.equal(quote('ACME LTD', 4), '⟦ACME…⟧');
    assert.equal(quote(`A${'\u200b'.repeat(5_000)}B`), '⟦A…⟧');
  });
});
